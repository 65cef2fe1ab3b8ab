import pg from 'pg';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createTestDatabase } from '../../../test/kit/database.ts';
import { fixture } from '../../../test/kit/fixture.ts';
import { until } from '../../../test/kit/until.ts';
import { silentLog } from '../observability/log.ts';
import { createClient, createPool, type DbOptions, type Pool } from './db.ts';
import { isUnavailable } from './errors.ts';
import { createOwnConnection } from './own-connection.ts';
import { createPrimary } from './replica/primary.ts';

const database = fixture(createTestDatabase);
let pool: Pool;
const options = (changes: Partial<DbOptions> = {}): DbOptions => ({
  connectionString: database.url,
  poolSize: 1,
  connectTimeoutMs: 5000,
  statementTimeoutMs: 4000,
  name: 'guarded',
  primary: createPrimary(silentLog),
  ...changes,
});
beforeEach(() => {
  pool = createPool(options(), silentLog);
});
afterEach(() => pool.end());

const ask = async (text: string, from: Pick<Pool, 'query'> = pool) => (await from.query(text)).rows[0];
const pid = async () => (await ask('select pg_backend_pid() as pid')).pid as number;
const admin = async (text: string) => {
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  await client.query(text).finally(() => client.end());
};

test('sets timeouts without startup parameters, which poolers drop or reject', async () => {
  expect(await ask('show statement_timeout')).toEqual({ statement_timeout: '4s' });
  expect(await ask('show idle_in_transaction_session_timeout')).toEqual({
    idle_in_transaction_session_timeout: '10s',
  });
  const reading = createPool(options({ isReadOnly: true, primary: undefined }), silentLog);
  expect(await ask('show default_transaction_read_only', reading)).toEqual({
    default_transaction_read_only: 'on',
  });
  await reading.end();
});

test.each([
  ['25006', 'begin read only; create table never (n int)'],
  ['26000', 'execute nothing'],
  ['42P05', 'prepare twice as select 1; prepare twice as select 1'],
])('discards the connection and returns 503 on %s', async (code, text) => {
  const before = await pid();
  // Like Kysely, the test releases the connection without passing the error to the pool.
  const client = await pool.connect();
  const error = await client.query(text).catch((e: unknown) => e);
  client.release();
  expect(error).toMatchObject({ code });
  expect(isUnavailable(error)).toBe(true);
  expect(await pid()).not.toBe(before);
});

test('keeps the connection open after an unrelated error', async () => {
  const before = await pid();
  const client = await pool.connect();
  await expect(client.query('select 1 / 0')).rejects.toMatchObject({ code: '22012' });
  client.release();
  expect(await pid()).toBe(before);
});

test('closes open connections and rejects new ones while the database is read-only', async () => {
  const own = createOwnConnection(options());
  const before = [await pid(), (await own.get()) && true];
  expect(before[1]).toBe(true);
  const client = createClient(options());
  client.on('error', () => undefined);
  await client.connect();
  // Simulates the message with which the server reports a changed setting. A session may also change its own setting.
  for (const one of [pool, await own.get(), client])
    await one.query('set default_transaction_read_only = on').catch(() => undefined);
  await until(() => own.current() === undefined);
  await expect(client.query('select 1')).rejects.toThrow(/not queryable/);
  await admin(`alter database ${database.name} set default_transaction_read_only = on`);
  try {
    await expect(pid()).rejects.toThrow(/read-only database/);
    await expect(own.get()).rejects.toThrow(/read-only database/);
  } finally {
    // A role that may change this setting can still write to the database.
    await admin(
      `begin read write; alter database ${database.name} reset default_transaction_read_only; commit`,
    );
  }
  expect(await pid()).not.toBe(before[0]);
  await own.get();
  await own.close();
});
