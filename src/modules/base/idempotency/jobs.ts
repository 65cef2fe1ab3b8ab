import { sql } from 'kysely';
import type { Db } from '../../../platform/db.ts';

/** Old keys go in small bites, so that no bet waits for the cleaning. */
export const idempotencyJobs = (
  db: Db,
  { IDEMPOTENCY_KEEP_DAYS: days }: { IDEMPOTENCY_KEEP_DAYS: number },
) => [
  {
    name: 'idempotency.purge',
    everyMs: 600_000,
    run: async () => {
      await sql`delete from idempotency_keys where (user_id, key) in (
        select user_id, key from idempotency_keys
        where created_at < now() - interval '1 day' * ${days}::int limit 5000)`.execute(db);
    },
  },
];
