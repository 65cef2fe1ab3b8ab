import { sql } from 'kysely';
import type { Services } from '../src/app/services.ts';
import { betConsumers } from '../src/app/worker.ts';
import { checks as statsChecks } from '../src/modules/engagement/user-stats/checks.ts';
import { listConsumers, rebuild } from '../src/modules/games/bets/consumers.ts';
import { checks as returnChecks } from '../src/modules/games/house-games/returns/checks.ts';
import type { Db } from '../src/platform/database/db.ts';
import { migrate } from '../src/platform/database/schema/migrate.ts';
import { silentLog } from '../src/platform/observability/log.ts';
import { fillBets } from './bets-world.ts';
import { textOfBigint } from './report.ts';
import { seconds, timed } from './staff.ts';
import { openDb, type World } from './world.ts';

type Options = { rows: number; start: (databaseUrl: string) => Promise<Services> };
type Consumer = ReturnType<typeof betConsumers>[number];

/**
 * Runs each consumer separately from the first bet to the last, first on empty tables and then after a reset, which replaces every row.
 * Consumers that are never rebuilt run once. Almost every bet has its own combination of player, game and hour, because this produces the
 * largest number of rows. Returns true if the results match the bets.
 */
export async function rebuildAll(world: World, { rows, start }: Options): Promise<boolean> {
  await sql`create database rebuilt`.execute(world.db);
  const databaseUrl = world.postgres.urlFor('rebuilt');
  const db = openDb(databaseUrl);
  await migrate(db, silentLog);
  console.log(`${rows} bets created in ${seconds(await timed(() => fillBets(db, rows)))}`);
  const services = await start(databaseUrl);
  const final = new Set((await listConsumers(db)).flatMap(({ name, paysOut }) => (paysOut ? [name] : [])));
  for (const consumer of betConsumers(services)) {
    const shown = (ms: number) => `${seconds(ms)}, ${((rows / ms) * 1000).toFixed(0)} bets/s`;
    const built = `${consumer.name}: ${rows} bets built in ${shown(await timed(() => consumeAll(consumer)))}`;
    if (final.has(consumer.name)) {
      console.log(`${built}; is never rebuilt`);
      continue;
    }
    await rebuild(db, consumer.name);
    console.log(`${built}; rebuilt in ${shown(await timed(() => consumeAll(consumer)))}`);
  }
  const problems = await findProblems(db);
  const { rows: sizes } = await sql<{ size: string; rakeback: number; commission: number }>`
    select pg_size_pretty(pg_database_size(current_database())) as size, (select count(*) from rakeback_periods)::int as rakeback,
      (select count(*) from referral_days where earned_usd > 0)::int as commission`.execute(db);
  await services.close();
  await db.destroy();
  const { size, rakeback, commission } = sizes[0]!;
  console.log(`  ${size}, ${rakeback} rows of rakeback, ${commission} days of commission`);
  const verdict = problems.length > 0 ? problems.join('; ') : 'the rebuilt totals match the bets';
  console.log(`${problems.length > 0 ? 'FAIL' : 'PASS'}: ${verdict}`);
  return problems.length === 0;
}

async function consumeAll({ consume }: Consumer): Promise<void> {
  while ((await consume()) > 0);
}

/** Runs those checks of `npx croupier reconcile` that recompute data derived from bets. */
async function findProblems(db: Db): Promise<string[]> {
  const problems: string[] = [];
  for (const [problem, query] of Object.entries({ ...statsChecks.N8, ...returnChecks.N8 })) {
    const { rows } = await sql`${sql.raw(query)} limit 1`.execute(db);
    if (rows.length > 0) problems.push(`${problem} (${JSON.stringify(rows[0], textOfBigint)})`);
  }
  return problems;
}
