import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { startApp } from '../../../test/kit/app.ts';
import { fixture } from '../../../test/kit/fixture.ts';
import { metricValue } from '../../../test/kit/metrics.ts';
import { createMetrics } from '../observability/metrics.ts';
import { endOfFile, watchDatabase } from './figures.ts';

const app = fixture(() => startApp());

async function read(): Promise<string> {
  const metrics = createMetrics('test');
  watchDatabase(app.db, metrics);
  return metrics.registry.metrics();
}

test("reports the server's number of connections and its maximum number", async () => {
  const text = await read();
  const [used, limit] = ['croupier_db_connections', 'croupier_db_connections_limit'].map(
    (name) => metricValue(text, name)!,
  );
  expect(used).toBeGreaterThan(0);
  expect(limit).toBeGreaterThan(used!);
  const { rows } = await sql<{ max: number }>`select current_setting('max_connections')::int4 as max`.execute(
    app.db,
  );
  expect(limit).toBeLessThan(rows[0]!.max);
});

test('reports neither a failing archive nor a backlog when archiving is off', async () => {
  const text = await read();
  expect(metricValue(text, 'croupier_db_archive_on')).toBe(0);
  expect(metricValue(text, 'croupier_db_archive_failing')).toBe(0);
  expect(metricValue(text, 'croupier_db_archive_behind_bytes')).toBeNaN();
});

test('computes the position at the end of a log file from the file name', async () => {
  const { rows } = await sql<{
    now: string;
    end: string;
    size: string;
    history: string | null;
    backup: string;
  }>`
    select (lsn - '0/0')::text as now, (${endOfFile(sql`pg_walfile_name(lsn)`)})::text as end,
      pg_size_bytes(current_setting('wal_segment_size'))::text as size,
      ${endOfFile(sql`'00000002.history'::text`)} as history,
      (${endOfFile(sql`'0000000100000002000000FF.00000028.backup'::text`)})::text as backup
    from pg_current_wal_lsn() lsn`.execute(app.db);
  const { now, end, size, history, backup } = rows[0]!;
  expect(Number(end) - Number(now)).toBeGreaterThanOrEqual(0);
  expect(Number(end) - Number(now)).toBeLessThan(Number(size));
  expect(history).toBeNull();
  expect(BigInt(backup)).toBe(2n * 2n ** 32n + 256n * BigInt(size));
});

test('reports how much log each replication slot retains', async () => {
  await sql`select pg_create_physical_replication_slot('figures_test', true)`.execute(app.db);
  try {
    expect(
      metricValue(await read(), 'croupier_db_slot_retained_bytes', 'slot="figures_test"'),
    ).toBeGreaterThanOrEqual(0);
  } finally {
    await sql`select pg_drop_replication_slot('figures_test')`.execute(app.db);
  }
});
