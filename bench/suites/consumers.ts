/**
 * npm run bench consumers: places dice series through the engine, alternately without consumers and with all of them in a separate process.
 * Then measures how fast each consumer processes all bets from the first to the last. A rebuilt table must match the bets.
 */
import { sql } from 'kysely';
import type { Services } from '../../src/app/services.ts';
import { betConsumers } from '../../src/app/worker.ts';
import { checks as statsChecks } from '../../src/modules/engagement/user-stats/checks.ts';
import { listConsumers, rebuild } from '../../src/modules/games/bets/consumers.ts';
import { playSeries } from '../../src/modules/games/betting/series.ts';
import { houseGames } from '../../src/modules/games/house-games/module.ts';
import { checks as returnChecks } from '../../src/modules/games/house-games/returns/checks.ts';
import type { Db } from '../../src/platform/database/db.ts';
import { BET } from '../load/protocol.ts';
import { createPlayers } from '../players.ts';
import { startChild } from '../processes.ts';
import { check, jsonOf, medianOf, merged, type Report, seconds as secondsOf, timed } from '../report.ts';
import { type Context, defineSuite } from '../suite.ts';
import { addDatabase, allConsumed, openServices, query } from '../world.ts';
import { fillBets } from './bets.ts';

const LEAST_RATIO = 0.9;
const MOST_LAG_MS = 10_000;
const PLAYERS = 32;
const SERIES = 50;

export const consumers = defineSuite({
  about: 'how much bet consumers slow down bets',
  options: {
    seconds: [60, 'length of a burst of bets'],
    rounds: [3, 'bursts without and with consumers; 0: none'],
    rows: [1_000_000, 'bets to rebuild from; 0: nothing is rebuilt'],
  },
  async run(context, { seconds, rounds, rows }) {
    const reports: Report[] = [];
    if (rounds > 0) reports.push(await compareBursts(context, { burstMs: seconds * 1000, rounds }));
    if (rows > 0) reports.push(await rebuildAll(context, rows));
    return merged(...reports);
  },
});

async function compareBursts(
  { world, say, later }: Context,
  { burstMs, rounds }: { burstMs: number; rounds: number },
): Promise<Report> {
  const { db, env } = world;
  const accounts = await createPlayers(world, { group: 'follow', count: PLAYERS });
  const userIds = accounts.map(({ userId }) => userId);
  const services = await openServices(env, later);
  await query(db)`update games set settings = settings || '{"minBet": "0.0001"}' where slug = 'dice'`;
  const catchUp = () => timed(() => allConsumed(db));
  await burst(services, userIds, burstMs);
  const results: { alone: number; followed: number; lagMs: number }[] = [];
  for (let round = 1; round <= rounds; round++) {
    const alone = await burst(services, userIds, burstMs);
    const consumer = await startChild('servers/consumers.ts', { later, env });
    say(`the remaining bets are consumed after ${secondsOf(await catchUp())}`);
    const followed = await burst(services, userIds, burstMs);
    const lagMs = await catchUp();
    await consumer.stop();
    results.push({ alone, followed, lagMs });
    say(`round ${round}: ${alone.toFixed(0)} bets/s alone, ${followed.toFixed(0)} with consumers`);
  }
  const ratio = medianOf(results, (r) => r.followed) / medianOf(results, (r) => r.alone);
  const rows = results.map(({ alone, followed, lagMs }, i) => [`round ${i + 1}`, alone, followed, lagMs]);
  const columns = ['', 'bets/s alone', 'bets/s with consumers', 'ms until lag is 0'];
  return {
    tables: [{ title: 'Bursts of bets', columns, rows }],
    checks: [
      check('bets/s with consumers / alone', ratio, { atLeast: LEAST_RATIO }),
      check('longest time until the lag is 0, ms', Math.max(...results.map((r) => r.lagMs)), {
        atMost: MOST_LAG_MS,
      }),
    ],
  };
}

const betOnDice = houseGames.operations.find(({ path }) => path === '/casino/games/house/dice/bet')!;

/** Returns the number of bets per second that the engine settles under constant load. */
async function burst(services: Services, userIds: readonly number[], burstMs: number): Promise<number> {
  const beganMs = performance.now();
  let made = 0;
  const bet = async (userId: number) => {
    const by = { userId, ip: '127.0.0.1', idempotencyKey: undefined };
    while (performance.now() < beganMs + burstMs) {
      const series = await playSeries(by, SERIES, async (caller) =>
        betOnDice.handler(services, { caller, body: BET }),
      );
      if (series.refused) throw new Error(series.refused.message);
      made += series.bets.length;
    }
  };
  await Promise.all(userIds.map(bet));
  return made / ((performance.now() - beganMs) / 1000);
}

/**
 * Runs each consumer separately from the first bet to the last, first on empty tables and then after a reset, which replaces every row.
 * Consumers that are never rebuilt run once. Almost every bet has its own combination of player, game and hour, because this produces the
 * largest number of rows.
 */
async function rebuildAll({ world, say, later }: Context, bets: number): Promise<Report> {
  const { db, env } = await addDatabase(world, 'rebuilt', later);
  say(`${bets} bets created in ${secondsOf(await timed(() => fillBets(db, bets)))}`);
  const services = await openServices(env, later);
  const final = new Set((await listConsumers(db)).flatMap(({ name, paysOut }) => (paysOut ? [name] : [])));
  const rows: (string | number)[][] = [];
  for (const consumer of betConsumers(services)) {
    const consumeAll = async () => Math.round((bets / (await timed(() => drain(consumer)))) * 1000);
    const built = await consumeAll();
    if (!final.has(consumer.name)) await rebuild(db, consumer.name);
    const rebuilt = final.has(consumer.name) ? 'is never rebuilt' : await consumeAll();
    rows.push([consumer.name, built, rebuilt]);
    say(`${consumer.name}: built at ${built} bets/s, rebuilt: ${rebuilt}`);
  }
  const problems = await findProblems(db);
  const [sizes] = await query(db)<{ text: string }>`
    select concat(pg_size_pretty(pg_database_size(current_database())), ', ', (select count(*) from rakeback_periods),
      ' rows of rakeback, ', (select count(*) from referral_days where earned_usd > 0), ' days of commission') as text`;
  return {
    tables: [{ title: `Bets a second, from ${bets} bets`, columns: ['', 'built', 'rebuilt'], rows }],
    notes: [sizes!.text, ...problems],
    checks: [check('rebuilt totals that do not match the bets', problems.length, { atMost: 0 })],
  };
}

async function drain({ consume }: ReturnType<typeof betConsumers>[number]): Promise<void> {
  while ((await consume()) > 0);
}

/** Runs those checks of `npx croupier reconcile` that recompute data derived from bets. */
async function findProblems(db: Db): Promise<string[]> {
  const problems: string[] = [];
  for (const [problem, text] of Object.entries({ ...statsChecks.N8, ...returnChecks.N8 })) {
    const { rows } = await sql`${sql.raw(text)} limit 1`.execute(db);
    if (rows.length > 0) problems.push(`${problem} (${jsonOf(rows[0])})`);
  }
  return problems;
}
