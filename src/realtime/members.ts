import type { Socket } from 'socket.io';
import type { Frame } from './feed.ts';

/** The database state of a live session. */
export type Standing = {
  userId: number;
  isStaff: boolean;
  /** True for staff who must verify a second factor first. */
  isMfaMissing: boolean;
  isExcluded: boolean;
};

/** A local socket and its session. */
export type Member = {
  readonly socket: Socket;
  readonly userId: number;
  readonly sessionId: string;
  standing: Standing;
  /** The member's rooms. While the member catches up, it is in none of these rooms, and it enters them again afterwards. */
  readonly rooms: Set<string>;
  /** True while the member catches up or waits to do so. During that time the socket is in no Socket.IO room. */
  isBehind: boolean;
  /** Live frames that are buffered until the missed ones are sent. Undefined if frames are not buffered. */
  held: Frame[] | undefined;
};

export type Members = ReturnType<typeof createMembers>;

/** Creates the index of all local sockets by user and by session. */
export function createMembers() {
  const all = new Set<Member>();
  const holding = new Set<Member>();
  const byUser = createIndex<number>();
  const bySession = createIndex<string>();
  // Counts the members of each room. Users' own rooms are excluded, because `byUser` contains them and their entries here would never be
  // removed.
  const inRoom = new Map<string, number>();
  const count = (room: string, change: 1 | -1) => {
    if (!room.startsWith('user:')) inRoom.set(room, (inRoom.get(room) ?? 0) + change);
  };
  return {
    all: all as ReadonlySet<Member>,
    /** Members whose live frames are buffered. */
    holding: holding as ReadonlySet<Member>,
    ofUser: byUser.of,
    ofSession: bySession.of,

    add(member: Member): void {
      all.add(member);
      byUser.add(member.userId, member);
      bySession.add(member.sessionId, member);
    },
    remove(member: Member): void {
      if (!all.delete(member)) return;
      holding.delete(member);
      for (const room of member.rooms) count(room, -1);
      member.rooms.clear();
      byUser.remove(member.userId, member);
      bySession.remove(member.sessionId, member);
    },
    enter(member: Member, room: string): void {
      if (!all.has(member) || member.rooms.has(room)) return;
      member.rooms.add(room);
      count(room, 1);
    },
    leave(member: Member, room: string): void {
      if (member.rooms.delete(room)) count(room, -1);
    },
    /** Starts to buffer live frames until the missed ones are sent. */
    hold(member: Member): void {
      if (!all.has(member)) return;
      member.held = [];
      holding.add(member);
    },
    /** Stops buffering and returns the buffered frames. */
    release(member: Member): Frame[] {
      const held = member.held ?? [];
      member.held = undefined;
      holding.delete(member);
      return held;
    },
    /** Returns the users and rooms for which to read the feed. */
    audience(): { users: readonly number[]; rooms: ReadonlySet<string> } {
      const rooms = [...inRoom].filter(([, n]) => n > 0).map(([room]) => room);
      return { users: byUser.keys(), rooms: new Set(rooms) };
    },
  };
}

const NOBODY: ReadonlySet<Member> = new Set();

function createIndex<K>() {
  const members = new Map<K, Set<Member>>();
  /** The audience is rebuilt only after a change, because every read of the feed needs it. */
  let keys: readonly K[] | undefined;
  return {
    of: (key: K): ReadonlySet<Member> => members.get(key) ?? NOBODY,
    keys: (): readonly K[] => {
      keys ??= [...members.keys()];
      return keys;
    },
    add(key: K, member: Member): void {
      const known = members.get(key);
      if (known) known.add(member);
      else {
        members.set(key, new Set([member]));
        keys = undefined;
      }
    },
    remove(key: K, member: Member): void {
      const known = members.get(key);
      if (!known?.delete(member) || known.size > 0) return;
      members.delete(key);
      keys = undefined;
    },
  };
}
