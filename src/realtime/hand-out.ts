import type { Delivery, Frame } from './feed.ts';
import type { Member, Members } from './members.ts';
import { userOf } from './rooms.ts';

const SESSION_ENDED = 'session.revoked';

export type Outlet = {
  /** Hands a frame to every socket of a room that is here. */
  toRoom(delivery: Delivery): void;
  toMember(member: Member, frame: Frame): void;
  /** Puts a socket into the rooms that its player is a member of, or takes it out of all. */
  join(member: Member): void;
  leave(member: Member): void;
  /** Disconnects a socket that cannot be served: its client connects again. */
  drop(member: Member): void;
};

/** Hands each frame of the feed to those it is for; of those who are still catching up, it is held back. */
export function createHandOut(parts: {
  members: Members;
  outlet: Outlet;
  /** Hears of members whose session may have ended. */
  onSessionEnd: (members: readonly Member[]) => void;
}) {
  const { members, outlet, onSessionEnd } = parts;
  /** The sockets of an ended session are told once, with the reason, when they are disconnected (watch.ts); other sockets of the user here. */
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

/** Whether a frame says that the session of a socket has ended: it is named, or all sessions of the user have ended. */
export function endsSessionOf({ sessionId }: Pick<Member, 'sessionId'>, { event, data }: Frame): boolean {
  if (event !== SESSION_ENDED) return false;
  const ended = (data as { sessionId: string | null }).sessionId;
  return ended === null || ended === sessionId;
}
