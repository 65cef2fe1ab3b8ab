/**
 * npm run bench idle: measures the cost of the idle platform, which is started with `npm start` on a separate database. Measures it without
 * bets and after 100,000 bets. Reports the CPU time and memory of each process, and the statements per second. Options: `--seconds=N` (30),
 * `--bets=N`, and `--statements`, which lists the statements. A measurement above twice the goal also lists them and is repeated, because
 * it may be due to work that happens only once. Fails if three measurements are above twice the goal.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { sql } from 'kysely';
import { listConsumers } from '../src/modules/games/bets/consumers.ts';
import type { Db } from '../src/platform/database/db.ts';
import { cell } from './compare.ts';
import { fillHistory } from './growth-world.ts';
import { type Platform, startPlatform } from './platform.ts';
import { createPlayers, MONEY } from './players.ts';
import { createWorld, type World } from './world.ts';

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '30' },
    bets: { type: 'string', default: '100000' },
    statements: { type: 'boolean', default: false },
  },
});
const [seconds, bets] = [Number(values.seconds), Number(values.bets)];
/**
 * Goals: percent of one core, and statements per second. A result above twice the goal is a failure, because it means that a process is
 * polling.
 */
const GOAL = { percent: 3, statements: 25 };
const SETTLING_MS = 30_000;
const WHILES = 4;
const OWNERS = 50;

/** Returns the clients' statements since the last reset, the most frequent first. */
async function readStatements(db: Db) {
  const { rows } = await sql<{ calls: number; ms: number; query: string }>`
    select calls::float8 as calls, total_exec_time as ms, regexp_replace(query, '\\s+', ' ', 'g') as query
    from pg_stat_statements where toplevel and query not like '%pg_stat_statements%' order by calls desc`.execute(
    db,
  );
  return rows;
}

/** Waits until no consumer lags behind and all messages about the bets have been sent. */
async function caughtUp(db: Db): Promise<void> {
  while ((await listConsumers(db)).some(({ lagBets }) => lagBets > 0) || (await isSending(db)))
    await sleep(500);
}

async function isSending(db: Db): Promise<boolean> {
  const { rows } = await sql<{ is: boolean }>`
    select exists (select from crm_messages) or exists (select from crm_players where due_at <= now()) as "is"`.execute(
    db,
  );
  return rows[0]!.is;
}

/**
 * Measures the idle platform until one measurement is within the limit. Returns false if no measurement was. Before each measurement, waits
 * until all work caused by the bets is done.
 */
async function measure(what: string, { db }: World, platform: Platform): Promise<boolean> {
  await caughtUp(db);
  // Prevents autovacuum from processing the new rows during the measurement.
  await sql`vacuum analyze`.execute(db);
  await sql`checkpoint`.execute(db);
  for (let whiles = 0; whiles < WHILES; whiles++) {
    await sleep(SETTLING_MS);
    await caughtUp(db);
    if (await measureWhile(what, db, platform)) return true;
  }
  return false;
}

/** Measures for one period and prints the cost. Returns false if the cost is above twice the goal. */
async function measureWhile(what: string, db: Db, platform: Platform): Promise<boolean> {
  await sql`select pg_stat_statements_reset()`.execute(db);
  const before = platform.read();
  await sleep(seconds * 1000);
  const after = platform.read();
  const statements = await readStatements(db);
  const tookS = (after.atMs - before.atMs) / 1000;
  const percent = (us: number) => us / 1e4 / tookS;
  console.log(`\n${what.padEnd(28)}${cell('% of a core', 14)}${cell('memory MB', 14)}`);
  let total = 0;
  for (const [name, { cpuUs, memoryMb }] of after.processes) {
    const share = percent(cpuUs - (before.processes.get(name)?.cpuUs ?? 0));
    total += share;
    console.log(`${name.padEnd(28)}${share.toFixed(2).padStart(14)}${cell(memoryMb, 14)}`);
  }
  const perSecond = statements.reduce((sum, { calls }) => sum + calls, 0) / tookS;
  console.log(`${'together'.padEnd(28)}${total.toFixed(2).padStart(14)}   goal ${GOAL.percent}`);
  console.log(`${'statements a second'.padEnd(28)}${cell(perSecond, 14)}   goal ${GOAL.statements}`);
  const isGood = total <= 2 * GOAL.percent && perSecond <= 2 * GOAL.statements;
  if (values.statements || !isGood)
    for (const { calls, ms, query } of statements.slice(0, 40))
      console.log(`${cell(calls / tookS, 8)}/s ${cell(ms / tookS, 6)} ms/s  ${query.slice(0, 130)}`);
  return isGood;
}

const world = await createWorld({ timed: true });
try {
  const fresh = await startPlatform(world);
  let isGood = await measure('fresh', world, fresh).finally(() => fresh.stop());
  const accounts = await createPlayers(world.db, world.env, { group: 'idle', count: OWNERS });
  const owners = accounts.map(({ userId }) => userId);
  await fillHistory(world.db, { bets, owners, cash: MONEY });
  const played = await startPlatform(world);
  const what = `${bets.toLocaleString('en-US')} bets`;
  isGood = (await measure(what, world, played).finally(() => played.stop())) && isGood;
  process.exitCode = isGood ? 0 : 1;
} finally {
  await world.close();
}
