import { sql } from 'kysely';
import { z } from 'zod';
import { iso } from '../../../platform/clock.ts';
import { type Db, type Tx, transaction } from '../../../platform/db.ts';
import { addJob, JobHopeless } from '../../../platform/queue.ts';
import { emitEvent } from '../../base/events/service.ts';

/** The job that says who has signed in or come back, from where and with which device. */
export const SESSION_UPDATE = 'session-update';

const Job = z.object({ sessionId: z.uuid() });

/** Queues it in the transaction that opens a session or refreshes it; what waits already for the same session is enough. */
export const queueSessionUpdate = (tx: Tx, sessionId: string): Promise<void> =>
  addJob(tx, SESSION_UPDATE, { sessionId }, { key: `${SESSION_UPDATE}:${sessionId}` });

/**
 * Emits `session.used` once for each minute in which a session was opened or refreshed, however often the job runs and however late.
 * Nothing happens when the session has been deleted.
 */
export const createSessionUpdates =
  (db: Db) =>
  async (payload: unknown): Promise<void> => {
    const job = Job.safeParse(payload);
    if (!job.success) throw new JobHopeless('names no session');
    await transaction(db, (tx) => sayUse(tx, job.data.sessionId));
  };

async function sayUse(tx: Tx, sessionId: string): Promise<void> {
  const used = await takeUse(tx, sessionId);
  if (!used) return;
  const { userId, said, signedInAt, usedAt, ...about } = used;
  await emitEvent(tx, {
    event: 'session.used',
    userId,
    data: {
      sessionId,
      by: said ? 'REFRESH' : 'SIGN_IN',
      signedInAt: iso(signedInAt),
      usedAt: iso(usedAt),
      ...about,
    },
  });
}

type Use = {
  userId: number;
  /** Whether its sign-in was said before. */
  said: boolean;
  signedInAt: Date;
  usedAt: Date;
  provider: string;
  country: string | null;
  device: string | null;
  deviceType: string | null;
  browser: string | null;
  os: string | null;
};

/** The last use of a session, if no use in the same minute was taken before. Time stands in the row alone: a late run finds the same. */
async function takeUse(tx: Tx, sessionId: string): Promise<Use | undefined> {
  const { rows } = await sql<Use>`
    with due as (
      select id, said_until from sessions
      where id = ${sessionId} and date_trunc('minute', said_until) is distinct from date_trunc('minute', last_used_at)
      for no key update
    )
    update sessions s set said_until = s.last_used_at from due where s.id = due.id
    returning user_id as "userId", due.said_until is not null as said, created_at as "signedInAt", last_used_at as "usedAt",
      provider, country_code as country, device, device_type as "deviceType", browser, os`.execute(tx);
  return rows[0];
}
