/** Tests the provider wallet together with the common settlement. The formats of the dialects are tested separately. */
import { sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import { type Player, startApp } from '../../../../../test/kit/app.ts';
import { fixture } from '../../../../../test/kit/fixture.ts';
import { consumeAll } from '../../../../../test/kit/games/bets.ts';
import {
  back,
  bet,
  GENERIC,
  HUB88,
  openLab,
  PRAGMATIC,
  type Said,
  SOFTSWISS,
  win,
} from '../../../../../test/kit/games/provider-wallet.ts';
import { units } from '../../../../platform/money.ts';
import type { Policy, WalletCall, WalletResponse } from '../engine/call.ts';
import { requestOf } from './wallet.ts';

// The books must balance after all corrections: reconcile runs when the app stops.
const app = fixture(startApp);
const usdt = (amount: number) => units(String(amount));

/** One provider for each policy, shared by all players. */
const labs = new Map<Policy, ReturnType<typeof openLab>>();
async function table(policy: Policy) {
  const opened = labs.get(policy) ?? openLab(app, policy);
  labs.set(policy, opened);
  const lab = await opened;
  return { lab, ...(await seatAt(lab)) };
}

async function seatAt(lab: Awaited<ReturnType<typeof openLab>>) {
  const { player, token, ...seat } = await lab.seat(100);
  const call = (actions: Said | Said[], more?: Partial<WalletCall>) => seat.call([actions].flat(), more);
  const says = (actions: Said | Said[], more?: Partial<WalletCall>) => seat.says([actions].flat(), more);
  const row = async () =>
    (
      await sql<{
        status: string;
        amount: bigint;
        payout: bigint;
        corrected: bigint | null;
        paid: bigint | null;
        isCorrected: boolean;
      }>`
        select b.status, b.amount, b.payout, b.is_corrected as "isCorrected", c.amount_after as corrected, c.payout_after as paid
        from bets b left join lateral (select * from bet_corrections where bet_id = b.id order by id desc limit 1) c on true
        where b.user_id = ${player.id}`.execute(app.db)
    ).rows;
  return { player, token, call, says, row };
}

const own = async (player: Player, userId = player.id) =>
  (
    await sql<{
      cash: bigint;
    }>`select cash from wallets where user_id = ${userId} and currency_id = 'USDT'`.execute(app.db)
  ).rows[0]!.cash;

describe('in all dialects', () => {
  test('stores a bet, a win and a loss as one bet, which is settled when the round ends', async () => {
    const { says, row } = await table(GENERIC);
    expect(await says([], { actions: [] })).toBe('OK 100');
    expect(await says(bet('a1', 10))).toBe('OK 90');
    expect(await row()).toEqual([expect.objectContaining({ status: 'CREATED', amount: usdt(10) })]);
    expect(await says(win('a2', 25), { closes: true })).toBe('OK 115');
    expect(await row()).toEqual([
      expect.objectContaining({ status: 'SETTLED', payout: usdt(25), isCorrected: false }),
    ]);
    expect(await says(win('a3', 5))).toBe('ROUND_CLOSED 115');
    expect(await says(bet('a4', 5))).toBe('ROUND_CLOSED 115');
  });

  test('books a transaction id once and rejects it with different content', async () => {
    const { says, call, player } = await table(GENERIC);
    await call(bet('b1', 10));
    expect(await call(bet('b1', 10))).toMatchObject({ status: 'OK', isRepeated: true, balance: usdt(90) });
    expect(await says(bet('b1', 11))).toBe('TRANSACTION_CONFLICT 90');
    expect(await says(bet('b1', 10), { round: 'r2' })).toBe('TRANSACTION_CONFLICT 90');
    const other = await table(GENERIC);
    expect(await other.says(bet('b1', 10))).toBe('TRANSACTION_CONFLICT 100');
    expect(await own(player)).toBe(usdt(90));
  });

  test('books a transaction once when a hundred identical calls arrive concurrently', async () => {
    const { call, player } = await table(GENERIC);
    const answers = await Promise.all(Array.from({ length: 100 }, () => call(bet('c1', 10))));
    expect(answers.every(({ status, balance }) => status === 'OK' && balance === usdt(90))).toBe(true);
    expect(answers.filter(({ isRepeated }) => !isRepeated)).toHaveLength(1);
    expect(await own(player)).toBe(usdt(90));
  });

  test('stores the rejection of a bet for any player, and stores no bet for a zero stake', async () => {
    const { says, row } = await table(GENERIC);
    expect(await says(bet('d1', 101))).toBe('INSUFFICIENT_FUNDS 100');
    expect(await says(win('d0', 50))).toBe('TRANSACTION_NOT_FOUND 100');
    expect(await says({ type: 'JACKPOT', id: 'd9', amount: usdt(50) })).toBe('OK 150');
    expect(await says(bet('d1', 101))).toBe('INSUFFICIENT_FUNDS 150');
    expect(await says(bet('d2', 101))).toBe('OK 49');
    const free = await table(GENERIC);
    expect(await free.says(bet('d3', 0))).toBe('OK 100');
    expect(await free.says(win('d4', 0), { closes: true })).toBe('OK 100');
    expect([await free.row(), (await row()).length]).toEqual([[], 1]);
  });

  test('requires a live session of the player for a bet, but not for a win', async () => {
    const { says, player } = await table(GENERIC);
    await says(bet('e1', 10));
    const other = await table(GENERIC);
    expect(await says(bet('e2', 10), { token: other.token })).toBe('INVALID_TOKEN 90');
    expect(await says(bet('e2', 10), { token: 'unknown' })).toBe('INVALID_TOKEN 90');
    await app.db
      .updateTable('provider_sessions')
      .set({ expires_at: new Date(0) })
      .where('user_id', '=', player.id)
      .execute();
    expect(await says(bet('e2', 10))).toBe('TOKEN_EXPIRED 90');
    expect(await says(win('e3', 5))).toBe('OK 95');
  });

  test('rejects bets of banned players and on stopped games, but accepts every win and rollback', async () => {
    let isPlayable = true;
    const lab = await openLab(app, GENERIC, { isPlayable: () => isPlayable });
    const { says, player } = await seatAt(lab);
    await says([bet('f1', 10), bet('f2', 10)]);
    isPlayable = false;
    expect(await says(bet('f3', 10))).toBe('GAME_UNAVAILABLE 80');
    isPlayable = true;
    await app.db.updateTable('players').set({ is_banned: true }).where('user_id', '=', player.id).execute();
    expect(await says(bet('f4', 10))).toBe('PLAYER_BLOCKED 80');
    expect(await says(win('f5', 5))).toBe('OK 85');
    expect(await says(back('f6', 'f2'))).toBe('OK 95');
  });

  test('reverses a transaction exactly once, and rejects the original if it arrives later', async () => {
    const { says, row } = await table(GENERIC);
    await says(bet('g1', 10));
    expect(await says(back('g2', 'g1'))).toBe('OK 100');
    expect(await row()).toEqual([expect.objectContaining({ status: 'ROLLBACK', amount: usdt(10) })]);
    expect(await says(back('g2', 'g1'))).toBe('OK 100');
    expect(await says(back('g3', 'g1'))).toBe('OK 100');
    expect(await says(win('g4', 5))).toBe('ROUND_CLOSED 100');
    expect(await says(back('g5', 'g6'), { round: 'r2' })).toBe('OK 100');
    expect(await says(bet('g6', 10), { round: 'r2' })).toBe('TRANSACTION_CONFLICT 100');
  });

  test('rejects a rollback that refers to itself with the same error every time', async () => {
    for (const policy of [GENERIC, HUB88, SOFTSWISS, PRAGMATIC]) {
      const { says } = await table(policy);
      const refused = await says(back('self', 'self'));
      expect(refused).toBe('TRANSACTION_CONFLICT 100');
      expect(await says(back('self', 'self'))).toBe(refused);
    }
  });

  test('leaves the balance unchanged after a concurrent bet and rollback', async () => {
    const { call, player } = await table(GENERIC);
    for (let round = 0; round < 40; round++) {
      const at = { round: `at-once-${round}` };
      const both = [call(bet(`h${round}`, 10), at), call(back(`hx${round}`, `h${round}`), at)];
      await Promise.all(round % 2 ? both : both.reverse());
      expect(await own(player)).toBe(usdt(100));
    }
  });

  test('settles a round that contains several bets, one of which was rolled back', async () => {
    const { says, row } = await table(GENERIC);
    expect(await says(bet('i1', 10))).toBe('OK 90');
    expect(await says(bet('i2', 10))).toBe('OK 80');
    expect(await says(back('i3', 'i2'))).toBe('OK 90');
    expect(await says(win('i4', 7))).toBe('OK 97');
    expect(await says(win('i5', 5), { closes: true })).toBe('OK 102');
    expect(await row()).toEqual([
      expect.objectContaining({ status: 'SETTLED', amount: usdt(10), payout: usdt(12) }),
    ]);
    const other = await table(GENERIC);
    expect(await other.says(back('i6', 'i1'))).toBe('TRANSACTION_CONFLICT 100');
    await other.says(bet('i7', 1000));
    expect(await other.says(back('i8', 'i7'))).toBe('OK 100');
  });

  test('books all actions of a call in order, or none of them', async () => {
    const { says, row } = await table(GENERIC);
    expect(await says([bet('j1', 10), win('j2', 35)], { closes: true })).toBe('OK 125');
    expect(await says([bet('j3', 126), win('j4', 500)], { round: 'r2' })).toBe('INSUFFICIENT_FUNDS 125');
    expect(await says([bet('j5', 60), bet('j6', 70), win('j7', 500)], { round: 'r2' })).toBe(
      'INSUFFICIENT_FUNDS 125',
    );
    expect(await row()).toEqual([
      expect.objectContaining({ status: 'SETTLED', amount: usdt(10), payout: usdt(35) }),
    ]);
  });

  test('books a transaction without a round only once', async () => {
    const { says } = await table(GENERIC);
    expect(await says({ type: 'FREE_SPIN_WIN', id: 'k1', amount: usdt(5) })).toBe('OK 105');
    expect(await says({ type: 'FREE_SPIN_WIN', id: 'k1', amount: usdt(5) })).toBe('OK 105');
    expect(await says({ type: 'ADJUSTMENT', id: 'k2', amount: -usdt(4) })).toBe('OK 101');
    expect(await says({ type: 'ADJUSTMENT', id: 'k3', amount: -usdt(1000) })).toBe('INSUFFICIENT_FUNDS 101');
  });
});

describe('differences between the dialects', () => {
  test('closes a generic round when its end is first reported', async () => {
    const { says } = await table(GENERIC);
    await says(bet('l1', 10));
    expect(await says(win('l2', 5), { closes: true })).toBe('OK 95');
    expect(await says(back('l3', 'l1'))).toBe('ROUND_CLOSED 95');
  });

  test('accepts Hub88 rollbacks after the round has ended, and creates a debt for money that was already spent', async () => {
    const { says, row, player } = await table(HUB88);
    await says(bet('m1', 10));
    await says(win('m2', 5, 'm1'), { closes: true });
    expect(await says(back('m3', 'm1'))).toBe('OK 105');
    expect(await row()).toEqual([
      expect.objectContaining({ status: 'SETTLED', amount: usdt(10), corrected: 0n, paid: usdt(5) }),
    ]);

    const other = await table(HUB88);
    await other.says(bet('m4', 10));
    await other.says(win('m5', 100, 'm4'), { closes: true });
    await app.db
      .transaction()
      .execute((tx) => sql`update wallets set cash = cash where user_id = ${player.id}`.execute(tx));
    expect(
      (
        await other.player.call('POST', '/accounting/to-vault', {
          body: { currencyId: 'USDT', amount: '150' },
        })
      ).status,
    ).toBe(201);
    expect(await other.says(back('m6', 'm5'))).toBe('OK 0');
    const owed = await sql<{
      remaining: bigint;
    }>`select remaining from claims where user_id = ${other.player.id}`.execute(app.db);
    expect(owed.rows).toEqual([{ remaining: usdt(60) }]);
    expect(await other.says(back('m7', 'm4'))).toBe('OK 10');
    expect(await other.row()).toEqual([expect.objectContaining({ status: 'ROLLBACK', corrected: null })]);

    // Consumers must have applied all bets, including corrected ones, even after a rebuild.
    const mine = async () => (await player.call('GET', '/user/me/stats')).body;
    const seen = { betCount: 1, winCount: 1, wageredUsd: '0', biggestWinUsd: '5', bestMultiplier: 0 };
    expect(await mine()).toMatchObject(seen);
    await consumeAll(app);
    expect(await mine()).toMatchObject(seen);

    const third = await table(HUB88);
    await third.says(bet('m8', 10));
    await third.says(back('m9', 'm8'));
    expect(await third.says(win('m10', 5, 'm8'))).toBe('TRANSACTION_NOT_FOUND 100');
    // A free bet of a void round is rolled back as well. Statistics include the round's bet neither before nor after that.
    await third.says([{ ...bet('m13', 1), isFree: true }, bet('m14', 10)], { round: 'r2' });
    await third.says(back('m15', 'm14'), { round: 'r2', closes: true });
    await third.says(back('m16', 'm13'), { round: 'r2' });
    expect((await third.row()).map(({ status, isCorrected }) => [status, isCorrected])).toEqual([
      ['ROLLBACK', false],
      ['ROLLBACK', false],
    ]);
    await third.says(back('m11', 'm12'));
    expect(await third.says(bet('m12', 5))).toBe('ROLLED_BACK 100');
  });

  test('accepts each id only once in a SOFTSWISS list, and reports success for tombstones', async () => {
    const { says, call } = await table(SOFTSWISS);
    expect(await says([bet('n1', 4), bet('n1', 4), win('n2', 9)])).toBe('OK 105');
    const again = await call([bet('n1', 4), win('n3', 1)]);
    expect(again.actions.map(({ isRepeated }) => isRepeated)).toEqual([true, false]);
    expect(again.balance).toBe(usdt(106));
    expect(await says([], { closes: true })).toBe('OK 106');
    const other = await table(SOFTSWISS);
    expect(await other.says([back('n4', 'n6'), back('n5', 'n7')])).toBe('OK 100');
    const late = await other.call([bet('n6', 5), win('n7', 9)]);
    expect([late.status, late.balance, late.actions.length]).toEqual(['OK', usdt(100), 2]);
  });

  test('rejects a Pragmatic Play refund after a result', async () => {
    const { says } = await table(PRAGMATIC);
    await says(bet('o1', 10));
    expect(await says(win('o2', 4))).toBe('OK 94');
    expect(await says(back('o3', 'o1'))).toBe('ROUND_CLOSED 94');
    const found = await sql`select kind from provider_findings where subject = 'o1'`.execute(app.db);
    expect(found.rows).toEqual([{ kind: 'REFUND_AFTER_RESULT' }]);
  });
});

describe('a round that its provider never ends', () => {
  const expire = async ({ lab, player }: Awaited<ReturnType<typeof table>>): Promise<WalletResponse> => {
    const { db: _, ...deps } = { ...app.services, bettable: { find: () => undefined, get: () => undefined } };
    const call = { playerId: String(player.id), currencyId: 'USDT', round: 'r1', actions: [], closes: true };
    const { provider } = lab;
    return app.services.settlement.settle(
      requestOf(deps, { provider, userId: player.id, call, origin: 'EXPIRY' }),
    );
  };
  const statusOf = async (player: Player) =>
    (
      await app.db
        .selectFrom('provider_rounds')
        .select('status')
        .where('user_id', '=', player.id)
        .executeTakeFirstOrThrow()
    ).status;

  test('expires the round once with its current result, and corrects the result when a win arrives later', async () => {
    const own = await table(GENERIC);
    const { says, row, player } = own;
    await says(bet('x1', 10));
    await says(win('x2', 4));
    for (let twice = 0; twice < 2; twice++) expect((await expire(own)).status).toBe('OK');
    expect(await row()).toEqual([
      expect.objectContaining({ status: 'SETTLED', amount: usdt(10), payout: usdt(4), isCorrected: false }),
    ]);
    expect(await statusOf(player)).toBe('EXPIRED');
    const found = await app.db
      .selectFrom('provider_findings')
      .select(['kind', 'subject', 'user_id', 'facts'])
      .where('user_id', '=', player.id)
      .execute();
    expect(found).toEqual([
      {
        kind: 'ROUND_EXPIRED',
        subject: `${player.id}:r1`,
        user_id: player.id,
        facts: { round: 'r1', betId: expect.any(String), staked: '10', paid: '4' },
      },
    ]);
    expect(await says(bet('x3', 5))).toBe('ROUND_CLOSED 94');
    expect(await says(back('x4', 'x1'))).toBe('ROUND_CLOSED 94');
    expect(await says(win('x5', 7))).toBe('OK 101');
    expect(await row()).toEqual([
      expect.objectContaining({ payout: usdt(4), isCorrected: true, corrected: usdt(10), paid: usdt(11) }),
    ]);
    expect(await says(win('x6', 1), { closes: true })).toBe('OK 102');
    expect(await statusOf(player)).toBe('CLOSED');
    expect(await says(win('x7', 1))).toBe('ROUND_CLOSED 102');
    expect(await says(win('x5', 7))).toBe('OK 101');
  });

  test('returns the stake of an expired round if the dialect accepts rollbacks after the end of a round', async () => {
    const own = await table(HUB88);
    await own.says(bet('y1', 10));
    await expire(own);
    expect(await own.says(win('y2', 5, 'y1'))).toBe('OK 95');
    expect(await own.says(back('y3', 'y1'))).toBe('OK 105');
    expect(await own.row()).toEqual([expect.objectContaining({ corrected: 0n, paid: usdt(5) })]);
    expect(await own.says(back('y4', 'y2'))).toBe('OK 100');
    expect(await own.row()).toEqual([expect.objectContaining({ status: 'ROLLBACK', corrected: null })]);
    expect(await statusOf(own.player)).toBe('CLOSED');
  });

  test('stores no bet for a round without a stake, and accepts a free win', async () => {
    const own = await table(GENERIC);
    await own.says(bet('z1', 0));
    await expire(own);
    expect(await own.says(win('z2', 5))).toBe('OK 105');
    expect([await own.row(), await statusOf(own.player)]).toEqual([[], 'EXPIRED']);
  });

  test('does not expire a round that has ended', async () => {
    const own = await table(GENERIC);
    await own.says(bet('v1', 10), { closes: true });
    expect((await expire(own)).status).toBe('OK');
    expect(await statusOf(own.player)).toBe('CLOSED');
  });
});
