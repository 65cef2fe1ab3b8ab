import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { expect, onTestFinished, test } from 'vitest';
import { startApp } from '../../../../test/kit/app.ts';
import { createTestDatabase } from '../../../../test/kit/database.ts';
import { fixture } from '../../../../test/kit/fixture.ts';
import { silentLog } from '../../observability/log.ts';
import { createDb, createPool } from '../db.ts';
import { listLocaleKeys } from './locale-keys.ts';
import { migrate } from './migrate.ts';

const database = fixture(createTestDatabase);

function open(url: string) {
  const times = { connectTimeoutMs: 20_000, statementTimeoutMs: 60_000 };
  const pool = createPool({ connectionString: url, poolSize: 1, ...times, name: 'test locale' }, silentLog);
  return { db: createDb(pool), close: () => pool.end() };
}

/** Creates an empty database that sorts text by English rules, as most hosted databases do. */
async function createEnglish() {
  const name = `english_${randomBytes(4).toString('hex')}`;
  const admin = open(database.url);
  await sql`create database ${sql.id(name)} template template0 locale_provider icu icu_locale 'en-US'`.execute(
    admin.db,
  );
  const url = database.url.replace(/\/[^/?]+(?=\?|$)/, `/${name}`);
  const own = open(url);
  onTestFinished(async () => {
    await own.close();
    await sql`drop database ${sql.id(name)} with (force)`.execute(admin.db);
    await admin.close();
  });
  return { name, url, db: own.db, drop: async () => undefined };
}

test('makes unique keys compare bytes in a database with an English locale', async () => {
  const english = await createEnglish();
  const app = await startApp({ database: english });
  onTestFinished(app.stop);
  expect(await listLocaleKeys(english.db)).toEqual([]);
  // Checks that no view, trigger or index is missing.
  const plain = open(database.url);
  onTestFinished(plain.close);
  const namesIn = async (db: typeof plain.db) => {
    const { rows } = await sql<{ name: string }>`
      select viewname as name from pg_views where schemaname = 'public'
      union all select pg_get_triggerdef(oid) from pg_trigger where not tgisinternal
      union all select indexdef from pg_indexes where schemaname = 'public'`.execute(db);
    return new Set(rows.map(({ name }) => name));
  };
  expect(await namesIn(english.db)).toEqual(await namesIn(plain.db));

  const player = await app.newPlayer({ usdt: 10 });
  const bet = { currencyId: 'USDT', betAmount: '1', threshold: 50, above: true };
  expect((await player.call('POST', '/casino/games/house/dice/bet', { body: bet })).status).toBe(201);
  const headers = { 'x-debug-token': app.config.DEBUG_TOKEN ?? '' };
  const again = { username: player.username.toUpperCase() };
  const taken = await app.call('POST', '/debug/user/create', { headers, body: again });
  expect(taken.body.code).toBe('AUTH_USER_EXISTS');
});

test('does not change columns from earlier versions, because running processes use them', async () => {
  const english = await createEnglish();
  const folder = mkdtempSync(join(tmpdir(), 'croupier-locale-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const add = (file: string, text: string) => writeFileSync(join(folder, file), text);
  add('0083-first.sql', 'create table first (name text primary key);');
  await migrate(english.db, silentLog, folder);
  await sql`create table old (name text primary key)`.execute(english.db);
  const two = 'create table second (name text primary key); alter table first add column nick text unique;';
  add('0084-second.sql', two);
  await migrate(english.db, silentLog, folder);
  expect(await listLocaleKeys(english.db)).toEqual([{ table: 'old', column: 'name' }]);
});
