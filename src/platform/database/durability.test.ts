import pg from 'pg';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { fixture } from '../../../test/kit/fixture.ts';
import { startDurablePostgres } from '../../../test/kit/processes/durable.ts';
import { until } from '../../../test/kit/until.ts';
import { silentLog } from '../observability/log.ts';
import { createDb, createPool } from './db.ts';
import { assertDurable, type DurabilityRules } from './durability.ts';

const ANY: DurabilityRules = { ALLOW_UNSAFE_DATABASE: false, DATABASE_REPLICATION: 'any' };
const REQUIRED: DurabilityRules = { ...ANY, DATABASE_REPLICATION: 'required' };

const postgres = fixture(() => startDurablePostgres('durability'));
let admin: pg.Client;
beforeAll(async () => {
  admin = new pg.Client({ connectionString: postgres.url });
  await admin.connect();
});
afterEach(async () => {
  await admin.query('alter role croupier reset all');
  await name('');
});
afterAll(() => admin.end());

/** Configures standbys that do not exist, so a write would wait for them. */
async function name(standbys: string): Promise<void> {
  await admin.query(`alter system set synchronous_standby_names = '${standbys}'`);
  await admin.query('select pg_reload_conf()');
  await until(async () => {
    const { rows } = await admin.query('show synchronous_standby_names');
    return rows[0].synchronous_standby_names === standbys;
  });
}

/** Returns the error message of the durability check for these settings of the role, or undefined if the check passes. */
async function said(rules: DurabilityRules, commit?: string): Promise<string | undefined> {
  if (commit !== undefined) {
    const wait = "set synchronous_commit = 'local'";
    await admin.query(`${wait}; alter role croupier set synchronous_commit = '${commit}'`);
  }
  const timeouts = { connectTimeoutMs: 5000, statementTimeoutMs: 5000 };
  const options = { connectionString: postgres.url, poolSize: 1, ...timeouts, name: 'durability' };
  const pool = createPool(options, silentLog);
  try {
    return await assertDurable(createDb(pool), rules).then(
      () => undefined,
      (error: Error) => error.message,
    );
  } finally {
    await pool.end();
  }
}

test('accepts a primary without standbys unless replication is required or synchronous_commit is off', async () => {
  expect(await said(ANY)).toBeUndefined();
  expect(await said(ANY, 'local')).toBeUndefined();
  expect(await said(ANY, 'remote_write')).toBeUndefined();
  expect(await said(ANY, 'off')).toMatch(/synchronous_commit is off: switch it on/);
  expect(await said({ ...ANY, ALLOW_UNSAFE_DATABASE: true }, 'off')).toBeUndefined();
});

test('rejects a primary without synchronous_standby_names when replication is required', async () => {
  expect(await said(REQUIRED)).toMatch(
    /synchronous_standby_names is empty, but DATABASE_REPLICATION requires/,
  );
});

test('requires that commits wait for the standbys', async () => {
  await name('somebody');
  for (const rules of [ANY, REQUIRED]) {
    expect(await said(rules, 'on')).toBeUndefined();
    expect(await said(rules, 'remote_apply')).toBeUndefined();
    expect(await said(rules, 'local')).toMatch(/synchronous_commit is local, which does not wait/);
    expect(await said(rules, 'off')).toMatch(/synchronous_commit is off/);
  }
  expect(await said(ANY, 'remote_write')).toBeUndefined();
  expect(await said(REQUIRED, 'remote_write')).toMatch(/synchronous_commit is remote_write, which does not/);
});
