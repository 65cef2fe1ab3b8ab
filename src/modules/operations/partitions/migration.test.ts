import { randomBytes } from 'node:crypto';
import { copyFileSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { sql } from 'kysely';
import pg from 'pg';
import { afterAll, expect, inject, test } from 'vitest';
import { createDb, createPool, type Db } from '../../../platform/database/db.ts';
import { migrate } from '../../../platform/database/schema/migrate.ts';
import { silentLog } from '../../../platform/observability/log.ts';

const MIGRATIONS = fileURLToPath(new URL('../../../../migrations/', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'croupier-partitions-'));
const closing: (() => Promise<unknown>)[] = [];
afterAll(async () => {
  for (const close of closing.reverse()) await close();
  rmSync(folder, { recursive: true, force: true });
});

const urlOf = (name: string) => inject('postgres').replace(/(%7B|\{)database(%7D|\})/i, name);

async function createEmpty(): Promise<Db> {
  const name = `test_${randomBytes(8).toString('hex')}`;
  const admin = new pg.Client({ connectionString: urlOf('postgres') });
  await admin.connect();
  closing.push(() => admin.end());
  await admin.query(`create database ${name}`);
  closing.push(() => admin.query(`drop database ${name} with (force)`));
  const timeouts = { connectTimeoutMs: 5000, statementTimeoutMs: 60_000 };
  const pool = createPool(
    { connectionString: urlOf(name), poolSize: 2, ...timeouts, name: 'test' },
    silentLog,
  );
  closing.push(() => pool.end());
  return createDb(pool);
}

/** Fills the unpartitioned tables with bets and postings. Their ids are from the blocks that are already reserved. */
async function fill(db: Db): Promise<void> {
  await sql`
    insert into bets (id, amount, payout, usd_amount, usd_payout, usd_rate, seed_pair_id, nonce, user_id, game_id, status, currency_id)
    select nextval('ledger_ids'), 10, 0, 10, 0, 1, 1 + n % 7, n / 7, 1 + n % 7, 1, case when n % 50 = 0 then 'CREATED' else 'SETTLED' end, 'USDT'
    from generate_series(0, 2999) n`.execute(db);
  await sql`
    insert into ledger_lines (id, entry_id, amount, debit_after, user_id, debit, credit, currency_id, kind)
    select id + 1, id, amount, 1, user_id, 1, 100, currency_id, 'bet.stake' from bets`.execute(db);
}

/** Returns the structure of a table, regardless of the names of its partitions. */
async function shapeOf(db: Db, table: string): Promise<string[]> {
  const { rows } = await sql<{ line: string }>`
    select concat_ws(' ', a.attname, format_type(a.atttypid, a.atttypmod), a.attnotnull, pg_get_expr(d.adbin, d.adrelid)) as line
      from pg_attribute a left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
      where a.attrelid = ${table}::regclass and a.attnum > 0
    union all select case contype when 'c' then conname || ' ' else '' end || pg_get_constraintdef(oid) from pg_constraint
      where conrelid = ${table}::regclass and contype in ('c', 'p')
    union all select regexp_replace(pg_get_indexdef(indexrelid), 'INDEX .* USING', '') from pg_index
      where indrelid = ${table}::regclass
    union all select tgname || ' ' || tgtype || ' ' || tgfoid::regproc from pg_trigger
      where tgrelid = ${table}::regclass and not tgisinternal
    union all select unnest(reloptions) from pg_class where oid = ${table}::regclass
    order by 1`.execute(db);
  return rows.map(({ line }) => line);
}

test('partitions a database with bets, without moving rows or losing any property of the tables', async () => {
  for (const file of readdirSync(MIGRATIONS))
    if (file < '0019') copyFileSync(join(MIGRATIONS, file), join(folder, file));
  const db = await createEmpty();
  await migrate(db, silentLog, folder);
  await fill(db);
  const tables = ['bets', 'ledger_lines'] as const;
  const filesOf = async (names: readonly string[]) => {
    const { rows } = await sql<{ file: number; rows: number }>`
      select pg_relation_filenode(name::regclass) as file from unnest(${names}::text[]) name`.execute(db);
    return rows.map((row) => row.file);
  };
  const before = {
    shapes: await Promise.all(tables.map((t) => shapeOf(db, t))),
    files: await filesOf(tables),
  };
  const counted = () =>
    sql`select (select count(*) from bets) as bets, (select sum(id) from bets) as ids, (select count(*) from ledger_postings) as postings,
      (select sum(l.amount) from ledger_lines l) as amount`.execute(db);
  const { rows: wereThere } = await counted();
  const { rows: last } = await sql<{ id: bigint }>`select last_value as id from ledger_ids`.execute(db);

  copyFileSync(join(MIGRATIONS, '0019-partitions.sql'), join(folder, '0019-partitions.sql'));
  await migrate(db, silentLog, folder);
  expect((await counted()).rows).toEqual(wereThere);
  expect(await filesOf(['bets_before', 'ledger_lines_before'])).toEqual(before.files);
  expect(await Promise.all(tables.map((t) => shapeOf(db, `${t}_before`)))).toEqual(before.shapes);

  const { rows: next } = await sql<{ id: bigint; month: string }>`
    select nextval('ledger_ids') as id, to_char(now() at time zone 'UTC', 'YYYY_MM') as month`.execute(db);
  const { id, month } = next[0]!;
  expect(id % 2n ** 43n).toBe(0n);
  expect(id).toBeGreaterThan(last[0]!.id);
  expect(await shapeOf(db, `ledger_lines_${month}`)).toEqual(before.shapes[1]);
  expect(await shapeOf(db, `bets_${month}`)).toEqual(before.shapes[0]);
  await sql`insert into bets (id, amount, payout, usd_amount, usd_payout, usd_rate, user_id, game_id, status, currency_id)
    values (${id}, 10, 0, 10, 0, 1, 1, 1, 'SETTLED', 'USDT')`.execute(db);
  const { rows: where } =
    await sql`select tableoid::regclass::text as part from bets where id = ${id}`.execute(db);
  expect(where).toEqual([{ part: `bets_${month}` }]);
  // These rows must not make later migrations fail.
  await migrate(db, silentLog);
});
