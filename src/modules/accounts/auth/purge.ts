import { sql } from 'kysely';
import type { Config } from '../../../platform/config/config.ts';
import type { Db } from '../../../platform/database/db.ts';
import type { Job } from '../../../platform/jobs/jobs.ts';
import { DAY_SECONDS, deleteDue, overdueOf } from '../../../platform/jobs/purge.ts';

/**
 * Deletes sessions SESSIONS_KEEP_DAYS after their end. Their used refresh tokens, which are needed to detect replays until then, are
 * deleted with them. Used links that verify an address are deleted after 30 days, other tokens when they expire.
 */
export const purgeJobs = (
  db: Db,
  { SESSIONS_KEEP_DAYS, MFA_PENDING_SECONDS }: Pick<Config, 'SESSIONS_KEEP_DAYS' | 'MFA_PENDING_SECONDS'>,
): Job[] => [
  {
    name: 'sessions.purge',
    everyMs: 3_600_000,
    run: () => purgeSessions(db, SESSIONS_KEEP_DAYS),
    overdue: [
      overdueOf({
        table: 'sessions',
        after: 'least(revoked_at, expires_at)',
        keepSeconds: SESSIONS_KEEP_DAYS * DAY_SECONDS,
      }),
    ],
  },
  {
    name: 'sign-in.purge',
    everyMs: 600_000,
    run: async () => {
      await purgePendingFactors(db);
      for (const expiry of signInExpiries(MFA_PENDING_SECONDS)) await deleteDue(db, expiry);
    },
    overdue: signInExpiries(MFA_PENDING_SECONDS).map(overdueOf),
  },
];

const signInExpiries = (pendingSeconds: number) => [
  { table: 'attempts', after: 'expires_at', keepSeconds: 0 },
  { table: 'email_changes', after: 'expires_at', keepSeconds: 0 },
  // Assertions that are older than a few minutes are rejected because of their timestamp, so their nonces are no longer needed.
  { table: 'openid_nonces', after: 'seen_at', keepSeconds: DAY_SECONDS },
  { table: 'pending_factors', after: 'created_at', keepSeconds: pendingSeconds },
  {
    table: 'one_time_tokens',
    after: 'expires_at',
    keepSeconds: 0,
    where: `(purpose <> 'VERIFY_EMAIL' or used_at is null)`,
  },
  {
    table: 'one_time_tokens',
    after: 'used_at',
    keepSeconds: 30 * DAY_SECONDS,
    where: `purpose = 'VERIFY_EMAIL' and used_at is not null`,
  },
];

/** The number of sessions that one statement deletes. Each may have thousands of used refresh tokens. */
const BATCH = 100;

/** Commits each batch separately. `least` ignores the null value of sessions that were not revoked. */
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

/** Deletes the pending second-factor keys of revoked sessions. */
async function purgePendingFactors(db: Db): Promise<void> {
  await sql`delete from pending_factors p using sessions s where s.id = p.session_id and s.revoked_at is not null`.execute(
    db,
  );
}
