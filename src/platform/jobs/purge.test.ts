import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { startApp } from '../../../test/kit/app.ts';
import { fixture } from '../../../test/kit/fixture.ts';
import type { Job } from './jobs.ts';
import { readOverdue } from './overdue.ts';
import { deleteDue, overdueOf, purgeJob } from './purge.ts';

const app = fixture(startApp);

const DAY = 86_400;
const EXPIRY = { table: 'visits', after: 'at', keepSeconds: 7 * DAY, brin: 'visits_at_idx' };
/** A page contains about a hundred rows, so 40,000 rows fill three ranges of 128 pages. */
const write = (daysAgo: number, rows = 40_000) =>
  sql`insert into visits select repeat('x', 50), now() - interval '1 day' * ${daysAgo} + i * interval '1 millisecond'
    from generate_series(1, ${sql.lit(rows)}) i`.execute(app.db);
const lossyBlocks = async () => {
  const lines = await app.db.transaction().execute(async (tx) => {
    await sql`set local enable_seqscan = off`.execute(tx);
    const { rows } = await sql<{ 'QUERY PLAN': string }>`
      explain (analyze, costs off, timing off) select from visits where at < now() - interval '7 days' limit 1`.execute(
      tx,
    );
    return rows.map((row) => row['QUERY PLAN']).join('\n');
  });
  expect(lines).toContain('Bitmap Index Scan on visits_at_idx');
  return Number(/Heap Blocks: lossy=(\d+)/.exec(lines)?.[1] ?? 0);
};
/**
 * A summary still includes deleted rows while any transaction of the database can see them. Even an autovacuum of another table is such a
 * transaction.
 */
const expectNarrowed = (purge: Job) =>
  expect
    .poll(async () => {
      await purge.run();
      return lossyBlocks();
    })
    .toBe(0);
const countRows = async () =>
  (await sql<{ n: number }>`select count(*)::int as n from visits`.execute(app.db)).rows[0]!.n;

test('keeps a BRIN index narrow when new rows reuse the pages of deleted rows', async () => {
  // An autovacuum could lock the table at any moment.
  await sql`create table visits (text text, at timestamptz not null) with (autovacuum_enabled = false)`.execute(
    app.db,
  );
  await sql`create index visits_at_idx on visits using brin (at)`.execute(app.db);
  const purge = purgeJob(app.db, { name: 'visits.purge', everyMs: 60_000, expiries: [EXPIRY] });
  await write(8);
  await write(1);
  await purge.run();
  expect(await countRows()).toBe(40_000);
  await sql`vacuum visits`.execute(app.db);
  await write(0);
  expect(await sql`select from visits where ctid < '(100,0)'`.execute(app.db)).toMatchObject({
    rows: expect.toSatisfy((rows) => rows.length > 1000),
  });
  await expectNarrowed(purge);
  expect(await countRows()).toBe(80_000);
});

test('finds rows to delete, and reports how long the oldest of them has been overdue', async () => {
  const { overdue } = purgeJob(app.db, { name: 'visits.purge', everyMs: 60_000, expiries: [EXPIRY] });
  expect(await readOverdue(app.db, overdue!)).toEqual([{ table: 'visits', seconds: 0 }]);
  await write(10, 1);
  const [row] = await readOverdue(app.db, overdue!);
  expect(row!.seconds).toBeGreaterThan(3 * DAY - 60);
  expect(row!.seconds).toBeLessThan(3 * DAY + 60);
});

test('deletes rows while another operation has locked the table, and narrows the index in the next run', async () => {
  const purge = purgeJob(app.db, { name: 'visits.purge', everyMs: 60_000, expiries: [EXPIRY] });
  await write(9, 20_000);
  await app.db.transaction().execute(async (tx) => {
    // Locks the table as a vacuum does.
    await sql`lock table visits in share update exclusive mode`.execute(tx);
    await purge.run();
  });
  expect(await countRows()).toBe(80_000);
  await expectNarrowed(purge);
});

test('deletes rows in the order in which they arrived, and only rows that meet the condition', async () => {
  await sql`create table notes (id int primary key generated always as identity, is_kept boolean not null, at timestamptz not null)`.execute(
    app.db,
  );
  await sql`insert into notes (is_kept, at) select i % 2 = 0, now() - interval '1 hour' * (100 - i) from generate_series(1, 100) i`.execute(
    app.db,
  );
  const expiry = { table: 'notes', after: 'at', keepSeconds: 50 * 3600, by: 'id', where: 'not is_kept' };
  await deleteDue(app.db, expiry);
  const { rows } = await sql<{ id: number }>`select id from notes order by id`.execute(app.db);
  expect(rows.map(({ id }) => id)).toEqual(
    Array.from({ length: 100 }, (_, i) => i + 1).filter((id) => id % 2 === 0 || id >= 50),
  );
  expect(await readOverdue(app.db, [overdueOf({ ...expiry, keepSeconds: 200 * 3600 })])).toEqual([
    { table: 'notes', seconds: 0 },
  ]);
});
