import { sql } from 'kysely';
import type { Tx } from '../../../platform/db.ts';
import { emitEvent, MOST_EVENTS } from '../../base/events/service.ts';
import { announceUserChange } from '../../base/users/service.ts';

/** Why a session has ended; front ends may show it. */
export type Ending =
  | ('SIGNED_OUT' | 'SIGNED_IN_AGAIN' | 'ENDED_BY_USER' | 'REFRESH_REPLAYED' | 'PASSWORD_CHANGED')
  | ('MFA_ENABLED' | 'MFA_DISABLED' | 'MFA_RESET' | 'PASSKEY_REMOVED' | 'EMAIL_CHANGED')
  | ('BANNED' | 'CLOSED_FOR_TEST');

/** Ends one session unless it has ended already; every process and the user are notified at commit. */
export async function revokeSession(tx: Tx, sessionId: string, reason: Ending): Promise<boolean> {
  const ended = await tx
    .updateTable('sessions')
    .set({ revoked_at: sql<Date>`now()`, revoked_reason: reason })
    .where('id', '=', sessionId)
    .where('revoked_at', 'is', null)
    .returning('user_id')
    .executeTakeFirst();
  if (!ended) return false;
  await notifyProcesses(tx, sessionId);
  await emitEvent(tx, { event: 'session.revoked', userId: ended.user_id, data: { sessionId, reason } });
  return true;
}

/** Ends every session of a user but `except`; returns how many. */
export async function revokeSessions(
  tx: Tx,
  userId: number,
  reason: Ending,
  except: string | null = null,
): Promise<number> {
  const ended = await tx
    .updateTable('sessions')
    .set({ revoked_at: sql<Date>`now()`, revoked_reason: reason })
    .where('user_id', '=', userId)
    .where('revoked_at', 'is', null)
    .where('expires_at', '>', sql<Date>`now()`)
    .$if(except !== null, (q) => q.where('id', '<>', except!))
    .returning('id')
    .execute();
  if (ended.length === 0) return 0;
  await announceUserChange(tx, userId);
  const about = (sessionId: string | null) => ({
    event: 'session.revoked' as const,
    userId,
    data: { sessionId, reason },
  });
  // Null names all sessions; when one is spared, the event has to name each of the others.
  const named = except === null ? [null] : ended.map(({ id }) => id);
  for (let at = 0; at < named.length; at += MOST_EVENTS)
    await emitEvent(tx, ...named.slice(at, at + MOST_EVENTS).map(about));
  return ended.length;
}

const notifyProcesses = (tx: Tx, sessionId: string) =>
  sql`select pg_notify('access_changed', ${`session:${sessionId}`})`.execute(tx);
