import { randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { createTestDatabase } from '../../../../test/kit/database.ts';
import { fixture } from '../../../../test/kit/fixture.ts';
import { silentLog } from '../../observability/log.ts';
import { createDb, createPool } from '../db.ts';
import { checkCollation, checkUniqueKeys } from './collation.ts';

const database = fixture(createTestDatabase);

async function withDb<T>(url: string, work: (db: ReturnType<typeof createDb>) => Promise<T>): Promise<T> {
  const times = { connectTimeoutMs: 20_000, statementTimeoutMs: 60_000 };
  const pool = createPool(
    { connectionString: url, poolSize: 1, ...times, name: 'test collation' },
    silentLog,
  );
  try {
    return await work(createDb(pool));
  } finally {
    await pool.end();
  }
}

test('warns when the database collation differs from the one its indexes were built with', () =>
  withDb(database.url, async (db) => {
    const warnings: object[] = [];
    const log = { warn: (facts: object, message: string) => void warnings.push({ ...facts, message }) };
    await checkCollation(db, log);
    expect(warnings).toEqual([]);
    const ofThis = sql`where datname = current_database()`;
    await sql`update pg_database set datcollversion = '0.1' ${ofThis}`.execute(db);
    await checkCollation(db, log);
    expect(warnings).toMatchObject([{ made: '0.1' }]);
    expect(JSON.stringify(warnings)).toContain('REINDEX DATABASE');
    await sql`update pg_database set datcollversion = null ${ofThis}`.execute(db);
    await checkCollation(db, log);
    expect(warnings).toHaveLength(1);
  }));

test('warns about unique keys that depend on the database locale', () =>
  withDb(database.url, async (db) => {
    const warnings: object[] = [];
    const log = { warn: (facts: object) => void warnings.push(facts) };
    await checkUniqueKeys(db, log);
    expect(warnings).toEqual([]);
    const name = `english_${randomBytes(4).toString('hex')}`;
    await sql`create database ${sql.id(name)} template template0 locale_provider icu icu_locale 'en-US'`.execute(
      db,
    );
    try {
      const url = database.url.replace(/\/[^/?]+(?=\?|$)/, `/${name}`);
      await withDb(url, async (other) => {
        await sql`create table old (name text primary key)`.execute(other);
        await checkUniqueKeys(other, log);
      });
      expect(warnings).toEqual([{ keys: ['old.name'] }]);
    } finally {
      await sql`drop database ${sql.id(name)}`.execute(db);
    }
  }));

test('rejects a database that uses Turkish case rules for the letter I', () =>
  withDb(database.url, async (db) => {
    const name = `turkish_${randomBytes(4).toString('hex')}`;
    await sql`create database ${sql.id(name)} template template0 locale_provider icu icu_locale 'tr'`.execute(
      db,
    );
    try {
      const url = database.url.replace(/\/[^/?]+(?=\?|$)/, `/${name}`);
      await withDb(url, (other) => expect(checkCollation(other, silentLog)).rejects.toThrow(/C\.UTF-8/));
    } finally {
      await sql`drop database ${sql.id(name)}`.execute(db);
    }
  }));
