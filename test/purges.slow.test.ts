import { sql } from 'kysely';
import { beforeAll, expect, test } from 'vitest';
import { allJobs } from '../src/app/worker.ts';
import { readOverdue, watchOverdue } from '../src/platform/jobs/overdue.ts';
import { startApp } from './kit/app.ts';
import { fixture } from './kit/fixture.ts';

const app = fixture(() =>
  startApp({ reconcileOnStop: false, env: { DATABASE_STATEMENT_TIMEOUT_MS: '60000' } }),
);
const jobs = () => allJobs(app.services).filter(({ overdue = [] }) => overdue.length > 0);
const tables = () => [...new Set(jobs().flatMap(({ overdue = [] }) => overdue.map(({ table }) => table)))];

/** Number of rows to delete, which is more than one batch of any job. */
const MANY = 12_000;
/**
 * Tables that get at least one row for each bet, which is 60,000 rows a minute at 1,000 bets a second. That many rows must be deleted in
 * half a minute.
 */
const BY_BETS = new Set([
  'idempotency_keys',
  'notifications',
  'events',
  'leaderboard_bets',
  'webhook_events',
]);
const A_MINUTE = 60_000;
const MOST_PER_STATEMENT = 10_000;
/** Tables that stay small in production. Images, for example, belong to applications, on which staff decide one by one. */
const FEW: Readonly<Record<string, number>> = { vip_application_images: 300, 'graphile_worker.jobs': 300 };
const rowsOf = (table: string) => FEW[table] ?? (BY_BETS.has(table) ? A_MINUTE : MANY);
/** Tables that the platform does not fill, or that it empties only long after the launch of the site. */
const NOT_FILLED = new Set(['graphile_worker.jobs', 'coming_soon_subscribers']);

/** Column values, as SQL with `i`, for tables whose rows need more than old times and generated values to become due. */
const SPECIAL: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  one_time_tokens: { purpose: `case when i % 2 = 0 then 'VERIFY_EMAIL' else 'MFA' end` },
  payment_stats: {
    kind: `case when i % 2 = 0 then 'DEPOSIT' else 'WITHDRAW' end`,
    period: `case when i % 4 < 2 then 'HOUR' else 'DAY' end`,
  },
  exchange_rate_points: { currency_id: `'BTC'` },
  refused_calls: { user_id: `(select min(id) from users)` },
  leaderboard_bets: { leaderboard_id: '1' },
  leaderboards: { id: '1', status: `'FINISHED'`, schedule_id: 'null' },
};

type Column = { name: string; type: string; isNeeded: boolean };

function valueFor({ name, type }: Column, special: Readonly<Record<string, string>>): string {
  if (special[name] !== undefined) return special[name];
  if (type.endsWith('[]')) return `'{}'::${type}`;
  if (/^timestamp|^date/.test(type))
    return `(now() - interval '1000 days' + i * interval '1 second')::${type}`;
  if (/^(smallint|integer|bigint|numeric)/.test(type))
    return `(i % ${type === 'smallint' ? 30_000 : 2_000_000_000})::${type}`;
  if (type === 'boolean') return 'false';
  if (type === 'uuid') return 'gen_random_uuid()';
  if (type === 'bytea') return `decode(md5(i::text) || md5('x' || i), 'hex')`;
  if (type.startsWith('json')) return `'{}'::${type}`;
  if (type === 'inet') return `'127.0.0.1'::inet`;
  return `('x' || i)::${type}`;
}

/** Inserts overdue rows without checking the tables' constraints, which other tests check. */
async function fill(table: string, rows: number): Promise<void> {
  const { rows: columns } = await sql<Column>`
    select attname::text as name, format_type(atttypid, atttypmod) as type,
      attnotnull and not atthasdef and attidentity = '' and attgenerated = '' or format_type(atttypid, null) ~ '^(timestamp|date)' as "isNeeded"
    from pg_attribute where attrelid = ${table}::regclass and attnum > 0 and not attisdropped and attgenerated = ''`.execute(
    app.db,
  );
  const special = SPECIAL[table] ?? {};
  const chosen = columns.filter(({ name, isNeeded }) => isNeeded || special[name] !== undefined);
  const names = chosen.map(({ name }) => `"${name}"`).join(', ');
  const values = chosen.map((column) => valueFor(column, special)).join(', ');
  const { rows: checks } = await sql<{ name: string }>`
    select conname::text as name from pg_constraint where conrelid = ${table}::regclass and contype = 'c'`.execute(
    app.db,
  );
  await app.db.transaction().execute(async (tx) => {
    await sql`set local session_replication_role = replica`.execute(tx);
    for (const { name } of checks)
      await sql`alter table ${sql.table(table)} drop constraint ${sql.ref(name)}`.execute(tx);
    await sql`insert into ${sql.table(table)} (${sql.raw(names)}) overriding system value
      select ${sql.raw(values)} from generate_series(1, ${sql.lit(rows)}) i`.execute(tx);
  });
}

/** Records how many rows each statement deletes or clears. */
const watch = (table: string) =>
  sql`create trigger a_noted_${sql.raw(table)} after ${sql.raw(table === 'webhook_events' ? 'update' : 'delete')} on ${sql.table(table)}
    referencing old table as gone for each statement execute function note_gone()`.execute(app.db);

beforeAll(async () => {
  await app.newPlayer();
  await sql`create table gone_rows (source text, rows int)`.execute(app.db);
  await sql`create function note_gone() returns trigger language plpgsql as $$ begin
    insert into gone_rows select tg_table_name, count(*) from gone; return null; end $$`.execute(app.db);
  await fill('leaderboards', 1);
  await sql`update cursors set position = ${9_000_000_000_000_000n} where name = 'events-relay'`.execute(
    app.db,
  );
  for (const table of tables().filter((table) => !NOT_FILLED.has(table))) {
    await fill(table, rowsOf(table));
    await watch(table);
  }
  await sql`analyze`.execute(app.db);
}, 240_000);

const overdueOf = async () => {
  const all = jobs().flatMap(({ overdue = [] }) => overdue);
  return new Map((await readOverdue(app.db, all)).map(({ table, seconds }) => [table, seconds]));
};

test('reads the oldest row of each table through an index', async () => {
  for (const { name, overdue = [] } of jobs())
    for (const { table, due } of overdue) {
      const plan = await app.db.transaction().execute(async (tx) => {
        await sql`set local enable_seqscan = off`.execute(tx);
        const { rows } = await sql<{ 'QUERY PLAN': string }>`explain ${due()}`.execute(tx);
        return rows.map((row) => row['QUERY PLAN']).join('\n');
      });
      // The exceptions are a table of a library, and a table with only one row for each process.
      if (table === 'graphile_worker.jobs' || table === 'commit_probes') continue;
      expect(plan, `${name}: ${table}`).not.toMatch(/Seq Scan on (?!currencies)/);
      if (table !== 'exchange_rate_points') expect(plan, `${name}: ${table}`).not.toContain('Sort');
    }
});

test('deletes all expired rows in bounded statements, faster than 1,000 bets a second create them', async () => {
  const filled = tables().filter((table) => !NOT_FILLED.has(table));
  const before = await overdueOf();
  for (const table of filled) expect([table, before.get(table)! > 86_400]).toEqual([table, true]);
  const took = new Map<string, number>();
  for (const { name, run, overdue = [] } of jobs()) {
    const began = performance.now();
    if (name !== 'rates.refresh') await run();
    for (const { table } of overdue) took.set(table, performance.now() - began);
  }
  await app.services.currencies.refreshRates();
  const after = await overdueOf();
  for (const table of filled) expect([table, after.get(table)]).toEqual([table, 0]);
  const { rows } = await sql<{ table: string; most: number; all: number }>`
    select source as table, max(rows)::int as most, sum(rows)::int as all from gone_rows group by 1`.execute(
    app.db,
  );
  const gone = new Map(rows.map((row) => [row.table, row]));
  for (const table of filled) {
    expect([table, gone.get(table)!.all]).toEqual([table, expect.toSatisfy((all) => all >= rowsOf(table))]);
    expect([table, gone.get(table)!.most]).toEqual([
      table,
      expect.toSatisfy((most) => most <= MOST_PER_STATEMENT),
    ]);
  }
  for (const table of BY_BETS)
    expect([table, took.get(table)]).toEqual([table, expect.toSatisfy((ms) => ms < 30_000)]);
}, 240_000);

test('exports a metric that shows how overdue each purged table is', async () => {
  watchOverdue(app.services, allJobs(app.services));
  const text = await app.services.metrics.registry.metrics();
  const shown = [...text.matchAll(/^croupier_purge_overdue_seconds\{table="([^"]+)"/gm)].map(
    ([, table]) => table,
  );
  expect(new Set(shown)).toEqual(new Set(tables()));
});
