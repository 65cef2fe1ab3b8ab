/** Rounds that players leave and do not resume. */
import { sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import { cashOf, type Player, startApp } from '../../../../test/kit/app.ts';
import { fixture } from '../../../../test/kit/fixture.ts';

const app = fixture(startApp);

const HOUSE = '/casino/games/house';
const BET = { currencyId: 'USDT', betAmount: '10' };
const mines = (player: Player) =>
  player.call('POST', `${HOUSE}/mines/play`, { body: { ...BET, gridCellsCount: 64, bombsCount: 1 } });
const monkey = (player: Player) =>
  player.call('POST', `${HOUSE}/monkey-run/bet`, { body: { ...BET, difficulty: 'EASY' } });
const blackjack = (player: Player, deck: number[], more = {}) =>
  player.call('POST', `${HOUSE}/blackjack/initDebug`, { body: { ...BET, ...more, deck } });

/** Changes the time of the round's last action, so that the round appears idle for this long. */
const leave = ({ id }: Player, hours: number) =>
  sql`update rounds set acted_at = now() - ${hours} * interval '1 hour' where user_id = ${id}`.execute(
    app.db,
  );
const betOf = async ({ id }: Player) => {
  const { rows } = await sql<{
    status: string;
    payout: bigint;
    settled: boolean;
    reason: string | null;
    open: boolean;
  }>`
    select status, payout, settled_at is not null as settled, error_reason as reason,
      exists (select from rounds where bet_id = b.id) as open
    from bets b where user_id = ${id} order by id desc limit 1`.execute(app.db);
  return rows[0]!;
};
/** Starts new rounds until the first step of a round is safe. */
async function untilSafe(
  player: Player,
  begin: () => Promise<unknown>,
  step: () => Promise<boolean>,
): Promise<void> {
  for (let tries = 0; tries < 20; tries++) {
    await begin();
    if (await step()) return;
  }
  throw new Error(`${player.username} never had a safe step`);
}

describe('rounds without an action for 24 hours', () => {
  test('cashes out mines and monkey-run after a safe step', async () => {
    const [one, two] = [await app.newPlayer({ usdt: 1000 }), await app.newPlayer({ usdt: 1000 })];
    await untilSafe(
      one,
      () => mines(one),
      async () => {
        const { body } = await one.call('POST', `${HOUSE}/mines/open`, { body: { cellIndex: 5 } });
        return body.proceed !== undefined;
      },
    );
    let cashOut = '0';
    await untilSafe(
      two,
      () => monkey(two),
      async () => {
        const { body } = await two.call('POST', `${HOUSE}/monkey-run/play`, { body: { makeStep: 2 } });
        cashOut = body.cashOut;
        return !body.isFinished;
      },
    );
    const before = [Number(await cashOf(one)), Number(await cashOf(two))] as const;
    for (const player of [one, two]) await leave(player, 25);
    await app.services.abandoned.sweep();
    // With 64 cells, one bomb and one open cell, the multiplier is floor(9900 × 64 / 63) / 10,000.
    expect(Number(await cashOf(one))).toBeCloseTo(before[0] + 10.057, 6);
    expect(Number(await cashOf(two))).toBeCloseTo(before[1] + Number(cashOut), 6);
    for (const player of [one, two])
      expect(await betOf(player)).toMatchObject({ status: 'SETTLED', open: false });
    expect((await one.call('GET', `${HOUSE}/mines/board`)).body.code).toBe('ROUND_NOT_FOUND');
  });

  test('voids mines and monkey-run without a safe step and returns the stake', async () => {
    for (const begin of [mines, monkey]) {
      const player = await app.newPlayer({ usdt: 50 });
      await begin(player);
      expect(await cashOf(player)).toBe('40');
      await leave(player, 25);
      await app.services.abandoned.sweep();
      expect(await cashOf(player)).toBe('50');
      expect(await betOf(player)).toMatchObject({
        status: 'ROLLBACK',
        payout: 0n,
        settled: false,
        open: false,
      });
      expect((await player.call('POST', '/fairness/seeds/rotate', { body: {} })).status).toBe(201);
    }
  });

  test('does not count a returned stake towards any limit', async () => {
    const player = await app.newPlayer({ usdt: 50 });
    const limit = { type: 'WAGER', period: 'MONTH', amount: '10' };
    expect((await player.call('POST', '/user-limits/gambling-limits', { body: limit })).status).toBe(201);
    await mines(player);
    await leave(player, 25);
    await app.services.abandoned.sweep();
    expect((await monkey(player)).status).toBe(201);
    await leave(player, 25);
    await app.services.abandoned.sweep();
    expect((await blackjack(player, [10, 11, 9, 23])).status).toBe(201);
    expect((await mines(player)).body.code).toBe('LIMIT_REACHED');
  });

  test('stands on every open blackjack hand and declines insurance', async () => {
    const player = await app.newPlayer({ usdt: 50 });
    // The player has 19. The dealer has 20, an ace and a nine.
    await blackjack(player, [10, 9, 1, 22]);
    await leave(player, 25);
    await app.services.abandoned.sweep();
    expect(await cashOf(player)).toBe('40');
    expect(await betOf(player)).toMatchObject({ status: 'SETTLED', payout: 0n, open: false });
    // The player has 20, the dealer 19.
    await blackjack(player, [10, 11, 9, 23]);
    await leave(player, 25);
    await app.services.abandoned.sweep();
    expect(await cashOf(player)).toBe('50');
  });

  test('leaves a round open if the player acted in the meantime', async () => {
    const player = await app.newPlayer({ usdt: 50 });
    await blackjack(player, [2, 16, 5, 19, 28]);
    await leave(player, 23);
    await app.services.abandoned.sweep();
    expect(await betOf(player)).toMatchObject({ status: 'CREATED', open: true });
    await leave(player, 25);
    await player.call('POST', `${HOUSE}/blackjack/handleAction`, { body: { action: 'HIT' } });
    await app.services.abandoned.sweep();
    expect(await betOf(player)).toMatchObject({ status: 'CREATED', open: true });
  });

  test('ends a round only once when two sweeps and the player act concurrently', async () => {
    const second = await startApp({ database: app.database });
    for (let i = 0; i < 5; i++) {
      const player = await app.newPlayer({ usdt: 50 });
      await blackjack(player, [10, 11, 9, 23]);
      await leave(player, 25);
      const stand = () =>
        player.call('POST', `${HOUSE}/blackjack/handleAction`, { body: { action: 'STAND' } });
      await Promise.all([app.services.abandoned.sweep(), stand(), second.services.abandoned.sweep()]);
      expect(await cashOf(player)).toBe('60');
    }
    await second.stop();
  });
});

test('marks a round that cannot be ended as ERROR, and ends it on a later retry', async () => {
  const [broken, whole] = [await app.newPlayer({ usdt: 50 }), await app.newPlayer({ usdt: 50 })];
  for (const player of [broken, whole]) await mines(player);
  const state = (value: string) =>
    sql`update rounds set state = ${value}::json where user_id = ${broken.id}`.execute(app.db);
  await state('{"nonsense": true}');
  for (const player of [broken, whole]) await leave(player, 25);
  await app.services.abandoned.sweep();
  expect(await betOf(broken)).toMatchObject({ status: 'ERROR', open: true, reason: expect.any(String) });
  expect(await betOf(whole)).toMatchObject({ status: 'ROLLBACK' });
  expect(await app.services.abandoned.retry()).toBe(0);
  await state('{"gridCellsCount": 64, "bombsCount": 1, "opened": []}');
  expect(await app.services.abandoned.retry()).toBe(1);
  expect(await betOf(broken)).toMatchObject({ status: 'ROLLBACK', reason: null, open: false });
  expect(await cashOf(broken)).toBe('50');
});

describe('POST /admin/bet-queue/retry', () => {
  const retry = (staff: Player) => staff.call('POST', '/admin/bet-queue/retry');

  test('ends a failed round once, as soon as it can be ended, and writes an audit log entry', async () => {
    const staff = await app.as({ permissions: ['bet.write', 'audit.read'] });
    const player = await app.newPlayer({ usdt: 50 });
    await blackjack(player, [10, 11, 9, 23]);
    const { rows } = await sql<{
      state: object;
    }>`select state from rounds where user_id = ${player.id}`.execute(app.db);
    const state = (value: string) =>
      sql`update rounds set state = ${value}::json where user_id = ${player.id}`.execute(app.db);
    await state('{}');
    await leave(player, 25);
    await app.services.abandoned.sweep();
    expect(await betOf(player)).toMatchObject({ status: 'ERROR' });
    expect((await retry(staff)).status).toBe(201);
    expect(await betOf(player)).toMatchObject({ status: 'ERROR', reason: expect.any(String) });
    await state(JSON.stringify(rows[0]!.state));
    const answers = await Promise.all([retry(staff), retry(staff), retry(staff)]);
    expect(answers.map((a) => a.status)).toEqual([201, 201, 201]);
    expect(await betOf(player)).toMatchObject({ status: 'SETTLED', open: false, reason: null });
    expect(await cashOf(player)).toBe('60');
  });

  test('lets a player finish a round whose bet is in state ERROR', async () => {
    const player = await app.newPlayer({ usdt: 50 });
    await blackjack(player, [10, 11, 9, 23]);
    await sql`update bets set status = 'ERROR', error_reason = 'x' where user_id = ${player.id}`.execute(
      app.db,
    );
    await player.call('POST', `${HOUSE}/blackjack/handleAction`, { body: { action: 'STAND' } });
    expect(await betOf(player)).toMatchObject({ status: 'SETTLED', reason: null });
    expect(await cashOf(player)).toBe('60');
  });

  test('returns 401 without a session, and 403 for players and other staff', async () => {
    expect((await app.call('POST', '/admin/bet-queue/retry')).status).toBe(401);
    expect((await retry(await app.newPlayer())).status).toBe(403);
    expect((await retry(await app.as({ permissions: ['bet.read'] }))).status).toBe(403);
  });
});
