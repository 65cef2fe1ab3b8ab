import { sql } from 'kysely';
import { z } from 'zod';
import { iso } from '../../../../platform/clock.ts';
import { type Db, type Tx, transaction } from '../../../../platform/database/db.ts';
import { addJob, JobHopeless } from '../../../../platform/queue/queue.ts';
import { emitEvent } from '../../../base/events/service.ts';
import { authEvents } from '../schemas.ts';

/** The task that emits `session.used`. */
export const SESSION_UPDATE = 'session-update';

const Job = z.object({ sessionId: z.uuid() });

/** Queues the task in the transaction that opens or refreshes a session. One queued task per session is enough. */
export const queueSessionUpdate = (tx: Tx, sessionId: string): Promise<void> =>
  addJob(tx, SESSION_UPDATE, { sessionId }, { key: `${SESSION_UPDATE}:${sessionId}` });

/**
 * Runs the task: emits `session.used` once for each minute in which a session was opened or refreshed, however often the task runs and
 * however late. Does nothing if the session has been deleted.
 */
export async function reportUse({ db }: { db: Db }, payload: unknown): Promise<void> {
  const job = Job.safeParse(payload);
  if (!job.success) throw new JobHopeless('names no session');
  await transaction(db, (tx) => emitUse(tx, job.data.sessionId));
}

async function emitUse(tx: Tx, sessionId: string): Promise<void> {
  const used = await claimUse(tx, sessionId);
  if (!used) return;
  const { userId, wasReported, signedInAt, usedAt, ...about } = used;
  await emitEvent(tx, {
    event: authEvents['session.used'],
    userId,
    data: {
      sessionId,
      by: wasReported ? 'REFRESH' : 'SIGN_IN',
      signedInAt: iso(signedInAt),
      usedAt: iso(usedAt),
      ...about,
    },
  });
}

type Use = {
  userId: number;
  /** True if an event for the session's sign-in has already been emitted. */
  wasReported: boolean;
  signedInAt: Date;
  usedAt: Date;
  provider: string;
  country: string | null;
  device: string | null;
  deviceType: string | null;
  browser: string | null;
  os: string | null;
};

/**
 * Returns the last use of a session, unless a use in the same minute was already reported. Does not depend on the current time, so that a
 * late run has the same result.
 */
async function claimUse(tx: Tx, sessionId: string): Promise<Use | undefined> {
  const { rows } = await sql<Use>`
    with due as (
      select id, said_until from sessions
      where id = ${sessionId} and date_trunc('minute', said_until) is distinct from date_trunc('minute', last_used_at)
      for no key update
    )
    update sessions s set said_until = s.last_used_at from due where s.id = due.id
    returning user_id as "userId", due.said_until is not null as "wasReported", created_at as "signedInAt", last_used_at as "usedAt",
      provider, country_code as country, device, device_type as "deviceType", browser, os`.execute(tx);
  return rows[0];
}
