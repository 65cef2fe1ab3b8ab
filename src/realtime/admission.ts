import type { Socket } from 'socket.io';
import type { Config } from '../platform/config/config.ts';
import { AppError, commonErrors } from '../platform/errors.ts';
import type { Log } from '../platform/observability/log.ts';
import type { Metrics } from '../platform/observability/metrics.ts';
import { realtimeErrors } from './errors.ts';
import { presentedToken, type VerifyToken } from './handshake.ts';
import type { Member, Members, Standing } from './members.ts';
import { refusalBody } from './messages.ts';
import { Handshake, readAs } from './schemas.ts';
import type { StandingsOf } from './watch.ts';

/** Maximum number of sessions in one statement. */
const MOST_AT_ONCE = 500;

export type Admitted = { member: Member; lastSeq: number | undefined; rooms: readonly string[] };

type AdmissionDeps = {
  config: Config;
  members: Members;
  verifyToken: VerifyToken;
  standingsOf: StandingsOf;
  metrics: Metrics;
  log: Log;
};

/** Creates the function that admits a socket if its token is valid and its session is live. */
export function createAdmission(deps: AdmissionDeps) {
  const { metrics, log } = deps;
  const standingOf = together(deps.standingsOf);
  const connections = new WeakSet<object>();
  const admit = async (socket: Socket): Promise<Admitted> => {
    // Only one socket is allowed on a connection, because each socket costs a database query.
    if (connections.has(socket.conn)) throw realtimeErrors.TOO_MANY_SOCKETS();
    connections.add(socket.conn);
    const { socket_token, lastSeq, rooms = [] } = readAs(Handshake, socket.handshake.auth);
    const member = await addMember(deps, socket, socket_token);
    await readStanding(deps, member, standingOf);
    return { member, lastSeq, rooms };
  };
  return (socket: Socket, next: (error?: Error) => void): void => {
    admit(socket).then(
      (admitted) => {
        socket.data = admitted;
        next();
      },
      (error: unknown) => {
        if (!(error instanceof AppError)) log.warn({ error: String(error) }, 'could not admit a socket');
        const refusal = error instanceof AppError ? error : commonErrors.SERVICE_UNAVAILABLE();
        metrics.realtimeRefused.inc({ reason: refusal.code });
        next(Object.assign(new Error(refusal.message), { data: refusalBody(refusal) }));
      },
    );
  };
}

async function addMember(
  { config, members, verifyToken }: AdmissionDeps,
  socket: Socket,
  socketToken: string | undefined,
): Promise<Member> {
  const presented = presentedToken(socket, socketToken, config.secureCookies);
  if (!presented) throw commonErrors.UNAUTHORIZED();
  const { userId, sessionId } = await verifyToken(presented.token, presented.audience);
  if (members.ofUser(userId).size >= config.REALTIME_SOCKETS_PER_USER)
    throw realtimeErrors.TOO_MANY_SOCKETS();
  const member: Member = {
    socket,
    userId,
    sessionId,
    standing: UNKNOWN,
    rooms: new Set<string>(),
    isBehind: false,
    held: undefined,
  };
  members.add(member);
  socket.conn.once('close', () => members.remove(member));
  if (socket.conn.readyState !== 'open') members.remove(member);
  return member;
}

/** Reads the member's session. The member is registered before the read, so that it also receives changes that occur during the read. */
async function readStanding(
  { members }: AdmissionDeps,
  member: Member,
  standingOf: (sessionId: string) => Promise<Standing | undefined>,
): Promise<void> {
  const standing = await standingOf(member.sessionId).catch((error: unknown) => {
    members.remove(member);
    throw error;
  });
  if (standing?.userId !== member.userId) {
    members.remove(member);
    throw commonErrors.UNAUTHORIZED();
  }
  // A change that arrived during the read is newer than the data that was read.
  if (member.standing === UNKNOWN) member.standing = standing;
}

const UNKNOWN: Standing = { userId: 0, isStaff: false, isMfaMissing: false, isExcluded: false };

/** Combines session look-ups that arrive at the same time into one statement. */
function together(standingsOf: StandingsOf) {
  let waiting: {
    id: string;
    resolve: (found: Standing | undefined) => void;
    reject: (error: unknown) => void;
  }[] = [];
  const ask = async (asked: typeof waiting) => {
    try {
      const found = await standingsOf([...new Set(asked.map(({ id }) => id))]);
      for (const { id, resolve } of asked) resolve(found.get(id));
    } catch (error) {
      for (const { reject } of asked) reject(error);
    }
  };
  const flush = () => {
    const all = waiting;
    waiting = [];
    for (let i = 0; i < all.length; i += MOST_AT_ONCE) void ask(all.slice(i, i + MOST_AT_ONCE));
  };
  return (id: string) =>
    new Promise<Standing | undefined>((resolve, reject) => {
      if (waiting.push({ id, resolve, reject }) === 1) setImmediate(flush);
    });
}
