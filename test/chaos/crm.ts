import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { NAMES } from '../../src/modules/backoffice/crm/outbound/rules.ts';
import type { Db } from '../../src/platform/db.ts';

/** How the CRM answers; none of these is a refusal, so nothing is given up. */
export const CRM_MOODS = ['ok', 'ok', 'down', 'garbage', 'error', 'busy'] as const;

const WITHIN_MS = 120_000;

/** Events that the CRM has not got, after all that wait for another try were tried again. */
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
