/** A rollback debits the payout first from cash, then from the vault. Any missing amount becomes a debt. */
import fc from 'fast-check';
import { sql } from 'kysely';
import { beforeAll, describe, expect, test } from 'vitest';
import { codeOf } from '../../../../test/kit/accounts/accounts.ts';
import { betOnDice, type Player, startApp } from '../../../../test/kit/app.ts';
import { deposit } from '../../../../test/kit/engagement/promo.ts';
import { fixture } from '../../../../test/kit/fixture.ts';
import { times } from '../../../../test/kit/length.ts';
import { cancel, decide, statusOf, withdraw } from '../../../../test/kit/money/withdrawals.ts';
import { reconcile } from '../../../app/commands/reconcile.ts';
import { openClaimsOf } from '../../money/ledger/claims.ts';

// The books must balance after all rollbacks: reconcile runs when the app stops.
const app = fixture(startApp);
const boss = fixture(() => app.as('superadmin'));
const clerk = fixture(() => app.as({ permissions: ['bet.rollback'] }));
beforeAll(async () => {
  const config = { kycSingleThresholdUsd: '1000000', maxOpenPerUser: 20 };
  expect((await boss.call('PATCH', '/admin/config/WITHDRAWALS', { body: config })).status).toBe(200);
});

const rollBack = (betId: string) =>
  clerk.call('POST', `/admin/bets/${betId}/rollback`, { body: { reason: 'The provider voided the round.' } });
const toVault = (player: Player, amount: string) =>
  player.call('POST', '/accounting/to-vault', { body: { currencyId: 'USDT', amount } });
const give = (player: Player, amount: string) => player.call('GET', `/debug/me/give-money?amount=${amount}`);
const setCash = (player: Player, amount: string) => {
  const body = { userId: player.id, action: 'SET_BALANCE', params: { currencyId: 'USDT', amount } };
  return app.call('POST', '/debug/user/action', { body });
};
/** Returns a player's balances and debt in dollars. */
async function moneyOf({ id }: Player) {
  const wallet = await app.db
    .selectFrom('wallets')
    .select(['cash', 'vault', 'hold'])
    .where('user_id', '=', id)
    .where('currency_id', '=', 'USDT')
    .executeTakeFirstOrThrow();
  const owed = (await openClaimsOf(app.db, id)).get('USDT') ?? 0n;
  const dollars = (amount: bigint) => Number(amount) / 1e8;
  return {
    cash: dollars(wallet.cash),
    vault: dollars(wallet.vault),
    hold: dollars(wallet.hold),
    owed: dollars(owed),
  };
}
const auditOf = async (betId: string) => {
  const { after } = await app.db
    .selectFrom('admin_audit')
    .select('after')
    .where('path', 'like', `%${betId}/rollback`)
    .where('after', 'is not', null)
    .executeTakeFirstOrThrow();
  return after;
};

/** Returns a player who has staked their balance of 10 and won 9.9 (payout 19.8). */
async function winner(): Promise<{ player: Player; won: string }> {
  for (;;) {
    const player = await app.newPlayer({ usdt: 10 });
    const { body } = await betOnDice(player, { betAmount: '10', threshold: 50, above: true });
    if (!body.didWin) continue;
    const { cash } = await moneyOf(player);
    expect(cash).toBeGreaterThan(15);
    return { player, won: body.betId };
  }
}

describe('the rollback of a win', () => {
  test('takes cash first and then the vault balance, so that a move to the vault cannot prevent a rollback', async () => {
    const { player, won } = await winner();
    const { cash } = await moneyOf(player);
    expect((await toVault(player, String(cash))).status).toBe(201);
    expect((await rollBack(won)).body).toMatchObject({ id: won, status: 'ROLLBACK' });
    expect(await moneyOf(player)).toEqual({ cash: 0, vault: 10, hold: 0, owed: 0 });
    expect(await auditOf(won)).toMatchObject({ status: 'ROLLBACK', claimed: '0' });
  });

  test('creates a debt for the remaining amount, which later credits pay before any withdrawal', async () => {
    const { player, won } = await winner();
    const { cash } = await moneyOf(player);
    await toVault(player, '3');
    expect((await setCash(player, '2')).status).toBe(201);
    expect((await rollBack(won)).status).toBe(201);
    const owed = cash - 10 - 5;
    expect(await moneyOf(player)).toEqual({ cash: 0, vault: 0, hold: 0, owed: expect.closeTo(owed, 6) });
    expect(await auditOf(won)).toMatchObject({ claimed: expect.stringMatching(/^4\.\d+$/) });
    expect(codeOf(await rollBack(won))).toBe('409 BET_ROLLED_BACK');
    expect(codeOf(await withdraw(player, { amount: '20' }))).toBe('409 CLAIMS_OPEN');
    await deposit(app, player, '50');
    expect(await moneyOf(player)).toMatchObject({ cash: expect.closeTo(50 - owed, 6), owed: 0 });
  });

  test('blocks a withdrawal that waits for approval, and uses its money for the debt once the money is returned', async () => {
    const { player, won } = await winner();
    const { cash } = await moneyOf(player);
    const { body: asked } = await withdraw(player, { amount: String(cash) });
    expect(asked.status).toBe('WAITING_FOR_APPROVAL');
    expect((await rollBack(won)).status).toBe(201);
    const owed = expect.closeTo(cash - 10, 6);
    expect(await moneyOf(player)).toEqual({ cash: 0, vault: 0, hold: cash, owed });
    expect(codeOf(await decide(boss, 'approve', asked.id))).toBe('409 CLAIMS_OPEN');
    expect((await cancel(player, asked.id)).status).toBe(201);
    expect(await moneyOf(player)).toEqual({ cash: 10, vault: 0, hold: 0, owed: 0 });
  });

  test('blocks an approved withdrawal that has not been sent yet', async () => {
    const { player, won } = await winner();
    const { cash } = await moneyOf(player);
    const { body: asked } = await withdraw(player, { amount: String(cash) });
    expect((await decide(boss, 'approve', asked.id)).body.status).toBe('APPROVED');
    expect((await rollBack(won)).status).toBe(201);
    await app.services.withdrawals.sending.send(asked.id);
    expect(await statusOf(app, asked.id)).toBe('ON_HOLD');
    expect((await decide(boss, 'reject', asked.id)).status).toBe(201);
    expect(await moneyOf(player)).toEqual({ cash: 10, vault: 0, hold: 0, owed: 0 });
  });
});

test('pays the debt with a returned stake, regardless of the order of rollbacks', async () => {
  for (const isLossFirst of [true, false]) {
    const { player, won } = await winner();
    for (;;) {
      const { cash } = await moneyOf(player);
      const { body } = await betOnDice(player, { betAmount: String(cash), threshold: 50, above: true });
      if (body.didWin) {
        expect((await rollBack(body.betId)).status).toBe(201);
        continue;
      }
      for (const id of isLossFirst ? [body.betId, won] : [won, body.betId])
        expect((await rollBack(id)).status).toBe(201);
      expect(await moneyOf(player)).toEqual({ cash: 10, vault: 0, hold: 0, owed: 0 });
      break;
    }
  }
});

describe('rollbacks that run concurrently with bets, vault moves and withdrawals', () => {
  type Step = { does: 'bet' | 'toVault' | 'fromVault' | 'withdraw' | 'cancel' | 'rollBack'; size: number };
  const step: fc.Arbitrary<Step> = fc.record({
    does: fc.constantFrom('bet', 'bet', 'toVault', 'fromVault', 'withdraw', 'cancel', 'rollBack', 'rollBack'),
    size: fc.integer({ min: 1, max: 12 }),
  });

  /** Returns the balance minus the debt and minus the profit of all bets that were not rolled back, in units of 10^-8. */
  const broughtBesides = async ({ id }: Player): Promise<string> => {
    const { rows } = await sql<{ besides: string }>`
      select ((select cash + vault + hold from wallets where user_id = ${id} and currency_id = 'USDT')
        - (select coalesce(sum(remaining), 0) from claims where user_id = ${id})
        - coalesce(sum(payout - amount), 0))::text as besides
      from bets where user_id = ${id} and status = 'SETTLED'`.execute(app.db);
    return rows[0]!.besides;
  };

  test('keeps balance minus debt equal to the initial balance plus the results of the remaining bets', async () => {
    // The player already has a debt, because the winnings are held for a pending withdrawal.
    const { player, won } = await winner();
    await withdraw(player, { amount: String((await moneyOf(player)).cash) });
    await rollBack(won);
    expect((await moneyOf(player)).owed).toBeGreaterThan(5);
    await give(player, '60');
    const bets: string[] = [];
    const asked: string[] = [];
    const before = await broughtBesides(player);
    const does = async ({ does, size }: Step) => {
      const move = { body: { currencyId: 'USDT', amount: String(size) } };
      if (does === 'bet') {
        const { status, body } = await betOnDice(player, { betAmount: String(size) });
        if (status === 201) bets.push(body.betId);
        return status;
      }
      if (does === 'toVault') return (await player.call('POST', '/accounting/to-vault', move)).status;
      if (does === 'fromVault') return (await player.call('POST', '/accounting/from-vault', move)).status;
      if (does === 'withdraw') {
        const { status, body } = await withdraw(player, { amount: String(size + 4) });
        if (status === 201) asked.push(body.id);
        return status;
      }
      const list = does === 'cancel' ? asked : bets;
      const id = list[size % Math.max(list.length, 1)];
      if (id === undefined) return 404;
      return does === 'cancel' ? (await cancel(player, id)).status : (await rollBack(id)).status;
    };
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 8, maxLength: 24 }), async (steps) => {
        const statuses = await Promise.all(steps.map(does));
        expect(statuses.filter((status) => status >= 500)).toEqual([]);
        expect(await broughtBesides(player)).toBe(before);
      }),
      { seed: 71, numRuns: times('RACE_ROUNDS', 15, 100), endOnFailure: true },
    );
    const { findings } = await reconcile(app.db, { seedSecret: app.config.SEED_SECRET });
    expect(findings).toEqual([]);
  }, 240_000);

  test('reverses a win only once when 20 rollbacks run concurrently with vault moves', async () => {
    for (let round = 0; round < 3; round++) {
      const { player, won } = await winner();
      const moves = ['to-vault', 'from-vault', 'to-vault', 'from-vault', 'to-vault'];
      const move = { body: { currencyId: 'USDT', amount: '5' } };
      const [answers] = await Promise.all([
        Promise.all(Array.from({ length: 20 }, () => rollBack(won))),
        Promise.all(moves.map((to) => player.call('POST', `/accounting/${to}`, move))),
      ]);
      expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
      const { cash, vault, owed } = await moneyOf(player);
      expect([cash + vault, owed]).toEqual([10, 0]);
    }
  });
});
