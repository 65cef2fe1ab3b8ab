import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { NAMES } from '../../src/modules/backoffice/crm/outbound/rules.ts';
import type { Db } from '../../src/platform/database/db.ts';

/** Modes of the CRM. None of them rejects a message permanently, so no message becomes a dead letter. */
export const CRM_MOODS = ['ok', 'ok', 'down', 'garbage', 'error', 'busy'] as const;

const WITHIN_MS = 120_000;

/** Returns the events that the CRM has not received after all pending retries. */
export async function untold(db: Db, arrivals: () => Promise<string[]>): Promise<string[]> {
  const until = Date.now() + WITHIN_MS;
  for (;;) {
    await sql`update crm_players set due_at = now() where due_at is not null`.execute(db);
    const arrived = new Set(await arrivals());
    const { rows } = await sql<{ id: bigint; name: string; userId: number }>`
      select id, name, user_id as "userId" from events where name = any(${[...NAMES]}::text[]) and user_id > 0 order by id`.execute(
      db,
    );
    const missing = rows.filter(({ id }) => !arrived.has(String(id)));
    if (missing.length === 0 || Date.now() > until)
      return missing.map(({ id, name, userId }) => `the CRM was not told of ${name} ${id} of user ${userId}`);
    await sleep(1000);
  }
}
