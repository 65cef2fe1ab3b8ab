import { sql } from 'kysely';
import type { Db } from '../../platform/db.ts';

/** A key is remembered for 30 days; old ones go in small bites, so that no bet waits for the cleaning. */
export const idempotencyJobs = (db: Db) => [
  {
    name: 'idempotency.purge',
    everyMs: 600_000,
    run: async () => {
      await sql`delete from idempotency_keys where (user_id, key) in (
        select user_id, key from idempotency_keys where created_at < now() - interval '30 days' limit 5000)`.execute(
        db,
      );
    },
  },
];
