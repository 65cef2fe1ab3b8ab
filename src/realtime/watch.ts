import type { Log } from '../platform/observability/log.ts';
import type { Metrics } from '../platform/observability/metrics.ts';
import { dismiss } from './connection.ts';
import type { Member, Members, Standing } from './members.ts';
import { refusalBody, type Say } from './messages.ts';
import { isGameRoom, type RoomRefusal } from './rooms.ts';

/** Returns live sessions by id with their state. Ended sessions and sessions of banned users are omitted. */
export type StandingsOf = (sessionIds: readonly string[]) => Promise<ReadonlyMap<string, Standing>>;

/** Returns the reasons why sessions have ended, by id. */
export type EndingsOf = (sessionIds: readonly string[]) => Promise<ReadonlyMap<string, string>>;

/** How long notifications are collected before they are handled with one read. Notifications arrive in groups. */
const GATHER_MS = 15;
const RETRY_MS = 250;
/** Interval at which all sessions are checked. The check is needed because a session that expires causes no notification. */
const LOOK_EVERY_MS = 60_000;

type WatchDeps = {
  members: Members;
  standingsOf: StandingsOf;
  endingsOf: EndingsOf;
  roomRefusal: RoomRefusal;
  say: Say;
  metrics: Metrics;
  log: Log;
};

/**
 * Checks the sessions of sockets again after a change. Sockets of ended sessions are disconnected, others get their new state. A failed
 * read is retried until it succeeds.
 */
export function createWatch(deps: WatchDeps) {
  const { members, log } = deps;
  const gathering = createGathering((some) => look(deps, some), log);
  const everybody = () => gathering.add(members.all);
  const looking = setInterval(everybody, LOOK_EVERY_MS);
  looking.unref();
  return {
    /** Handles a notification of the channel `access_changed`: `session:<id>` or `user:<id>`. */
    heard(payload: string): void {
      const [what, id = ''] = payload.split(':');
      if (what === 'session') gathering.add(members.ofSession(id));
      else if (what === 'user') gathering.add(members.ofUser(Number(id)));
    },
    look: gathering.add,
    /** Checks all members, because notifications may have been lost. */
    everybody,
    close(): void {
      clearInterval(looking);
      gathering.close();
    },
  };
}

/** Collects sockets for a short time, then checks all of them together. */
function createGathering(lookAt: (some: ReadonlySet<Member>) => Promise<void>, log: Log) {
  let gathered = new Set<Member>();
  let timer: NodeJS.Timeout | undefined;
  let isReading = false;
  let isClosed = false;

  const schedule = (ms: number) => {
    if (isClosed || isReading) return;
    timer ??= setTimeout(() => void run(), ms);
  };
  const run = async () => {
    timer = undefined;
    isReading = true;
    const some = gathered;
    gathered = new Set();
    let waitMs = GATHER_MS;
    try {
      await lookAt(some);
    } catch (error) {
      waitMs = RETRY_MS;
      for (const member of some) gathered.add(member);
      log.warn(
        { error: String(error), sockets: some.size },
        'could not check the sessions of sockets; retrying',
      );
    }
    isReading = false;
    if (gathered.size > 0) schedule(waitMs);
  };
  return {
    add(some: Iterable<Member>): void {
      for (const member of some) gathered.add(member);
      if (gathered.size > 0) schedule(GATHER_MS);
    },
    close(): void {
      isClosed = true;
      clearTimeout(timer);
    },
  };
}

async function look(deps: WatchDeps, some: ReadonlySet<Member>): Promise<void> {
  const { members, standingsOf, endingsOf } = deps;
  const standings = await standingsOf([...new Set([...some].map(({ sessionId }) => sessionId))]);
  const standingOf = ({ sessionId, userId }: Member) => {
    const standing = standings.get(sessionId);
    return standing?.userId === userId ? standing : undefined;
  };
  const ended = [...some].filter((member) => !standingOf(member)).map(({ sessionId }) => sessionId);
  const reasons: ReadonlyMap<string, string> = ended.length > 0 ? await endingsOf(ended) : new Map();
  for (const member of some) {
    if (!members.all.has(member)) continue;
    const standing = standingOf(member);
    if (standing) changeStanding(deps, member, standing);
    else disconnect(deps, member, reasons.get(member.sessionId) ?? 'ENDED');
  }
}

function disconnect({ members, metrics, say }: WatchDeps, member: Member, reason: string): void {
  metrics.realtimeRefused.inc({ reason: 'session.revoked' });
  say(member, 'session.revoked', { sessionId: member.sessionId, reason });
  // The client gets no frames after this event, even if some arrive before the connection closes.
  members.remove(member);
  dismiss(member.socket);
}

/** Stores the new state and removes the member from rooms that the new state no longer allows. */
function changeStanding({ members, roomRefusal, say }: WatchDeps, member: Member, standing: Standing): void {
  member.standing = standing;
  for (const room of member.rooms) {
    const refusal = room === 'public' ? undefined : roomRefusal(member, room);
    if (!refusal) continue;
    members.leave(member, room);
    void member.socket.leave(room);
    if (!isGameRoom(room)) say(member, 'error', { ...refusalBody(refusal), details: { room } });
  }
}
