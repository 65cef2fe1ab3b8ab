import type { Socket } from 'socket.io';
import type { Frame } from './feed.ts';

/** What the database knows of a session that is alive. */
export type Standing = {
  userId: number;
  isStaff: boolean;
  /** Staff who have to prove a second factor first. */
  isMfaMissing: boolean;
  isExcluded: boolean;
};

/** A socket of this process with the session that it lives by. */
export type Member = {
  readonly socket: Socket;
  readonly userId: number;
  readonly sessionId: string;
  standing: Standing;
  /** Rooms they are in, or will be in again once they have what they have missed. */
  readonly rooms: Set<string>;
  /** They are told what they have missed, or wait for it: until then they are in no room of the transport. */
  isBehind: boolean;
  /** Live frames that wait until the missed ones were sent. Undefined: nothing waits. */
  held: Frame[] | undefined;
};

export type Members = ReturnType<typeof createMembers>;

/** Everybody who has a socket here, by user and by session. */
export function createMembers() {
  const all = new Set<Member>();
  const holding = new Set<Member>();
  const byUser = new Map<number, Set<Member>>();
  const bySession = new Map<string, Set<Member>>();
  const wanted = new Map<string, number>();
  let users: readonly number[] | undefined;

  // Players' own rooms are known by their sockets: counted, they would stay when the players have gone.
  const count = (room: string, change: 1 | -1) => {
    if (!room.startsWith('user:')) wanted.set(room, (wanted.get(room) ?? 0) + change);
  };
  return {
    all: all as ReadonlySet<Member>,
    /** Those whose frames wait. */
    holding: holding as ReadonlySet<Member>,
    ofUser: (userId: number): ReadonlySet<Member> => byUser.get(userId) ?? NOBODY,
    ofSession: (sessionId: string): ReadonlySet<Member> => bySession.get(sessionId) ?? NOBODY,

    add(member: Member): void {
      all.add(member);
      if (!byUser.has(member.userId)) users = undefined;
      put(byUser, member.userId, member);
      put(bySession, member.sessionId, member);
    },
    remove(member: Member): void {
      if (!all.delete(member)) return;
      holding.delete(member);
      for (const room of member.rooms) count(room, -1);
      member.rooms.clear();
      take(byUser, member.userId, member);
      take(bySession, member.sessionId, member);
      if (!byUser.has(member.userId)) users = undefined;
    },
    enter(member: Member, room: string): void {
      if (!all.has(member) || member.rooms.has(room)) return;
      member.rooms.add(room);
      count(room, 1);
    },
    leave(member: Member, room: string): void {
      if (member.rooms.delete(room)) count(room, -1);
    },
    hold(member: Member): void {
      if (!all.has(member)) return;
      member.held = [];
      holding.add(member);
    },
    /** What waited. */
    release(member: Member): Frame[] {
      const held = member.held ?? [];
      member.held = undefined;
      holding.delete(member);
      return held;
    },
    /** For whom there is something to read. */
    audience(): { users: readonly number[]; rooms: ReadonlySet<string> } {
      users ??= [...byUser.keys()];
      const rooms = [...wanted].filter(([, n]) => n > 0).map(([room]) => room);
      return { users, rooms: new Set(rooms) };
    },
  };
}

const NOBODY: ReadonlySet<Member> = new Set();

function put<K>(map: Map<K, Set<Member>>, key: K, member: Member): void {
  const known = map.get(key);
  if (known) known.add(member);
  else map.set(key, new Set([member]));
}

function take<K>(map: Map<K, Set<Member>>, key: K, member: Member): void {
  const known = map.get(key);
  known?.delete(member);
  if (known?.size === 0) map.delete(key);
}
