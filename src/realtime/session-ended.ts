import type { Frame } from './feed.ts';
import type { Member } from './members.ts';

export const SESSION_ENDED = 'session.revoked';

/** Whether a frame says that the session of a socket has ended: it is named, or all of the user's have that were there then. */
export function endsSessionOf({ sessionId }: Pick<Member, 'sessionId'>, { event, data }: Frame): boolean {
  if (event !== SESSION_ENDED) return false;
  const ended = (data as { sessionId: string | null }).sessionId;
  return ended === null || ended === sessionId;
}
