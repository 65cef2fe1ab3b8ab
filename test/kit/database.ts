import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { inject } from 'vitest';

export const TEMPLATE = 'croupier_template';

const urlOf = (database: string) => inject('postgres').replace(/(%7B|\{)database(%7D|\})/i, database);

export type TestDatabase = { name: string; url: string; drop(): Promise<void> };

/** Creates a fresh migrated database for one test file. */
export async function createTestDatabase(): Promise<TestDatabase> {
  const name = `test_${randomBytes(8).toString('hex')}`;
  await admin(`create database ${name} template ${TEMPLATE}`);
  return { name, url: urlOf(name), drop: () => admin(`drop database if exists ${name} with (force)`) };
}

async function admin(sql: string): Promise<void> {
  const client = new pg.Client({ connectionString: urlOf('postgres') });
  await client.connect();
  try {
    for (let attempt = 1; ; attempt++) {
      try {
        await client.query(sql);
        return;
      } catch (error) {
        // Retries, because two test workers cannot clone the template at the same time.
        if (attempt > 50 || (error as { code?: string }).code !== '55006') throw error;
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
    }
  } finally {
    await client.end();
  }
}
