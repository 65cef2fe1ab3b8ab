import { sql } from 'kysely';
import type { Db } from '../../../platform/db.ts';

/** Lets others take the names that players have left long ago; never those of staff. */
export const userJobs = (db: Db, { USERNAMES_KEEP_DAYS: days }: { USERNAMES_KEEP_DAYS: number }) => [
  {
    name: 'usernames.purge',
    everyMs: 3_600_000,
    run: async () => {
      await db
        .deleteFrom('freed_usernames')
        .where('is_for_ever', '=', false)
        .where('freed_at', '<', sql<Date>`now() - interval '1 day' * ${days}::int`)
        .execute();
    },
  },
];
