/** Provider bets with bonus money, for each state of the grant: which money stakes are taken from, and where payouts and rollbacks go. */
import fc from 'fast-check';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { startApp } from '../../../../../test/kit/app.ts';
import { fixture } from '../../../../../test/kit/fixture.ts';
import { consumeAll } from '../../../../../test/kit/games/bets.ts';
import { back, bet, HUB88, openLab, type Said, win } from '../../../../../test/kit/games/provider-wallet.ts';
import { isFull } from '../../../../../test/kit/length.ts';
import { grantBonus, moneyOf } from '../../../../../test/kit/money/bonus.ts';
import { grantsOf } from '../../../../../test/kit/money/grants.ts';
import { formatUnits, units } from '../../../../platform/money.ts';
import { rebuild } from '../../bets/consumers.ts';

// Reconcile runs when the app stops and checks every grant, bet and balance.
const app = fixture(startApp);
const second = fixture(() => startApp({ database: app.database }));
let lab: ReturnType<typeof openLab> | undefined;

type Terms = Partial<Parameters<typeof grantBonus>[2]>;
/** Creates a player with this much cash and 50 USDT of bonus money. The default wagering requirement is 500. */
async function seat(usdt: number, terms: Terms = {}) {
  lab ??= openLab(app, HUB88, { second });
  const { player, says, ...others } = await (await lab).seat(usdt);
  const grant = await grantBonus(app, player, { amount: '50', required: '500', ...terms });
  const state = async () => {
    const { cash, bonus, done, status } = await moneyOf(app, player, grant);
    return `${status} ${formatUnits(cash)} + ${formatUnits(bonus)}, ${formatUnits(done)} done`;
  };
  const owed = async () => {
    const { rows } = await sql<{ owed: bigint }>`
      select coalesce(sum(remaining), 0)::int8 as owed from claims where user_id = ${player.id}`.execute(
      app.db,
    );
    return formatUnits(rows[0]!.owed);
  };
  let round = 0;
  return {
    ...others,
    player,
    grant,
    state,
    owed,
    says: (said: Said | Said[], more = {}) => says([said].flat(), more),
    /** Plays a round of one bet that ends with this payout. */
    async play(id: string, stake: number, paid: number) {
      const at = { round: `${id}-${++round}` };
      await says([bet(`${id}-b`, stake)], at);
      return says([win(`${id}-w`, paid, `${id}-b`)], { ...at, closes: true });
    },
  };
}

let n = 0;
const names = () => `n${++n}`;

test('reports cash plus bonus money as the balance in games that count towards wagering', async () => {
  const { says, state, player, grant } = await seat(10);
  expect(await says([], { actions: [] })).toBe('OK 60');
  const id = names();
  expect(await says(bet(`${id}-1`, 20))).toBe('OK 40');
  expect(await state()).toBe('ACTIVE 0 + 40, 0 done');
  // Half of the stake was cash, so half of each payout is cash.
  expect(await says(win(`${id}-2`, 30, `${id}-1`))).toBe('OK 70');
  expect(await state()).toBe('ACTIVE 15 + 55, 0 done');
  expect(await says(bet(`${id}-3`, 71))).toBe('INSUFFICIENT_FUNDS 70');
  expect(await says([], { round: 'r1', closes: true, actions: [] })).toBe('OK 70');
  expect(await state()).toBe('ACTIVE 15 + 55, 20 done');
  const kept = await app.db
    .selectFrom('bonus_bets')
    .select(['bonus_staked', 'bonus_paid', 'counted'])
    .where('grant_id', '=', grant)
    .execute();
  expect(kept).toEqual([{ bonus_staked: units('10'), bonus_paid: units('15'), counted: units('20') }]);
  await grantsOf(app).end(grant);
  expect(await says([], { actions: [] })).toBe('OK 15');
  expect(await grantsOf(app).hasGrant(player)).toBe(false);
});

test('uses and reports only cash in a game that does not count towards wagering', async () => {
  const { says, state } = await seat(10, { games: { gameSlugs: ['dice'] } });
  expect(await says([], { actions: [] })).toBe('OK 10');
  const id = names();
  expect(await says(bet(`${id}-1`, 11))).toBe('INSUFFICIENT_FUNDS 10');
  expect(await says(bet(`${id}-2`, 10), { closes: true })).toBe('OK 0');
  expect(await state()).toBe('ACTIVE 0 + 50, 0 done');
});

test('applies the maximum bet to the first stake of a round, and records rejections in the grant', async () => {
  const { says, grant } = await seat(10, { maxBetUsd: '5' });
  const id = names();
  expect(await says(bet(`${id}-1`, 6))).toBe('LIMIT_EXCEEDED 60');
  expect(await says(bet(`${id}-1`, 6))).toBe('LIMIT_EXCEEDED 60');
  expect(await says(bet(`${id}-2`, 5))).toBe('OK 55');
  expect(await says(bet(`${id}-3`, 20))).toBe('OK 35');
  const { refused_bets } = await grantsOf(app).row(grant);
  expect(refused_bets).toBe(1);
});

test('completes the grant within its cap when the last required bet is wagered, before the response is sent', async () => {
  const { play, state } = await seat(10, { required: '30', maxWithdrawalMultiplierE2: 100 });
  const id = names();
  await play(id, 30, 90);
  // A third of the stake was cash, so 30 of the payout are cash. The bonus balance is then 90, but the cap limits the conversion to 50.
  expect(await state()).toBe('COMPLETED 80 + 0, 30 done');
});

test('ends a grant as lost when its bonus money is lost on provider games', async () => {
  const { play, state } = await seat(10);
  const id = names();
  expect(await play(id, 60, 0)).toBe('OK 0');
  expect(await state()).toBe('LOST 0 + 0, 60 done');
});

test('returns each part of a rolled-back bet to the balance from which it came, even after the round has ended', async () => {
  const { says, state } = await seat(10);
  const id = names();
  await says(bet(`${id}-1`, 20));
  await says(bet(`${id}-2`, 10));
  expect(await state()).toBe('ACTIVE 0 + 30, 0 done');
  expect(await says(back(`${id}-3`, `${id}-1`))).toBe('OK 50');
  expect(await state()).toBe('ACTIVE 10 + 40, 0 done');
  await says([], { closes: true, actions: [] });
  expect(await state()).toBe('ACTIVE 10 + 40, 10 done');
  expect(await says(back(`${id}-4`, `${id}-2`))).toBe('OK 60');
  expect(await state()).toBe('ACTIVE 10 + 50, 0 done');
  expect(await says(back(`${id}-4`, `${id}-2`))).toBe('OK 60');
});

test('debits a rolled-back win from an active grant, and writes off the part that the player has lost in the meantime', async () => {
  const { says, play, state, owed, grant } = await seat(10);
  const id = names();
  await says(bet(`${id}-1`, 20));
  await says(win(`${id}-2`, 30, `${id}-1`), { closes: true });
  expect(await state()).toBe('ACTIVE 15 + 55, 20 done');
  await play(names(), 60, 0);
  expect(await state()).toBe('ACTIVE 0 + 10, 80 done');
  // 15 of the win were bonus money, of which 10 are left. No open bet can return more, so the grant is lost.
  expect(await says(back(`${id}-3`, `${id}-2`))).toBe('OK 0');
  expect(await state()).toBe('LOST 0 + 0, 80 done');
  expect(await owed()).toBe('15');
  expect((await grantsOf(app).row(grant)).written_off).toBe(units('5'));
});

test('debits a rolled-back win from the converted money of a completed grant, or creates a debt', async () => {
  const { says, state, owed } = await seat(10, { required: '20' });
  const id = names();
  await says(bet(`${id}-1`, 20));
  expect(await says(win(`${id}-2`, 30, `${id}-1`), { closes: true })).toBe('OK 70');
  expect(await state()).toBe('COMPLETED 70 + 0, 20 done');
  expect(await says(back(`${id}-3`, `${id}-2`))).toBe('OK 55');
  // 15 of the win were cash, and 15 were converted bonus money.
  expect(await state()).toBe('COMPLETED 40 + 0, 20 done');
  expect(await owed()).toBe('0');
  const other = names();
  await says(bet(`${other}-1`, 40), { round: other, closes: true });
  expect(await state()).toBe('COMPLETED 0 + 0, 20 done');
});

test('converts the returned stake to cash when a bet of a completed grant is rolled back, and requires the missing turnover', async () => {
  const { says, state, player } = await seat(10, { required: '20' });
  const id = names();
  await says(bet(`${id}-1`, 20), { closes: true });
  expect(await state()).toBe('COMPLETED 40 + 0, 20 done');
  expect(await says(back(`${id}-2`, `${id}-1`))).toBe('OK 50');
  expect(await state()).toBe('COMPLETED 60 + 0, 0 done');
  const { required_usd } = await app.db
    .selectFrom('rollovers')
    .select('required_usd')
    .where('user_id', '=', player.id)
    .executeTakeFirstOrThrow();
  expect(required_usd).toBe(units('20'));
});

test('offsets a stake against a win of a completed grant when both are rolled back together', async () => {
  const { says, state, owed } = await seat(10, { required: '20' });
  const id = names();
  await says(bet(`${id}-1`, 20));
  await says(win(`${id}-2`, 30, `${id}-1`), { closes: true });
  const both = [back(`${id}-3`, `${id}-2`), back(`${id}-4`, `${id}-1`)];
  expect(await says(both)).toMatch(/^OK /);
  // The result is the same as without the bet: 10 in cash, and the 50 of bonus money that were converted.
  expect(await state()).toBe('COMPLETED 60 + 0, 0 done');
  expect(await owed()).toBe('0');
});

test('moves bonus parts of a forfeited grant to the promo account and back', async () => {
  const { says, state, owed, grant } = await seat(10);
  const id = names();
  await says(bet(`${id}-1`, 20));
  await says(win(`${id}-2`, 30, `${id}-1`), { closes: true });
  await grantsOf(app).end(grant);
  expect(await state()).toBe('FORFEITED 15 + 0, 20 done');
  expect(await says(back(`${id}-3`, `${id}-2`))).toBe('OK 0');
  expect(await says(back(`${id}-4`, `${id}-1`))).toBe('OK 10');
  expect(await state()).toBe('FORFEITED 10 + 0, 0 done');
  expect(await owed()).toBe('0');
});

test('restarts a lost grant when a stake is returned, and reduces the grant when a win is rolled back', async () => {
  const { says, play, state, grant } = await seat(10);
  const id = names();
  await says(bet(`${id}-1`, 40));
  await says(win(`${id}-2`, 20, `${id}-1`), { closes: true });
  expect(await state()).toBe('ACTIVE 5 + 35, 40 done');
  await play(names(), 40, 0);
  expect(await state()).toBe('LOST 0 + 0, 80 done');
  // The grant restarts after the call is booked.
  expect(await says(back(`${id}-3`, `${id}-1`))).toBe('OK 10');
  expect(await says([], { actions: [] })).toBe('OK 40');
  expect(await state()).toBe('ACTIVE 10 + 30, 40 done');
  // Three quarters of the win were bonus money.
  expect(await says(back(`${id}-4`, `${id}-2`))).toBe('OK 20');
  expect(await state()).toBe('ACTIVE 5 + 15, 40 done');
  expect((await grantsOf(app).row(grant)).status).toBe('ACTIVE');
});

test('keeps the bonus part of a win when the round ends after the grant', async () => {
  for (const isWagered of [true, false]) {
    const { says, play, state, grant } = await seat(10, { required: '30' });
    const id = names();
    await says(bet(`${id}-1`, 20), { round: id });
    if (isWagered) await play(names(), 30, 0);
    else await grantsOf(app).end(grant);
    expect(await says(win(`${id}-2`, 30, `${id}-1`), { round: id, closes: true })).toMatch(/^OK /);
    expect(await state()).toBe(isWagered ? 'COMPLETED 40 + 0, 30 done' : 'FORFEITED 15 + 0, 0 done');
    // The bonus part of the win was converted with the completed grant, so the player pays it back. With a forfeited grant, it never
    // belonged to the player.
    await says(back(`${id}-3`, `${id}-2`), { round: id });
    expect(await state()).toBe(isWagered ? 'COMPLETED 10 + 0, 30 done' : 'FORFEITED 0 + 0, 0 done');
  }
});

test("counts only the player's own part of a bet and its corrections in statistics", async () => {
  const { says, player } = await seat(10);
  const id = names();
  const own = async () => {
    await consumeAll(app);
    const { rows } = await sql<{ staked: bigint; paid: bigint }>`
      select sum(own_staked_usd)::int8 as staked, sum(own_paid_usd)::int8 as paid from play_hours h
      join cursors c on c.name = 'user-stats' and c.generation = h.generation where user_id = ${player.id}`.execute(
      app.db,
    );
    const { staked, paid } = rows[0]!;
    return staked === null ? 'nothing' : `${formatUnits(staked)}, ${formatUnits(paid)}`;
  };
  // Half of the first stake and none of the second is cash, so a quarter of the win is cash.
  await says(bet(`${id}-1`, 20));
  await says(bet(`${id}-2`, 20));
  await says(win(`${id}-3`, 40, `${id}-1`), { closes: true });
  expect(await own()).toBe('10, 10');
  await says(back(`${id}-4`, `${id}-2`));
  expect(await own()).toBe('10, 10');
  await says(back(`${id}-5`, `${id}-3`));
  expect(await own()).toBe('10, 0');
  await rebuild(app.db, 'user-stats');
  expect(await own()).toBe('10, 0');
  await says(back(`${id}-6`, `${id}-1`));
  expect(await own()).toBe('nothing');
});

type Step = {
  type: 'BET' | 'WIN' | 'ROLLBACK' | 'CLOSE' | 'GRANT' | 'END';
  id: number;
  amount: number;
  at: number;
};
const step: fc.Arbitrary<Step> = fc.record({
  type: fc.constantFrom<Step['type'][]>(
    'BET',
    'BET',
    'BET',
    'WIN',
    'WIN',
    'ROLLBACK',
    'ROLLBACK',
    'CLOSE',
    'GRANT',
    'END',
  ),
  id: fc.nat(15),
  amount: fc.integer({ min: 1, max: 40_000_000 }),
  at: fc.nat(2),
});

/** When the app stops, reconcile checks every grant after its bets, its end and the rollbacks. */
test('keeps the amount that can be staked equal to cash plus bonus money after any sequence of calls', async () => {
  const property = fc.asyncProperty(fc.array(step, { minLength: 20, maxLength: 60 }), async (steps) => {
    const { call, elsewhere, player, grant } = await seat(20, {
      required: '60',
      maxWithdrawalMultiplierE2: 150,
    });
    const game = names();
    let [active, calls] = [grant, 0];
    for (const { type, id, amount, at } of steps) {
      const round = `${game}-${at}`;
      const usdt = amount / 1_000_000;
      const ask = ++calls % 3 === 0 ? elsewhere : call;
      const bets = `${game}-bet-${at}-${id % 4}`;
      if (type === 'BET') await ask([bet(bets, usdt)], { round });
      if (type === 'WIN') await ask([win(`${game}-win-${at}-${id}`, usdt * 2, bets)], { round });
      if (type === 'ROLLBACK')
        await ask([back(`${game}-back-${calls}`, id % 2 ? bets : `${game}-win-${at}-${id}`)], { round });
      if (type === 'CLOSE') await ask([], { round, closes: true });
      if (type === 'GRANT' && id < 4)
        active = await grantBonus(app, player, { amount: '10', required: '30' });
      if (type === 'END' && id < 4)
        await grantsOf(app)
          .end(active)
          .catch(() => undefined);
      const { rows } = await sql<{ all: bigint }>`
        select w.cash + coalesce((select sum(bonus_balance) from promo_grants g where g.user_id = w.user_id and g.status = 'ACTIVE'), 0)::int8 as all
        from wallets w where user_id = ${player.id} and currency_id = 'USDT'`.execute(app.db);
      expect((await call([], {})).balance).toBe(rows[0]!.all);
      if (id === 7) await app.services.userStats.consume(3);
      if (id === 8 && at === 0) await rebuild(app.db, 'user-stats');
    }
    // When the app stops, reconcile checks the counted amounts of each player's own money.
    await consumeAll(app);
  });
  await fc.assert(property, { numRuns: isFull ? 40 : 15, seed: 17 });
});

test('stakes bonus money only once when two processes accept bets', async () => {
  const { call, elsewhere, state } = await seat(10);
  const id = names();
  const stakes = await Promise.all(
    Array.from({ length: 40 }, (_, i) =>
      (i % 2 === 0 ? call : elsewhere)([bet(`${id}-${i}`, 3)], { round: `${id}-${i}` }),
    ),
  );
  expect(stakes.filter(({ status }) => status === 'OK')).toHaveLength(20);
  expect(await state()).toBe('ACTIVE 0 + 0, 0 done');
  await Promise.all(
    Array.from({ length: 40 }, (_, i) =>
      (i % 3 === 0 ? call : elsewhere)([win(`${id}-w${i}`, 2, `${id}-${i}`)], {
        round: `${id}-${i}`,
        closes: true,
      }),
    ),
  );
  expect(await state()).toMatch(/^ACTIVE .* 60 done$/);
});
