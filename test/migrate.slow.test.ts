import { randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import pg from 'pg';
import { afterAll, expect, inject, test } from 'vitest';
import { reconcile } from '../src/app/commands/reconcile.ts';
import { createDb, createPool, type Db } from '../src/platform/database/db.ts';
import { BASELINE } from '../src/platform/database/schema/baseline.ts';
import { assertMigrated, isMigrated, migrate } from '../src/platform/database/schema/migrate.ts';
import { silentLog } from '../src/platform/observability/log.ts';
import { EXPAND } from './cluster/next-version.ts';
import { betOnDice, startApp } from './kit/app.ts';
import { createTestDatabase, recordStepsOfFirstVersion, STEPS_OF_FIRST_VERSION } from './kit/database.ts';
import { startProcess } from './kit/processes/process.ts';
import { until } from './kit/until.ts';

const AFTER_BASELINE = readdirSync(new URL('../migrations/', import.meta.url))
  .filter((file) => file.endsWith('.sql'))
  .map((file) => file.replace(/\.sql$/, ''))
  .sort();
const MIGRATIONS = [BASELINE, ...AFTER_BASELINE];
const dir = mkdtempSync(join(tmpdir(), 'croupier-migrate-'));
const closing: (() => Promise<void>)[] = [];
afterAll(async () => {
  for (const close of closing.reverse()) await close();
  rmSync(dir, { recursive: true, force: true });
});

const urlOf = (name: string) => inject('postgres').replace(/(%7B|\{)database(%7D|\})/i, name);

async function admin(statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: urlOf('postgres') });
  await client.connect();
  await client.query(statement);
  await client.end();
}

/** Creates an empty database. */
async function createEmpty(): Promise<string> {
  const name = `test_${randomBytes(8).toString('hex')}`;
  await admin(`create database ${name}`);
  closing.push(() => admin(`drop database ${name} with (force)`));
  return urlOf(name);
}

function open(connectionString: string, poolSize = 2): Db {
  const options = {
    connectionString,
    poolSize,
    connectTimeoutMs: 5000,
    statementTimeoutMs: 60_000,
    name: 'test',
  };
  const pool = createPool(options, silentLog);
  closing.push(() => pool.end());
  return createDb(pool);
}

const partEnv = (DATABASE_URL: string) => ({
  APP_ENV: 'test',
  ALLOW_UNSAFE_DATABASE: 'true',
  DATA_DIR: dir,
  DATABASE_POOL_SIZE: '4',
  DATABASE_URL,
});

async function applied(db: Db): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`select name from schema_migrations order by name`.execute(db);
  return rows.map(({ name }) => name);
}

/** Returns tables, columns, constraints, indexes, functions and triggers as text. */
async function schemaOf(db: Db): Promise<string[]> {
  const { rows } = await sql<{ line: string }>`
    select 'column ' || table_name || '.' || column_name || ' ' || data_type || ' ' || coalesce(column_default, '') as line
      from information_schema.columns where table_schema = 'public'
    union all select 'constraint ' || conrelid::regclass || ' ' || pg_get_constraintdef(oid) from pg_constraint
      where connamespace = 'public'::regnamespace
    union all select indexdef from pg_indexes where schemaname = 'public'
    union all select pg_get_functiondef(oid) from pg_proc where pronamespace = 'public'::regnamespace
    union all select pg_get_triggerdef(t.oid) from pg_trigger t join pg_class c on c.oid = tgrelid
      where relnamespace = 'public'::regnamespace and not tgisinternal
    order by 1`.execute(db);
  return rows.map(({ line }) => line);
}

test('creates the baseline in an empty database, applies later migrations, and no migration in the second run', async () => {
  const db = open(await createEmpty());
  expect(await migrate(db, silentLog)).toEqual(MIGRATIONS);
  expect(await isMigrated(db)).toBe(true);
  const schema = await schemaOf(db);
  expect(schema.length).toBeGreaterThan(150);
  expect(await migrate(db, silentLog)).toEqual([]);
  expect(await schemaOf(db)).toEqual(schema);
  expect(await applied(db)).toEqual(MIGRATIONS);
});

test('applies each migration once when eight runs start concurrently', async () => {
  const url = await createEmpty();
  const results = await Promise.all(Array.from({ length: 8 }, () => migrate(open(url), silentLog)));
  expect(results.flat()).toEqual(MIGRATIONS);
  expect(results.filter((names) => names.length > 0)).toHaveLength(1);
});

test('starts two processes concurrently on an empty database', async () => {
  const url = await createEmpty();
  const parts = await Promise.all([startProcess(partEnv(url)), startProcess(partEnv(url))]);
  for (const part of parts) {
    expect(part.url, part.output()).toBeDefined();
    expect((await fetch(`${part.url}/health/ready`)).status).toBe(200);
  }
  expect(await applied(open(url))).toEqual(MIGRATIONS);
  expect(await Promise.all(parts.map((part) => part.end()))).toEqual([0, 0]);
});

test("starts while tables change during the migrator's check", async () => {
  const db = open(await createEmpty());
  await sql`create table moving (a int, b int)`.execute(db);
  let isOpen = true;
  const change = async () => {
    while (isOpen) {
      await sql`alter table moving rename to moved`.execute(db);
      await sql`create table moving (c int)`.execute(db);
      await sql`drop table moving`.execute(db);
      await sql`alter table moved rename to moving`.execute(db);
    }
  };
  const changing = change();
  const looks = Array.from({ length: 40 }, () => migrate(db, silentLog));
  await Promise.all(looks).finally(() => {
    isOpen = false;
  });
  await changing;
  expect(await applied(db)).toEqual(MIGRATIONS);
});

/** Creates a database in which a newer version has applied a migration with this name. */
async function createNewer(migration: string): Promise<{ url: string; db: Db }> {
  const database = await createTestDatabase();
  closing.push(database.drop);
  const db = open(database.url);
  await sql`insert into schema_migrations (name, timestamp) values (${migration}, now()::text)`.execute(db);
  return { url: database.url, db };
}

test('refuses a newer incompatible schema and leaves it unchanged', async () => {
  const { url, db } = await createNewer('9999-drop-all-after-9998');
  const part = await startProcess(partEnv(url));
  expect(part.url).toBeUndefined();
  expect(await part.end()).toBeGreaterThan(0);
  expect(part.output()).toMatch(
    /api did not start: The database is newer than this version.*9999-drop-all-after-9998/,
  );
  await expect(assertMigrated(db)).rejects.toThrow(/newer than this version.*9999-drop-all-after-9998/);
  expect(await applied(db)).toEqual([...MIGRATIONS, '9999-drop-all-after-9998']);
});

test.each(['9999-of-the-future', `9999-drop-nick-after-${MIGRATIONS.at(-1)!.slice(0, 4)}`])(
  'starts on a newer compatible schema: %s',
  async (migration) => {
    const { url, db } = await createNewer(migration);
    const part = await startProcess(partEnv(url));
    expect(part.url, part.output()).toBeDefined();
    expect((await fetch(`${part.url}/health/ready`)).status).toBe(200);
    expect(await part.end()).toBe(0);
    expect(part.output()).toMatch(new RegExp(`${migration}.*compatible with this one`));
    await assertMigrated(db);
    await sql`delete from schema_migrations where name = ${BASELINE}`.execute(db);
    await expect(migrate(db, silentLog)).rejects.toThrow(/newer than this version.*but not 0082-baseline/);
  },
);

test('recognises a database of version 0.1.0, keeps its rows and applies later migrations', async () => {
  const database = await createTestDatabase();
  closing.push(database.drop);
  const app = await startApp({ database: { ...database, drop: async () => {} }, reconcileOnStop: false });
  const players = await Promise.all([app.newPlayer({ usdt: 50 }), app.newPlayer({ usdt: 50 })]);
  for (const player of players)
    for (let i = 0; i < 5; i++) expect((await betOnDice(player)).status).toBe(201);
  await app.stop();
  const db = open(database.url);
  await recordStepsOfFirstVersion(db);
  const before = await contentsOf(db);
  expect(before.length).toBeGreaterThan(400);
  // The app was started on the newest schema. Version 0.1.0 had none of its new columns and tables.
  await sql`alter table sessions drop column confirmed_at`.execute(db);
  await sql`alter table chat_messages drop column is_staff`.execute(db);
  await sql`drop table roles, saved_views, user_tags`.execute(db);
  expect(await migrate(db, silentLog)).toEqual(AFTER_BASELINE);
  await assertMigrated(db);

  const own = AFTER_BASELINE.map((name) => [name, readFileSync(`migrations/${name}.sql`, 'utf8')]);
  const folder = folderOf('expand', { ...Object.fromEntries(own), '9000-vault-moves': EXPAND });
  expect(await migrate(db, silentLog, folder)).toEqual(['9000-vault-moves']);
  expect(await applied(db)).toEqual([...STEPS_OF_FIRST_VERSION, ...AFTER_BASELINE, '9000-vault-moves']);
  expect(await contentsOf(db)).toEqual(before);

  const part = await startProcess(partEnv(database.url));
  expect(part.url, part.output()).toBeDefined();
  expect((await fetch(`${part.url}/health/ready`)).status).toBe(200);
  expect(await part.end()).toBe(0);
  expect((await reconcile(db, { seedSecret: app.config.SEED_SECRET })).findings).toEqual([]);
});

test('refuses a database with only some of the migrations of version 0.1.0 and leaves it unchanged', async () => {
  const database = await createTestDatabase();
  closing.push(database.drop);
  const db = open(database.url);
  await recordStepsOfFirstVersion(db);
  await sql`delete from schema_migrations where name like '0082%'`.execute(db);
  const before = [await schemaOf(db), await contentsOf(db), await applied(db)];
  const part = await startProcess(partEnv(database.url));
  expect(part.url).toBeUndefined();
  expect(await part.end()).toBe(1);
  expect(part.output()).toMatch(/81 of 82 migrations\).*upgrade it with version 0\.1\.0 first/);
  await expect(assertMigrated(db)).rejects.toThrow(/upgrade it with version 0\.1\.0 first/);
  expect([await schemaOf(db), await contentsOf(db), await applied(db)]).toEqual(before);
});

/** Returns every row of the tables of the baseline. */
async function contentsOf(db: Db): Promise<string[]> {
  const { rows: tables } = await sql<{ name: string }>`
    select relname as name from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace
      and relname not in ('schema_migrations', 'schema_migrations_lock', 'vault_moves') order by 1`.execute(
    db,
  );
  const queries = tables.map(
    ({ name }) =>
      sql`select ${name}::text || (to_jsonb(t) - 'vault_moves')::text as row from ${sql.table(name)} t`,
  );
  const { rows } = await sql<{ row: string }>`${sql.join(queries, sql` union all `)} order by 1`.execute(db);
  return rows.map(({ row }) => row);
}

test('lets other statements run while a migration waits for a table, and retries the migration', async () => {
  const folder = folderOf('waiting', { '0083-one': 'create table one ()' });
  const db = open(await createEmpty(), 4);
  await migrate(db, silentLog, folder);
  writeFileSync(join(folder, '0084-two.sql'), 'alter table one add column b int');
  const said: string[] = [];
  const log = { ...silentLog, warn: (_: object, line: string) => void said.push(line) };
  const { migrating, passed } = await db.transaction().execute(async (tx) => {
    await sql`select * from one`.execute(tx);
    const migrating = migrate(db, log, folder);
    await until(async () => said.length > 1);
    // A migration that waits before its next attempt blocks no other statement.
    const passed = await sql`select * from one`.execute(db);
    return { migrating, passed };
  });
  expect(passed.rows).toEqual([]);
  expect(await migrating).toEqual(['0084-two']);
  expect(said[0]).toMatch(/waiting for a table that is in use/);
});

test('warns when both steps of an incompatible change are applied in one run', async () => {
  const folder = folderOf('skipped', { '0083-one': 'create table one ()' });
  const db = open(await createEmpty());
  const said: object[] = [];
  const log = { ...silentLog, warn: (facts: object) => void said.push(facts) };
  await migrate(db, log, folder);
  writeFileSync(join(folder, '0084-two.sql'), 'select 1');
  writeFileSync(join(folder, '0085-drop-one-after-0084.sql'), 'drop table one');
  await migrate(db, log, folder);
  expect(said).toEqual([{ migration: '0085-drop-one-after-0084' }]);
});

test('rejects a new migration that sorts before an applied one', async () => {
  const folder = folderOf('out-of-order', {
    '0083-one': 'create table one ()',
    '0085-three': 'create table three ()',
  });
  const db = open(await createEmpty());
  await migrate(db, silentLog, folder);
  writeFileSync(join(folder, '0084-two.sql'), 'create table two ()');
  await expect(migrate(db, silentLog, folder)).rejects.toThrow(/newer/);
  expect(await applied(db)).toEqual([BASELINE, '0083-one', '0085-three']);
});

test('rolls back a failed migration and applies it once it is fixed', async () => {
  const broken = { '0083-one': 'create table one ()', '0084-two': 'create table two (); select 1 / 0' };
  const folder = folderOf('broken', broken);
  const db = open(await createEmpty());
  await expect(migrate(db, silentLog, folder)).rejects.toThrow(/division by zero/);
  expect(await applied(db)).toEqual([]);
  expect((await schemaOf(db)).filter((line) => /\b(one|two)\b/.test(line))).toEqual([]);
  writeFileSync(join(folder, '0084-two.sql'), 'create table two (id int)');
  expect(await migrate(db, silentLog, folder)).toEqual([BASELINE, '0083-one', '0084-two']);
});

function folderOf(name: string, files: Record<string, string>): string {
  const folder = join(dir, name);
  mkdirSync(folder);
  for (const [file, text] of Object.entries(files)) writeFileSync(join(folder, `${file}.sql`), text);
  return folder;
}
