import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { betOnDice, type Player, startApp } from '../../../../test/kit/app.ts';
import { fixture } from '../../../../test/kit/fixture.ts';
import { insertBets } from '../../../../test/kit/games/bet-rows.ts';
import { correctBet } from '../../../../test/kit/games/bets.ts';
import { transaction } from '../../../platform/database/db.ts';
import { deleteDue } from '../../../platform/jobs/purge.ts';
import { units } from '../../../platform/money.ts';
import { lockPlayers } from '../../base/players/service.ts';
import { storeRestrictions } from '../../compliance/gate/queries.ts';
import { recordUsage } from '../../compliance/gate/rules.ts';
import { findRestrictions } from '../../compliance/gate/service.ts';
import { listConsumers, replay } from '../../games/bets/consumers.ts';
import { depositedOf, recordPayment } from '../../money/payments/stats.ts';
import { EXPIRY, warnOfDeposits } from './consumer.ts';

const app = fixture(startApp);

const PATIENT = { timeout: 20_000, interval: 20 };
const limit = (player: Player, type: string, amount: string, period = 'DAY') =>
  player.call('POST', '/user-limits/gambling-limits', { body: { type, period, amount } });
const warnings = async ({ id }: Player) => {
  // Another transaction on the same server may briefly hold back the safe watermark.
  await expect
    .poll(async () => {
      await app.services.limitWarnings.catchUp();
      const own = (await listConsumers(app.db)).find(({ name }) => name === 'limit-warnings')!;
      return [own.lagBets, own.replayFrom];
    }, PATIENT)
    .toEqual([0, null]);
  const rows = await app.db
    .selectFrom('events')
    .select('data')
    .where('name', '=', 'limit.warning')
    .where('user_id', '=', id)
    .orderBy('id')
    .execute();
  return rows.map(({ data }) => data as Record<string, string>);
};

test('warns once when 80 % of a wager limit is used, and once more after the limit changes', async () => {
  const player = await app.newPlayer({ usdt: 100 });
  const other = await app.newPlayer({ usdt: 100 });
  await limit(player, 'WAGER', '10');
  await limit(player, 'WAGER', '1000', 'MONTH');
  await betOnDice(player, { betAmount: '7.99' });
  await betOnDice(other, { betAmount: '7.99' });
  expect(await warnings(player)).toEqual([]);
  await betOnDice(player, { betAmount: '0.01' });
  const first = {
    type: 'WAGER',
    period: 'DAY',
    limit: '10',
    used: '8',
    periodEndsAt: expect.stringMatching(/T00:00:00/),
  };
  expect(await warnings(player)).toEqual([first]);
  await betOnDice(player, { betAmount: '1' });
  expect(await warnings(player)).toEqual([first]);
  await replay(app.db, 'limit-warnings', 0n);
  expect(await warnings(player)).toEqual([first]);
  await limit(player, 'WAGER', '9.5');
  await betOnDice(player, { betAmount: '0.1' });
  expect(await warnings(player)).toEqual([first, { ...first, limit: '9.5', used: '9.1' }]);
  expect(await warnings(other)).toEqual([]);
});

test('subtracts winnings from the losses counted towards a loss limit', async () => {
  const bet = async (player: Player, threshold: number, betAmount: string) => {
    const { status, body } = await betOnDice(player, { threshold, betAmount, above: false });
    expect(status).toBe(201);
    return body.didWin as boolean;
  };
  // Places a bet that almost certainly wins, then one that almost certainly loses. If the outcomes differ, tries again with a new player.
  for (;;) {
    const player = await app.newPlayer({ usdt: 1000 });
    await limit(player, 'LOSS', '10');
    if (!(await bet(player, 98, '9'))) continue;
    expect(await warnings(player)).toEqual([]);
    if (await bet(player, 2, '8.5')) continue;
    expect(await warnings(player)).toMatchObject([{ type: 'LOSS', period: 'DAY', limit: '10' }]);
    return;
  }
});

test('checks usage again after a correction, and sends no second warning', async () => {
  const player = await app.newPlayer({ usdt: 100 });
  await limit(player, 'WAGER', '10');
  const { body } = await betOnDice(player, { betAmount: '7' });
  expect(await warnings(player)).toEqual([]);
  const bet = { id: BigInt(body.betId), userId: player.id };
  await addStake(player, '1');
  await correctBet(app, bet, { payout: 1n });
  expect(await warnings(player)).toMatchObject([{ type: 'WAGER', used: '8' }]);
  await correctBet(app, bet, { payout: 2n });
  await replay(app.db, 'limit-warnings', bet.id - 1n);
  expect(await warnings(player)).toMatchObject([{ type: 'WAGER', used: '8' }]);
});

/** Adds a stake to the player's usage without a bet, as provider games do during a round. */
const addStake = ({ id }: Player, dollars: string) =>
  transaction(app.db, async (tx) => {
    await lockPlayers(tx, [id]);
    const restrictions = (await findRestrictions(tx, id))!;
    const at = new Date();
    const play = recordUsage(restrictions.play!, { at, staked: units(dollars), paid: 0n });
    await storeRestrictions(tx, { ...restrictions, play });
  });

test('warns when a deposit reaches 80 % of a deposit limit', async () => {
  const player = await app.newPlayer();
  await limit(player, 'DEPOSIT', '100', 'WEEK');
  const deposit = (dollars: string) =>
    transaction(app.db, async (tx) => {
      const usdAmount = units(dollars);
      await recordPayment(tx, { userId: player.id, kind: 'DEPOSIT', usdAmount, at: new Date() });
      await warnOfDeposits(tx, player.id, (at) => depositedOf(tx, player.id, at));
    });
  await deposit('79.99');
  expect(await warnings(player)).toEqual([]);
  await deposit('0.01');
  await deposit('1');
  expect(await warnings(player)).toMatchObject([
    { type: 'DEPOSIT', period: 'WEEK', limit: '100', used: '80' },
  ]);
});

test('warns once when two workers consume the same bet, and purges old warnings', async () => {
  const two = await startApp({ database: app.database });
  const player = await app.newPlayer({ usdt: 100 });
  await limit(player, 'WAGER', '1');
  await betOnDice(player, { betAmount: '0.9' });
  await Promise.all([app, two].map(({ services }) => services.limitWarnings.catchUp()));
  expect(await warnings(player)).toHaveLength(1);
  await app.db
    .updateTable('limit_warnings')
    .set({ warned_at: new Date(0) })
    .execute();
  await deleteDue(two.db, EXPIRY);
  expect(await app.db.selectFrom('limit_warnings').selectAll().execute()).toEqual([]);
  await two.stop();
});

test('warns each of thousands of players in one batch', async () => {
  const crowd = await startApp({ reconcileOnStop: false });
  try {
    const player = await crowd.newPlayer({ usdt: 100 });
    for (const type of ['WAGER', 'LOSS'])
      for (const period of ['DAY', 'WEEK', 'MONTH']) await limit(player, type, '1', period);
    await betOnDice(player, { betAmount: '0.5' });
    const most = 2300;
    await sql`insert into users (id) overriding system value select 1000000 + i from generate_series(1, ${most}::int) i`.execute(
      crowd.db,
    );
    // Each player has staked and lost a dollar.
    await sql`
      insert into restrictions (user_id, limits, play)
      select 1000000 + i, limits, regexp_replace(regexp_replace(play::text, '"staked" ?: ?"[0-9]+"', '"staked":"100000000"', 'g'),
        '"paid" ?: ?"[0-9]+"', '"paid":"0"', 'g')::json
      from restrictions, generate_series(1, ${most}::int) i where user_id = ${player.id}`.execute(crowd.db);
    const { rows } = await sql<{ id: bigint }>`
      select min(id) as id from (select nextval('ledger_ids') as id from generate_series(1, 3)) blocks`.execute(
      crowd.db,
    );
    const bets = Array.from({ length: most }, (_, i) => ({
      id: rows[0]!.id + BigInt(i),
      userId: 1_000_001 + i,
    }));
    await insertBets(
      crowd,
      bets.map((bet) => ({ ...bet, at: new Date() })),
    );
    const readWarned = async () => {
      await crowd.services.limitWarnings.catchUp();
      const { rows: found } = await sql<{ n: number; events: number }>`
        select (select count(*)::int from limit_warnings where user_id > 1000000) as n,
          (select count(*)::int from events where name = 'limit.warning' and user_id > 1000000) as events`.execute(
        crowd.db,
      );
      return found[0];
    };
    await expect.poll(readWarned, PATIENT).toEqual({ n: 6 * most, events: 6 * most });
  } finally {
    await crowd.stop();
  }
});
