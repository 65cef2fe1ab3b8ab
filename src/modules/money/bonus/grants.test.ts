import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { PATIENCE, startApp } from '../../../../test/kit/app.ts';
import { fixture } from '../../../../test/kit/fixture.ts';
import { bonusFor, grantsOf } from '../../../../test/kit/money/grants.ts';
import { reconcile } from '../../../app/commands/reconcile.ts';
import { transaction } from '../../../platform/database/db.ts';
import { units } from '../../../platform/money.ts';

// These bets exist only as bonus bets, without ledger entries. At the end, all invariants are checked except those about bonus money in
// bets.
const app = fixture(() => startApp({ env: PATIENCE, reconcileOnStop: false }));
let on: ReturnType<typeof grantsOf>;
beforeAll(() => {
  on = grantsOf(app);
});

afterAll(async () => {
  const { findings } = await reconcile(app.db, { seedSecret: app.config.SEED_SECRET });
  const problems = findings.filter(({ problem }) => !problem.startsWith("a bet's bonus money"));
  expect(problems).toEqual([]);
});

let bets = 1_000_000_000_000_000n;
const newBet = () => ++bets;

/** Creates a player with an active bonus of 50 USDT. */
async function withBonus(terms: Parameters<typeof bonusFor>[1] = {}) {
  const player = await app.newPlayer();
  const id = (await on.issue(bonusFor(player, terms)))!;
  return { player, id };
}

/** Returns the visible fields of an ended grant. */
const over = (status: string, { converted = '0', forfeited = '0' }) => ({
  status,
  balance: '0',
  converted,
  forfeited,
});

/** Completes the wagering with one bet that stakes 10 of bonus money and pays out the given amount. */
async function wager(id: bigint, paid: string, counted = '500') {
  const bet = newBet();
  await on.stake(id, bet, '10');
  await on.finish(id, bet, { paid, counted });
  await on.settle(id);
}

describe('the start of a bonus', () => {
  test('starts a bonus immediately with its wagering requirement, and only once per source', async () => {
    const player = await app.newPlayer();
    const grant = bonusFor(player, { validityHours: 48 });
    const id = (await on.issue(grant))!;
    expect(await on.issue(grant)).toBeUndefined();
    expect(await on.moneyOf(player)).toEqual({ cash: '0', bonus: '50', vault: '0' });
    const row = await on.row(id);
    expect(row).toMatchObject({
      status: 'ACTIVE',
      wager_required: units('500'),
      wager_done: 0n,
      to_start: 0n,
    });
    expect(row.expires_at!.getTime() - row.activated_at!.getTime()).toBe(48 * 3_600_000);
    expect(await on.entries(id)).toEqual([`promo:${id}:start:1`]);
    expect(await on.hasGrant(player)).toBe(true);
    expect(await on.notified(player)).toEqual(['promo.started']);
    expect(await on.announced(player)).toEqual([
      {
        grantId: String(id),
        status: 'ACTIVE',
        currencyId: 'USDT',
        bonusBalance: '50',
        wagerRequired: '500',
        wagerDone: '0',
        progressPercent: 0,
      },
    ]);
  });

  test('starts the next issued bonus when the previous bonus in the currency ends', async () => {
    const { player, id: first } = await withBonus();
    const [second, third] = [(await on.issue(bonusFor(player)))!, (await on.issue(bonusFor(player)))!];
    const other = (await on.issue(bonusFor(player, { currencyId: 'BTC', amount: '0.001' })))!;
    const statuses = async () =>
      Promise.all([first, second, third, other].map(async (id) => (await on.row(id)).status));
    expect(await statuses()).toEqual(['ACTIVE', 'PENDING', 'PENDING', 'ACTIVE']);
    expect(await on.moneyOf(player)).toMatchObject({ bonus: '50' });
    await on.end(first);
    expect(await statuses()).toEqual(['FORFEITED', 'ACTIVE', 'PENDING', 'ACTIVE']);
    expect(await on.moneyOf(player)).toMatchObject({ bonus: '50' });
    await on.end(third);
    await on.end(second);
    expect(await statuses()).toEqual(['FORFEITED', 'FORFEITED', 'FORFEITED', 'ACTIVE']);
    expect(await on.moneyOf(player)).toMatchObject({ bonus: '0' });
    expect(await on.hasGrant(player)).toBe(true);
    await on.end(other);
    expect(await on.hasGrant(player)).toBe(false);
  });

  test('converts a bonus without a wagering requirement immediately, and then the next bonus too', async () => {
    const { player, id: first } = await withBonus();
    const free = (await on.issue(bonusFor(player, { wagerMultiplierE2: 0 })))!;
    const last = (await on.issue(bonusFor(player)))!;
    await on.end(first);
    expect(await on.state(free)).toEqual(over('COMPLETED', { converted: '50' }));
    expect(await on.moneyOf(player)).toMatchObject({ cash: '50', bonus: '50' });
    expect(await on.row(last)).toMatchObject({ status: 'ACTIVE' });
  });

  test('pays cash immediately, and adds a multiple of its value in US dollars to the turnover', async () => {
    const player = await app.newPlayer();
    const grant = bonusFor(player, { wagerMultiplierE2: 300 });
    const reward = { kind: 'CASH' as const, currencyId: 'USDT', amount: units('5'), usdAmount: units('4.5') };
    const id = (await on.issue({ ...grant, reward }))!;
    expect(await on.issue({ ...grant, reward })).toBeUndefined();
    expect(await on.row(id)).toMatchObject({ status: 'COMPLETED', kind: 'CASH' });
    expect(await on.moneyOf(player)).toMatchObject({ cash: '5', bonus: '0' });
    expect(await app.services.rollover.remaining(app.db, player.id)).toBe(units('13.5'));
    expect(await on.hasGrant(player)).toBe(false);
  });
});

describe('the end of a bonus', () => {
  test('converts the balance to cash when the bonus is completed, and adds it to the hourly total', async () => {
    const { player, id } = await withBonus();
    await wager(id, '15');
    expect(await on.state(id)).toEqual(over('COMPLETED', { converted: '55' }));
    expect(await on.moneyOf(player)).toEqual({ cash: '55', bonus: '0', vault: '0' });
    const hours = await app.db
      .selectFrom('money_hours')
      .selectAll()
      .where('user_id', '=', player.id)
      .execute();
    expect(hours).toMatchObject([{ kind: 'promo.conversion', count: 1, amount: units('55') }]);
    expect(await on.notified(player)).toEqual(['promo.started', 'promo.completed']);
    expect((await on.announced(player)).at(-1)).toMatchObject({ status: 'COMPLETED', progressPercent: 100 });
    expect(await on.row(id)).toMatchObject({ close_reason: 'WAGERED' });
    expect(await on.hasGrant(player)).toBe(false);
    // A repeated call has no effect.
    await on.settle(id);
    expect(await on.moneyOf(player)).toMatchObject({ cash: '55' });
  });

  test('forfeits the balance above the cap when the bonus is completed', async () => {
    const { player, id } = await withBonus({ maxWithdrawalMultiplierE2: 150 });
    await wager(id, '60');
    expect(await on.state(id)).toEqual(over('COMPLETED', { converted: '75', forfeited: '25' }));
    expect(await on.moneyOf(player)).toMatchObject({ cash: '75', bonus: '0' });
  });

  test('forfeits an amount below the smallest unit of the currency', async () => {
    const { player, id } = await withBonus();
    await wager(id, '0.00000123');
    expect(await on.state(id)).toMatchObject({ converted: '40.000001', forfeited: '0.00000023' });
    expect(await on.moneyOf(player)).toMatchObject({ cash: '40.000001', bonus: '0' });
  });

  test('completes a bonus whose balance is zero', async () => {
    const { player, id } = await withBonus();
    const bet = newBet();
    await on.stake(id, bet, '50');
    await on.finish(id, bet, { counted: '500' });
    await on.settle(id);
    expect(await on.state(id)).toMatchObject({ status: 'COMPLETED', converted: '0', forfeited: '0' });
    expect(await on.moneyOf(player)).toMatchObject({ cash: '0', bonus: '0' });
  });

  test('marks a bonus as LOST once the balance is zero and no bonus bet is open', async () => {
    const { player, id } = await withBonus();
    const [lost, open] = [newBet(), newBet()];
    await on.stake(id, lost, '30');
    await on.stake(id, open, '20');
    await on.finish(id, lost, { counted: '30' });
    // Simulates a bet that marked the grant too early.
    await on.set(id, { is_due: true });
    await on.settle(id);
    expect(await on.row(id)).toMatchObject({ status: 'ACTIVE', is_due: false });
    await on.finish(id, open, { counted: '20' });
    await on.settle(id);
    expect(await on.row(id)).toMatchObject({ status: 'LOST', close_reason: 'NOTHING_LEFT', is_due: false });
    expect(await on.notified(player)).toEqual(['promo.started', 'promo.lost']);
    expect(await on.hasGrant(player)).toBe(false);
  });

  test('returns the bonus balance to the promo account when the bonus is forfeited, keeps cash, and forfeits payouts of open bets', async () => {
    const { player, id } = await withBonus();
    const bet = newBet();
    await on.stake(id, bet, '20');
    await on.end(id, { status: 'FORFEITED', reason: 'PLAYER', userId: player.id });
    expect(await on.state(id)).toEqual(over('FORFEITED', { forfeited: '30' }));
    // The bet is still open, so the player still counts as having a grant.
    expect(await on.hasGrant(player)).toBe(true);
    await on.finish(id, bet, { paid: '40' });
    await on.settle(id);
    expect(await on.state(id)).toEqual(over('FORFEITED', { forfeited: '70' }));
    expect(await on.moneyOf(player)).toEqual({ cash: '0', bonus: '0', vault: '0' });
    expect(await on.hasGrant(player)).toBe(false);
  });

  test('returns 409 when a grant is ended twice, and 404 for unknown grants and those of other players', async () => {
    const { player, id } = await withBonus();
    const ending = { status: 'CANCELLED', reason: 'STAFF' } as const;
    const stranger = on.end(id, { ...ending, userId: player.id + 1 });
    await expect(stranger).rejects.toMatchObject({ code: 'PROMO_GRANT_NOT_FOUND', status: 404 });
    await expect(on.end(-1n, ending)).rejects.toMatchObject({ code: 'PROMO_GRANT_NOT_FOUND' });
    await on.end(id, ending);
    expect(await on.row(id)).toMatchObject({ status: 'CANCELLED', close_reason: 'STAFF' });
    await expect(on.end(id, ending)).rejects.toMatchObject({
      code: 'PROMO_GRANT_CLOSED',
      details: { status: 'CANCELLED' },
    });
  });

  test('settles pending bets first when a bonus is forfeited', async () => {
    const { player, id } = await withBonus();
    const bet = newBet();
    await on.stake(id, bet, '10');
    await on.finish(id, bet, { paid: '15', counted: '500' });
    await expect(on.end(id)).rejects.toMatchObject({ code: 'PROMO_GRANT_CLOSED' });
    await transaction(app.db, (tx) => app.services.grants.endAll(tx, player.id, 'BANNED'));
    expect(await on.state(id)).toMatchObject({ status: 'COMPLETED', converted: '55' });
  });

  test('ends all bonuses of a player without starting another one', async () => {
    const { player, id } = await withBonus();
    const waits = (await on.issue(bonusFor(player)))!;
    const other = (await on.issue(bonusFor(player, { currencyId: 'BTC', amount: '0.001' })))!;
    await transaction(app.db, (tx) => app.services.grants.endAll(tx, player.id, 'EXCLUDED'));
    for (const ended of [id, waits, other])
      expect(await on.row(ended)).toMatchObject({ status: 'FORFEITED', close_reason: 'EXCLUDED' });
    expect((await on.row(waits)).activated_at).toBeNull();
    expect(await on.moneyOf(player)).toMatchObject({ bonus: '0' });
    expect(await on.hasGrant(player)).toBe(false);
  });
});

describe('bets that end after their grant', () => {
  test('pays bets that settle after their grant was completed, earliest first, up to its cap, and forfeits the rest', async () => {
    const { player, id } = await withBonus({ maxWithdrawalMultiplierE2: 100 });
    const [first, second, third] = [newBet(), newBet(), newBet()];
    for (const bet of [first, second]) await on.stake(id, bet, '5');
    await on.stake(id, third, '5');
    await wager(id, '5');
    expect(await on.state(id)).toMatchObject({ status: 'COMPLETED', converted: '30', forfeited: '0' });
    await on.finish(id, first, { paid: '12' });
    await on.finish(id, second, { paid: '10' });
    await on.settle(id);
    await on.finish(id, third, { paid: '3' });
    await on.settle(id);
    expect(await on.state(id)).toEqual(over('COMPLETED', { converted: '50', forfeited: '5' }));
    expect(await on.moneyOf(player)).toMatchObject({ cash: '50', bonus: '0' });
    const lost = await app.db
      .selectFrom('bonus_bets')
      .select(['bonus_lost', 'bonus_passed'])
      .where('bet_id', 'in', [first, second, third])
      .orderBy('bet_id')
      .execute();
    expect(lost).toEqual([
      { bonus_lost: 0n, bonus_passed: units('12') },
      { bonus_lost: units('2'), bonus_passed: units('10') },
      { bonus_lost: units('3'), bonus_passed: units('3') },
    ]);
  });

  test('settles only the payouts made after the grant ended', async () => {
    const { id } = await withBonus();
    const round = newBet();
    await on.stake(id, round, '20');
    await on.pay(id, round, '8');
    await on.end(id);
    expect(await on.state(id)).toMatchObject({ forfeited: '38' });
    await on.finish(id, round, { paid: '4' });
    await on.settle(id);
    expect(await on.state(id)).toMatchObject({ forfeited: '42' });
    const bet = await app.db
      .selectFrom('bonus_bets')
      .selectAll()
      .where('bet_id', '=', round)
      .executeTakeFirstOrThrow();
    expect(bet).toMatchObject({ bonus_paid: units('12'), bonus_lost: units('4') });
  });
});

describe('the job', () => {
  test('ends expired grants, but not while open bets contain money from the grant', async () => {
    const { player, id } = await withBonus();
    const bet = newBet();
    await on.stake(id, bet, '10');
    await on.set(id, { expires_at: new Date(0) });
    await app.services.grants.settleDue();
    expect(await on.row(id)).toMatchObject({ status: 'ACTIVE' });
    await on.finish(id, bet, { paid: '20', counted: '10' });
    await app.services.grants.settleDue();
    expect(await on.row(id)).toMatchObject({ status: 'EXPIRED', close_reason: 'NOT_WAGERED_IN_TIME' });
    expect(await on.moneyOf(player)).toMatchObject({ cash: '0', bonus: '0' });
    expect(await on.notified(player)).toEqual(['promo.started', 'promo.expired']);
  });

  test('ends grants that have been pending too long, and starts the next grant', async () => {
    const { player, id } = await withBonus();
    const [late, next] = [(await on.issue(bonusFor(player)))!, (await on.issue(bonusFor(player)))!];
    await on.set(late, { waits_until: new Date(0) });
    await on.end(id);
    expect(await on.row(late)).toMatchObject({ status: 'PENDING' });
    expect(await on.row(next)).toMatchObject({ status: 'ACTIVE' });
    await app.services.grants.settleDue();
    expect(await on.row(late)).toMatchObject({ status: 'EXPIRED', close_reason: 'QUEUED_TOO_LONG' });
    expect(await on.moneyOf(player)).toMatchObject({ bonus: '50' });
    const { body } = await player.call('GET', '/notifications');
    expect(body[0].payload).toMatchObject({ code: 'promo.expired', grantId: String(late), amount: '50' });
  });

  test('settles the grants that a terminated process left unsettled', async () => {
    const { player, id } = await withBonus();
    const bet = newBet();
    await on.stake(id, bet, '10');
    await on.finish(id, bet, { paid: '15', counted: '500' });
    expect(await app.services.grants.isAnyDue()).toBe(true);
    await app.services.grants.settleDue();
    expect(await app.services.grants.isAnyDue()).toBe(false);
    expect(await on.moneyOf(player)).toMatchObject({ cash: '55' });
  });
});

/** Records the progress of the grants, as bets do. */
async function note(...ids: bigint[]): Promise<void> {
  const rows = await Promise.all(ids.map((id) => on.row(id)));
  const moved = rows.map((row) => ({
    id: row.id,
    wagerRequired: row.wager_required,
    wagerDone: row.wager_done,
  }));
  app.services.grants.noteProgress(moved);
}

test('emits progress events in batches at regular intervals', async () => {
  const { player, id } = await withBonus();
  const { player: other, id: second } = await withBonus();
  const bet = newBet();
  await on.stake(id, bet, '10');
  await on.finish(id, bet, { paid: '12', counted: '107' });
  for (let i = 0; i < 5; i++) await note(id, second);
  await expect.poll(async () => (await on.announced(other)).length).toBe(2);
  const seen = await on.announced(player);
  expect(seen).toHaveLength(2);
  expect(seen[1]).toMatchObject({
    status: 'ACTIVE',
    bonusBalance: '52',
    wagerDone: '107',
    progressPercent: 21.4,
  });
  // A change below one percent emits no event.
  const more = newBet();
  await on.stake(id, more, '1');
  await on.finish(id, more, { paid: '0', counted: '2' });
  const { player: third, id: last } = await withBonus();
  await note(id, last);
  await expect.poll(async () => (await on.announced(third)).length).toBe(2);
  expect(await on.announced(player)).toHaveLength(2);
});

describe('concurrent calls', () => {
  test('pays only once when 200 concurrent calls settle a grant', async () => {
    const { player, id } = await withBonus();
    const bet = newBet();
    await on.stake(id, bet, '10');
    await on.finish(id, bet, { paid: '15', counted: '500' });
    await Promise.all(Array.from({ length: 200 }, () => on.settle(id)));
    expect(await on.moneyOf(player)).toEqual({ cash: '55', bonus: '0', vault: '0' });
    expect(await on.entries(id)).toEqual([`promo:${id}:start:1`, `promo:${id}:conversion`]);
  });

  test('leaves one active grant and correct balances when grants are issued and ended concurrently', async () => {
    const player = await app.newPlayer();
    const first = (await on.issue(bonusFor(player)))!;
    const ends = Array.from({ length: 10 }, () =>
      on.end(first).then(
        () => 'ended',
        (e) => e.code,
      ),
    );
    const issued = Array.from({ length: 10 }, () => on.issue(bonusFor(player)));
    const outcomes = await Promise.all(ends);
    const ids = await Promise.all(issued);
    expect(outcomes.filter((outcome) => outcome === 'ended')).toHaveLength(1);
    expect(new Set(outcomes)).toEqual(new Set(['ended', 'PROMO_GRANT_CLOSED']));
    const statuses = await Promise.all(ids.map(async (id) => (await on.row(id!)).status));
    expect(statuses.filter((status) => status === 'ACTIVE')).toHaveLength(1);
    expect(await on.moneyOf(player)).toMatchObject({ bonus: '50' });
  });
});

test('detects during reconciliation a grant with a wrong balance, converted amount or status', async () => {
  const broken = await startApp({ reconcileOnStop: false });
  try {
    const there = grantsOf(broken);
    const id = (await there.issue(bonusFor(await broken.newPlayer())))!;
    const problems = async () => {
      const { findings } = await reconcile(broken.db, { seedSecret: broken.config.SEED_SECRET });
      return findings.map(({ invariant, problem }) => `${invariant} ${problem}`);
    };
    expect(await problems()).toEqual([]);
    await there.set(id, { bonus_balance: units('49') });
    const isOther = 'N10 the parts of a grant do not add up to its amount';
    const isMore = "N10 a player's bonus balance is not the sum of their grants";
    expect(await problems()).toEqual([isMore, isOther]);
    await there.set(id, { forfeited: units('1') });
    expect(await problems()).toEqual([isMore]);
    await there.set(id, { bonus_balance: units('50'), forfeited: -units('1'), converted: units('1') });
    expect(await problems()).toEqual(['N10 converted bonus money does not match the ledger']);
  } finally {
    await broken.stop();
  }
});
