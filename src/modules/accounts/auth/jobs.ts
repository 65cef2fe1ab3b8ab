import { sql } from 'kysely';
import type { Config } from '../../../platform/config.ts';
import type { Db } from '../../../platform/db.ts';
import { purgeAttempts } from './attempts.ts';

/**
 * Used refresh tokens are stored as long as their session, which every refresh prolongs: replays are recognised until then. Sessions are
 * deleted SESSIONS_KEEP_DAYS after their end, used links that verify an address after 30 days, other tokens when they expire.
 */
export const sessionJobs = (
  db: Db,
  { SESSIONS_KEEP_DAYS, MFA_PENDING_SECONDS }: Pick<Config, 'SESSIONS_KEEP_DAYS' | 'MFA_PENDING_SECONDS'>,
) => [
  { name: 'sessions.purge', everyMs: 3_600_000, run: () => purgeSessions(db, SESSIONS_KEEP_DAYS) },
  {
    name: 'sign-in.purge',
    everyMs: 600_000,
    run: async () => {
      await purgeAttempts(db);
      await purgeTokens(db);
      await purgePendingFactors(db, MFA_PENDING_SECONDS);
      await db.deleteFrom('email_changes').where('expires_at', '<', sql<Date>`now()`).execute();
      // Assertions older than a few minutes are refused by their own time.
      await db
        .deleteFrom('openid_nonces')
        .where('seen_at', '<', sql<Date>`now() - interval '1 day'`)
        .execute();
    },
  },
];

/** Sessions of one statement: each may have thousands of used refresh tokens. */
const BATCH = 100;

/** In small batches, each committed by itself. `least` ignores the null of a session that was not revoked. */
async function purgeSessions(db: Db, days: number): Promise<void> {
  let deleted: bigint;
  do {
    const { numAffectedRows } = await sql`
      with ended as (
        select id from sessions where least(revoked_at, expires_at) < now() - interval '1 day' * ${days}::int
        limit ${BATCH} for update skip locked
      ), used as (
        delete from used_refresh_tokens where session_id in (select id from ended)
      )
      delete from sessions where id in (select id from ended)`.execute(db);
    deleted = numAffectedRows ?? 0n;
  } while (deleted === BigInt(BATCH));
}

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

/** Pending keys of second factors that can no longer be confirmed. */
async function purgePendingFactors(db: Db, lifeSeconds: number): Promise<void> {
  await sql`delete from pending_factors p using sessions s where s.id = p.session_id
    and (p.created_at < now() - make_interval(secs => ${lifeSeconds}) or s.revoked_at is not null)`.execute(
    db,
  );
}
