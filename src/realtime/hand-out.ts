import type { Delivery, Frame } from './feed.ts';
import type { Member, Members } from './members.ts';
import { userOf } from './rooms.ts';

const SESSION_ENDED = 'session.revoked';

export type Outlet = {
  /** Sends a frame to every local socket of a room. */
  toRoom(delivery: Delivery): void;
  toMember(member: Member, frame: Frame): void;
  /** Adds a socket to its member's rooms in Socket.IO. `leave` removes it from all of them. */
  join(member: Member): void;
  leave(member: Member): void;
  /** Disconnects a socket that cannot be served. Its client reconnects. */
  drop(member: Member): void;
};

/** Delivers each frame of the feed to its recipients. Frames for members that are catching up are buffered. */
export function createHandOut(parts: {
  members: Members;
  outlet: Outlet;
  /** Receives members whose session may have ended. */
  onSessionEnd: (members: readonly Member[]) => void;
}) {
  const { members, outlet, onSessionEnd } = parts;
  /**
   * Delivers the event about an ended session to the user's other local sockets. The session's own sockets get the event only once, with
   * the reason, when they are disconnected (watch.ts).
   */
  const tellOfSession = ({ room, frame }: Delivery) => {
    const all = [...members.ofUser(userOf(room))].filter((member) => member.rooms.has(room));
    onSessionEnd(all.filter((member) => endsSessionOf(member, frame)));
    for (const member of all) {
      if (endsSessionOf(member, frame)) continue;
      if (member.held) member.held.push(frame);
      else if (!member.isBehind) outlet.toMember(member, frame);
    }
  };
  return (delivery: Delivery): void => {
    const { room, frame } = delivery;
    if (frame.event === SESSION_ENDED) tellOfSession(delivery);
    else {
      outlet.toRoom(delivery);
      for (const member of members.holding) if (member.rooms.has(room)) member.held?.push(frame);
    }
  };
}

/** Returns true if a frame reports the end of this session or of all the user's sessions. */
export function endsSessionOf({ sessionId }: Pick<Member, 'sessionId'>, { event, data }: Frame): boolean {
  if (event !== SESSION_ENDED) return false;
  const ended = (data as { sessionId: string | null }).sessionId;
  return ended === null || ended === sessionId;
}
