import { sql } from 'kysely';
import type { Db } from '../../platform/db.ts';
import { purgeAttempts } from './attempts.ts';

/**
 * Used refresh tokens are kept as long as their session could live: replays are recognised until then. Links that have
 * verified an address answer so for 30 days; other tokens are nothing once they are over.
 */
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
  {
    name: 'sign-in.purge',
    everyMs: 600_000,
    run: async () => {
      await purgeAttempts(db);
      await purgeTokens(db);
      // Assertions older than a few minutes are refused by their own time.
      await db
        .deleteFrom('openid_nonces')
        .where('seen_at', '<', sql<Date>`now() - interval '1 day'`)
        .execute();
    },
  },
];

async function purgeTokens(db: Db): Promise<void> {
  await db
    .deleteFrom('one_time_tokens')
    .where('expires_at', '<', sql<Date>`now()`)
    .where((eb) =>
      eb.or([
        eb('purpose', '<>', 'VERIFY_EMAIL'),
        eb('used_at', 'is', null),
        eb('used_at', '<', sql<Date>`now() - interval '30 days'`),
      ]),
    )
    .execute();
}
