import { randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import pg from 'pg';
import { inject } from 'vitest';
import type { Db } from '../../src/platform/database/db.ts';

export const TEMPLATE = 'croupier_template';

const urlOf = (database: string) => inject('postgres').replace(/(%7B|\{)database(%7D|\})/i, database);

export type TestDatabase = { name: string; url: string; drop(): Promise<void> };

/** Creates a fresh migrated database for one test file. */
export async function createTestDatabase(): Promise<TestDatabase> {
  const name = `test_${randomBytes(8).toString('hex')}`;
  await admin(`create database ${name} template ${TEMPLATE}`);
  return { name, url: urlOf(name), drop: () => admin(`drop database if exists ${name} with (force)`) };
}

/** Changes the records of a database to those of version 0.1.0, which created the tables of the baseline in these steps. */
export async function recordStepsOfFirstVersion(db: Db): Promise<void> {
  await sql`delete from schema_migrations`.execute(db);
  await sql`insert into schema_migrations (name, timestamp)
    select name, '2026-11-01T00:00:00.000Z' from unnest(${STEPS_OF_FIRST_VERSION}::text[]) name`.execute(db);
}

export const STEPS_OF_FIRST_VERSION: readonly string[] = `
  0001-foundation 0002-currencies 0003-house-games 0004-identity 0005-gate 0006-limits 0007-kyc 0008-deposits 0009-withdrawals
  0010-skins 0011-statement 0012-rounds 0013-bets 0014-returns 0015-speed-roulette 0016-positions 0017-open-bets 0018-events
  0019-partitions 0020-socket-io-attachments 0021-feed 0022-consumers 0023-broker 0024-schedules 0025-notifications 0026-retention
  0027-outgoing 0028-staff 0029-stakes 0030-unproven-credentials 0031-adjustments 0032-session-ends 0033-temporary-passwords
  0034-currencies 0035-pending-factors 0036-freed-usernames 0037-refused-calls 0038-last-bets 0039-provider-games 0040-grants
  0041-affiliates 0042-vip-applications 0043-provider-rounds-by-name 0044-rewards 0045-drop-start-of-grants 0046-bonus-of-providers
  0047-leaderboards 0048-tips 0049-logins 0050-challenges 0051-faq 0052-least-levels 0053-announced-states 0054-free-rounds 0055-chat
  0056-passkeys 0057-crm 0058-dashboards 0059-dashboard-days 0060-coming-soon 0061-bot-activity 0062-cheaper-grants
  0063-bots-are-uncounted 0064-hours-of-providers 0065-commit-probes 0066-figures-at-size 0067-undecided-stakes 0068-person-signals
  0069-house-game-artwork 0070-staff-value 0071-deposit-reviews 0072-refresh-answers-repeated 0073-passkeys-of-several-devices
  0074-names-of-staff 0075-origin-of-client-seeds 0076-suspense 0077-countries-of-sessions 0078-mailboxes 0079-turnover-history
  0080-countries-of-documents 0081-backups 0082-purges
`
  .trim()
  .split(/\s+/);

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
