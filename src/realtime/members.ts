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
  /** Rooms they are in, or will be in again once they have caught up. */
  readonly rooms: Set<string>;
  /** They are catching up, or wait for it: until then they are in no room of the transport. */
  isBehind: boolean;
  /** Live frames that wait until the missed ones were sent. Undefined: nothing waits. */
  held: Frame[] | undefined;
};

export type Members = ReturnType<typeof createMembers>;

/** Everybody who has a socket here, by user and by session. */
export function createMembers() {
  const all = new Set<Member>();
  const holding = new Set<Member>();
  const byUser = createIndex<number>();
  const bySession = createIndex<string>();
  // Players' own rooms are known by their sockets: counted, they would stay when the players have gone.
  const inRoom = new Map<string, number>();
  const count = (room: string, change: 1 | -1) => {
    if (!room.startsWith('user:')) inRoom.set(room, (inRoom.get(room) ?? 0) + change);
  };
  return {
    all: all as ReadonlySet<Member>,
    /** Those whose frames wait. */
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
    /** Live frames wait for the missed ones. */
    hold(member: Member): void {
      if (!all.has(member)) return;
      member.held = [];
      holding.add(member);
    },
    /** The frames that waited. */
    release(member: Member): Frame[] {
      const held = member.held ?? [];
      member.held = undefined;
      holding.delete(member);
      return held;
    },
    /** For whom there is something to read. */
    audience(): { users: readonly number[]; rooms: ReadonlySet<string> } {
      const rooms = [...inRoom].filter(([, n]) => n > 0).map(([room]) => room);
      return { users: byUser.keys(), rooms: new Set(rooms) };
    },
  };
}

const NOBODY: ReadonlySet<Member> = new Set();

function createIndex<K>() {
  const members = new Map<K, Set<Member>>();
  /** Made anew after a change alone: it is asked for with every read. */
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
