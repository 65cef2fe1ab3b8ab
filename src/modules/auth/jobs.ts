import { sql } from 'kysely';
import type { Db } from '../../platform/db.ts';

/** Used refresh tokens are kept as long as their session could live: replays are recognised until then. */
export const sessionJobs = (db: Db) => [
  {
    name: 'sessions.purge',
    everyMs: 3_600_000,
    run: async () => {
      await db
        .deleteFrom('used_refresh_tokens')
        .where('used_at', '<', sql<Date>`now() - interval '60 days'`)
        .execute();
    },
  },
];
