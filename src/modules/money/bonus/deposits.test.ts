/** Tests bonuses on deposits, and the money that an active bonus blocks. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { betOnDice, DICE, PATIENCE, type Player, startApp } from '../../../../test/kit/app.ts';
import { fixture } from '../../../../test/kit/fixture.ts';
import { lose, win } from '../../../../test/kit/money/bonus.ts';
import { depositsOf, giveAddress, tell, webhookOf } from '../../../../test/kit/money/deposits.ts';
import { bonusFor, grantsOf, percentageFor } from '../../../../test/kit/money/grants.ts';
import { withdraw } from '../../../../test/kit/money/withdrawals.ts';
import { reconcile } from '../../../app/commands/reconcile.ts';
import { transaction } from '../../../platform/database/db.ts';
import { formatUnits, units } from '../../../platform/money.ts';
import { openClaimsOf } from '../ledger/claims.ts';

// These tests credit deposits for which no skin deposits exist, which violates some invariants. All other invariants are checked at the
// end.
const app = fixture(() => startApp({ env: PATIENCE, reconcileOnStop: false }));
const second = fixture(() => startApp({ env: PATIENCE, database: app.database, reconcileOnStop: false }));
const boss = fixture(() => app.as('superadmin'));
let on: ReturnType<typeof grantsOf>;
beforeAll(() => {
  on = grantsOf(app);
});
afterAll(async () => {
  const { findings } = await reconcile(app.db, { seedSecret: app.config.SEED_SECRET });
  expect(findings.filter(({ problem }) => !problem.includes('skin deposit'))).toEqual([]);
});

/** Deposits coins and returns a function that reverses the deposit. */
async function deposit(player: Player, amount: string) {
  const coins = webhookOf(await giveAddress(app.db, player.id), { amount });
  expect((await tell(app, coins)).status).toBe(200);
  const gone = { ...coins, status: 'REVERSED', occurredAt: new Date(Date.now() + 1000).toISOString() };
  return async () => expect((await tell(app, gone)).status).toBe(200);
}

let credits = 0;
/** Credits a deposit in any currency without a provider. */
async function credit({ id: userId }: Player, amount: string, currencyId: string) {
  const key = `test:${userId}:${++credits}`;
  const at = new Date();
  const order = { userId, currencyId, kind: 'skins.deposit', key, at, amount: units(amount) } as const;
  const usdAmount = app.services.currencies.toUsd(currencyId, order.amount);
  const { bonus } = await transaction(app.db, (tx) =>
    app.services.credits.credit(tx, { ...order, usdAmount }),
  );
  return { bonus, back: () => transaction(app.db, (tx) => app.services.credits.reverse(tx, { key, at })) };
}

/** Creates a player with a percentage bonus that waits for a deposit. */
async function withPercentage(terms: Parameters<typeof percentageFor>[1] = {}) {
  const player = await app.newPlayer();
  const id = (await on.issue(percentageFor(player, terms)))!;
  return { player, id };
}

const setDone = (id: bigint) =>
  app.db.updateTable('promo_grants').set({ wager_required: 0n, is_due: true }).where('id', '=', id).execute();

describe('a percentage bonus', () => {
  test('starts a percentage bonus with the next deposit, and counts bets towards its wagering requirement', async () => {
    const { player, id } = await withPercentage();
    expect(await on.row(id)).toMatchObject({ status: 'PENDING', granted_amount: 0n });
    const waits = { status: 'PENDING', bonusBalance: '0', progressPercent: 0 };
    expect(await on.announced(player)).toMatchObject([waits]);
    await deposit(player, '100');
    expect(await depositsOf(player)).toMatchObject([
      { status: 'COMPLETED', amount: '100', depositBonus: '50' },
    ]);
    expect(await on.moneyOf(player)).toEqual({ cash: '100', bonus: '50', vault: '0' });
    expect(await on.row(id)).toMatchObject({ status: 'ACTIVE', wager_required: units('500') });
    // A second deposit adds no bonus.
    expect((await credit(player, '7', 'EUR')).bonus).toBeUndefined();
    for (let i = 0; i < 9; i++) await lose(app, player, '10');
    await lose(app, player, '7');
    await win(app, player, '10');
    expect(await on.moneyOf(player)).toMatchObject({ cash: '7.5', bonus: '60.5' });
    const { wager_done } = await on.row(id);
    expect(formatUnits(wager_done)).toBe('107');
  });

  test('requires the deposit to be wagered too if the bonus is configured that way', async () => {
    const { player, id } = await withPercentage({ wagerBase: 'DEPOSIT_AND_BONUS' });
    await deposit(player, '100');
    expect(await on.row(id)).toMatchObject({ granted_amount: units('50'), wager_required: units('1500') });
  });

  test('caps a percentage bonus in the currency and decimals of the deposit', async () => {
    const { player, id } = await withPercentage();
    const { rate } = app.services.currencies.rateOf('EUR');
    // The maximum of 100 USDT, converted to euros, applies.
    const most =
      ((units('100') * app.services.currencies.rateOf('USDT').rate) / rate / 1_000_000n) * 1_000_000n;
    const { bonus } = await credit(player, '1000', 'EUR');
    expect(bonus).toBe(most);
    expect(await on.row(id)).toMatchObject({ status: 'ACTIVE', currency_id: 'EUR', granted_amount: most });
    expect(await on.moneyOf(player, 'EUR')).toMatchObject({ bonus: formatUnits(most) });
  });

  test('keeps a percentage bonus pending if its amount would be rounded down to 0', async () => {
    const { player, id } = await withPercentage();
    expect((await credit(player, '0.01', 'EUR')).bonus).toBeUndefined();
    expect(await on.row(id)).toMatchObject({ status: 'PENDING', currency_id: 'USDT' });
    expect((await credit(player, '0.02', 'EUR')).bonus).toBe(units('0.01'));
  });

  test('queues a percentage bonus with its amount behind an active bonus', async () => {
    const { player, id } = await withPercentage();
    const active = (await on.issue(bonusFor(player)))!;
    await deposit(player, '20');
    expect(await depositsOf(player)).toMatchObject([{ depositBonus: '10' }]);
    expect(await on.row(id)).toMatchObject({ status: 'PENDING', granted_amount: units('10') });
    expect(await on.moneyOf(player)).toMatchObject({ bonus: '50' });
    await on.end(active);
    expect(await on.moneyOf(player)).toMatchObject({ bonus: '10' });
  });

  test('uses percentage bonuses in the order in which they were issued', async () => {
    const { player, id } = await withPercentage();
    const second = (await on.issue(percentageFor(player)))!;
    await deposit(player, '20');
    expect(await on.row(id)).toMatchObject({ status: 'ACTIVE' });
    expect(await on.row(second)).toMatchObject({ status: 'PENDING', granted_amount: 0n });
  });

  test('expires a percentage bonus if no deposit is made in time', async () => {
    const { player, id } = await withPercentage();
    const { waits_until, created_at } = await on.row(id);
    expect(waits_until!.getTime() - created_at.getTime()).toBe(72 * 3_600_000);
    await on.set(id, { waits_until: new Date(0) });
    await deposit(player, '20');
    expect(await on.row(id)).toMatchObject({ status: 'PENDING' });
    await app.services.grants.settleDue();
    expect(await on.row(id)).toMatchObject({ status: 'EXPIRED', close_reason: 'NO_DEPOSIT' });
    expect(await on.moneyOf(player)).toMatchObject({ bonus: '0' });
    expect(await on.notified(player)).toContain('promo.lapsed');
  });

  test('starts only one bonus when deposits arrive while another bonus ends', async () => {
    const { player, id } = await withPercentage();
    const ended = on.end(id).then(() => 'ended');
    await Promise.all(Array.from({ length: 10 }, () => credit(player, '20', 'USDT')));
    await ended;
    expect(await on.row(id)).toMatchObject({ status: 'FORFEITED' });
    expect(await on.moneyOf(player)).toMatchObject({ cash: '200', bonus: '0' });
  });
});

describe('a reversed deposit', () => {
  test('cancels the bonus of a reversed deposit, and starts the next bonus', async () => {
    const { player, id } = await withPercentage();
    const takeBack = await deposit(player, '100');
    const next = (await on.issue(bonusFor(player)))!;
    await takeBack();
    expect(await on.row(id)).toMatchObject({ status: 'CANCELLED', close_reason: 'DEPOSIT_REVERSED' });
    expect(await on.row(next)).toMatchObject({ status: 'ACTIVE' });
    expect(await on.moneyOf(player)).toEqual({ cash: '0', bonus: '50', vault: '0' });
    expect(await depositsOf(player)).toMatchObject([{ status: 'REVERSED', depositBonus: null }]);
  });

  test('cancels a pending bonus of a reversed deposit', async () => {
    const { player, id } = await withPercentage();
    await on.issue(bonusFor(player));
    const takeBack = await deposit(player, '100');
    await takeBack();
    expect(await on.row(id)).toMatchObject({ status: 'CANCELLED', converted: 0n, forfeited: 0n });
    expect(await on.moneyOf(player)).toMatchObject({ bonus: '50' });
  });

  test('debits converted money from cash, then from the vault, and records the rest as a claim', async () => {
    const { player, id } = await withPercentage();
    const takeBack = await deposit(player, '100');
    await setDone(id);
    await on.settle(id);
    expect(await on.moneyOf(player)).toMatchObject({ cash: '150', bonus: '0' });
    const body = { currencyId: 'USDT', amount: '20' };
    expect((await player.call('POST', '/accounting/to-vault', { body })).status).toBe(201);
    await lose(app, player, '30');
    await takeBack();
    expect(await on.state(id)).toEqual({
      status: 'CANCELLED',
      balance: '0',
      converted: '0',
      forfeited: '50',
    });
    expect(await on.moneyOf(player)).toEqual({ cash: '0', bonus: '0', vault: '0' });
    expect((await openClaimsOf(app.db, player.id)).get('USDT')).toBe(units('30'));
    const hours = await app.db
      .selectFrom('money_hours')
      .selectAll()
      .where('user_id', '=', player.id)
      .execute();
    const given = (kind: string) => hours.filter((hour) => hour.kind === kind);
    expect(given('promo.conversion')).toMatchObject([{ count: 1, amount: units('50') }]);
    expect(given('promo.conversion.back')).toMatchObject([{ count: 1, amount: units('50') }]);
  });

  test('does not change a forfeited bonus when its deposit is reversed', async () => {
    const { player, id } = await withPercentage();
    const takeBack = await deposit(player, '100');
    await on.end(id);
    await takeBack();
    expect(await on.row(id)).toMatchObject({ status: 'FORFEITED', close_reason: 'PLAYER' });
  });

  test('cancels a bonus only once when cancellations and settlements run concurrently', async () => {
    const { player, id } = await withPercentage();
    const { back } = await credit(player, '100', 'USDT');
    await setDone(id);
    await Promise.all([
      ...Array.from({ length: 5 }, back),
      ...Array.from({ length: 5 }, () => on.settle(id)),
    ]);
    expect(await on.state(id)).toMatchObject({ status: 'CANCELLED', balance: '0', converted: '0' });
    expect(await on.moneyOf(player)).toEqual({ cash: '0', bonus: '0', vault: '0' });
    expect((await openClaimsOf(app.db, player.id)).size).toBe(0);
  });
});

describe('while a bonus is active', () => {
  const moved = (player: Player, way: 'to-vault' | 'from-vault', currencyId = 'USDT') =>
    player.call('POST', `/accounting/${way}`, { body: { currencyId, amount: '1' } });
  const eligibility = async (player: Player, currencyId: string) =>
    (await player.call('GET', `/payments/withdraw/eligibility?currencyId=${currencyId}`)).body;

  test('blocks withdrawals and vault transfers in the currency of the bonus until it is forfeited', async () => {
    const player = await app.newPlayer({ usdt: 60 });
    expect((await moved(player, 'to-vault')).status).toBe(201);
    const id = (await on.issue(bonusFor(player)))!;
    const refusal = {
      status: 403,
      body: { code: 'ROLLOVER_OPEN', details: { grantId: String(id), wagerRemaining: '500' } },
    };
    expect(await moved(player, 'to-vault')).toMatchObject(refusal);
    expect(await withdraw(player)).toMatchObject(refusal);
    expect((await moved(player, 'from-vault')).status).toBe(201);
    expect(await eligibility(player, 'USDT')).toMatchObject({
      canWithdraw: false,
      available: '60',
      lockedByRollover: '60',
      reasons: ['ROLLOVER_OPEN'],
    });
    expect((await eligibility(player, 'BTC')).reasons).not.toContain('ROLLOVER_OPEN');
    await on.end(id);
    expect((await moved(player, 'to-vault')).status).toBe(201);
    expect((await withdraw(player)).status).toBe(201);
  });

  test('reports the amount that remains to be wagered after bets', async () => {
    const player = await app.newPlayer({ usdt: 60 });
    const id = (await on.issue(bonusFor(player)))!;
    await lose(app, player, '1.5');
    const openIn = (currencyId: string) => app.services.grants.openIn(app.db, player.id, currencyId);
    expect(await openIn('USDT')).toEqual({
      grantId: String(id),
      wagerRemaining: '498.5',
      currencyId: 'USDT',
    });
    expect(await openIn('BTC')).toBeUndefined();
    await on.set(id, { wager_done: units('501') });
    expect(await openIn('USDT')).toMatchObject({ wagerRemaining: '0' });
    await on.set(id, { wager_done: units('1.5') });
  });
});

describe('a player who may not play', () => {
  test('removes all bonuses of a banned player, but no cash', async () => {
    const player = await app.newPlayer({ usdt: 5 });
    const ids = [(await on.issue(bonusFor(player)))!, (await on.issue(bonusFor(player)))!];
    const body = { banReason: 'x' };
    expect((await boss.call('PATCH', `/admin/user/${player.id}/ban`, { body })).status).toBeLessThan(300);
    for (const id of ids)
      expect(await on.row(id)).toMatchObject({ status: 'FORFEITED', close_reason: 'BANNED' });
    expect(await on.moneyOf(player)).toEqual({ cash: '5', bonus: '0', vault: '0' });
    expect(await on.hasGrant(player)).toBe(false);
  });

  test.each(['by the player', 'by staff'])('removes all bonuses of an excluded player %s', async (by) => {
    const player = await app.newPlayer({ usdt: 5 });
    const id = (await on.issue(bonusFor(player)))!;
    const waits = (await on.issue(percentageFor(player)))!;
    const excludeUntil = new Date(Date.now() + 86_400_000).toISOString();
    const answer =
      by === 'by staff'
        ? await boss.call('POST', '/admin/user-limits/user-exclusion', {
            body: { userId: player.id, excludeUntil },
          })
        : await player.call('POST', '/user-limits/self-exclusion', { body: { excludeUntil } });
    expect(answer.status, answer.text).toBeLessThan(300);
    for (const ended of [id, waits])
      expect(await on.row(ended)).toMatchObject({ status: 'FORFEITED', close_reason: 'EXCLUDED' });
    expect(await on.moneyOf(player)).toEqual({ cash: '5', bonus: '0', vault: '0' });
    expect(await on.notified(player)).not.toContain('promo.lost');
  });

  test('removes all bonuses of a player who is banned while bets are being placed', async () => {
    const player = await app.newPlayer();
    const id = (await on.issue(bonusFor(player)))!;
    const bets = Array.from({ length: 30 }, () => betOnDice(player, { betAmount: '1' }));
    const ban = boss.call('PATCH', `/admin/user/${player.id}/ban`, { body: { banReason: 'x' } });
    await Promise.all([...bets, ban]);
    expect(await on.row(id)).toMatchObject({ status: 'FORFEITED', bonus_balance: 0n });
    expect(await on.moneyOf(player)).toMatchObject({ bonus: '0' });
  });
});

test('does not deadlock when bets, deposits, reversals, grants and the job run concurrently', async () => {
  const player = await app.newPlayer({ usdt: 20 });
  const small = () =>
    on.issue(bonusFor(player, { amount: '5', wagerMultiplierE2: 200, maxWithdrawalMultiplierE2: 100 }));
  const ids: bigint[] = [];
  const issue = async () => void ids.push((await small())!);
  const giveUp = async () => {
    const id = ids.at(-1);
    if (id) await on.end(id).catch((error) => expect(error.code).toBe('PROMO_GRANT_CLOSED'));
  };
  const bet = async (i: number) => {
    const process = i % 2 === 0 ? app : second;
    const body = { ...DICE, betAmount: '1.5' };
    const { status, body: answer } = await process.call('POST', '/casino/games/house/dice/bet', {
      token: player.token,
      body,
    });
    // On a slow machine, the response may be 503. Deadlocks are counted at the end.
    const isExpected = status === 201 || status === 503 || answer.code === 'INSUFFICIENT_BALANCE';
    expect(isExpected, JSON.stringify(answer)).toBe(true);
  };
  const come = async () => {
    await on.issue(percentageFor(player));
    const { back } = await credit(player, '4', 'USDT');
    await back();
  };
  const work = [
    ...Array.from({ length: 80 }, (_, i) => () => bet(i)),
    ...Array.from({ length: 12 }, () => issue),
    ...Array.from({ length: 6 }, () => giveUp),
    ...Array.from({ length: 6 }, () => come),
    ...Array.from({ length: 6 }, () => second.services.grants.settleDue),
  ].sort(() => Math.random() - 0.5);
  await Promise.all(work.map((one) => one()));
  await app.services.grants.settleDue();
  const open = await app.db
    .selectFrom('promo_grants')
    .select(['status', 'bonus_balance', 'is_due'])
    .where('user_id', '=', player.id)
    .where((eb) =>
      eb.or([eb('bonus_balance', '>', 0n), eb('status', '=', 'ACTIVE'), eb('is_due', '=', true)]),
    )
    .execute();
  expect(open.length).toBeLessThanOrEqual(1);
  for (const grant of open) expect(grant).toMatchObject({ status: 'ACTIVE', is_due: false });
  // A transaction that deadlocks is retried, so a deadlock is visible only in the statistics.
  const { rows } = await app.sql<{ deadlocks: bigint }>`
    select deadlocks from pg_stat_database where datname = current_database()`.execute(app.db);
  expect(rows).toEqual([{ deadlocks: 0n }]);
});
