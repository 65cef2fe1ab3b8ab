import type { Server as HttpServer, IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { Server, type Socket } from 'socket.io';
import { iso } from '../platform/clock.ts';
import type { Config } from '../platform/config.ts';
import type { DatabaseClock } from '../platform/database-clock.ts';
import type { AppError } from '../platform/errors.ts';
import type { Log } from '../platform/log.ts';
import type { Metrics } from '../platform/metrics.ts';
import { span } from '../platform/trace.ts';
import type { ClusterAdapter } from './adapter.ts';
import { type Admitted, createAdmission } from './admission.ts';
import { backlogOf, type Connection, dismiss, drop } from './connection.ts';
import { createDelivery } from './delivery.ts';
import { createDoor, type Limit } from './door.ts';
import { realtimeErrors } from './errors.ts';
import type { Feed, Frame } from './feed.ts';
import { createGateway } from './gateway.ts';
import type { VerifyToken } from './handshake.ts';
import { createMembers, type Member } from './members.ts';
import { createMessages, refusalBody } from './messages.ts';
import type { ResumeLimit } from './resume-limit.ts';
import { isGameRoom, roomRefusal, userRoom } from './rooms.ts';
import { type CountStrike, createThrottle } from './throttle.ts';
import { createWatch, type EndingsOf, type StandingsOf } from './watch.ts';

type RealtimeDeps = {
  server: HttpServer;
  config: Config;
  log: Log;
  metrics: Metrics;
  databaseClock: DatabaseClock;
  feed: Feed;
  verifyToken: VerifyToken;
  standingsOf: StandingsOf;
  endingsOf: EndingsOf;
  limits: { handshakes: Limit; messages: Limit; resumes: ResumeLimit; countStrike: CountStrike };
  cluster: ClusterAdapter;
};

const PATH = '/socket.io';
const CLOSING_MS = 1000;
const SWEEP_MS = 1000;

/** Sockets on a server that is about to listen: who comes in, what they hear, and when they have to go. */
export function startRealtime(parts: RealtimeDeps) {
  const { server, config, log, metrics, feed, cluster } = parts;
  const door = createDoor({ config, handshakes: parts.limits.handshakes });
  const io = createServer(parts, door.refusal);
  const leaveUpgrades = guardUpgrades(server, door.refusal);
  const members = createMembers();
  const { messages, resumes, countStrike } = parts.limits;
  const throttle = createThrottle({ messages, countStrike });

  const frame = (event: string, data: unknown): Frame => ({
    event,
    seq: delivery.position(),
    at: iso(new Date(parts.databaseClock.now())),
    data,
  });
  const say = (member: Member, event: string, data: object) => {
    const said = frame(event, data);
    outlet.toMember(member, said);
    return said;
  };
  const outlet = createOutlet(io, parts);
  const delivery = createDelivery({
    feed,
    members,
    outlet,
    intervalMs: config.REALTIME_READ_MS,
    log,
    onTold: ({ userId }, past) => resumes.spend(userId, past),
    onSessionEnd: (some) => watch.look(some),
  });
  const gateway = createGateway({ io, members, frame });
  const take = createMessages({
    members,
    delivery,
    throttle,
    resumes,
    metrics,
    log,
    say,
    clock: parts.databaseClock,
  });

  const cut = (member: Member, reason: string) => {
    metrics.realtimeRefused.inc({ reason: 'session.revoked' });
    say(member, 'session.revoked', { sessionId: member.sessionId, reason });
    // Nothing is said after that, whatever else is heard before the connection has gone.
    members.remove(member);
    dismiss(member.socket);
  };
  const expel = (member: Member, room: string) => {
    members.leave(member, room);
    void member.socket.leave(room);
  };
  const changed = (member: Member) => {
    for (const room of member.rooms) {
      const refusal = room === 'public' ? undefined : roomRefusal(member, room);
      if (!refusal) continue;
      expel(member, room);
      if (!isGameRoom(room)) say(member, 'error', { ...refusalBody(refusal), details: { room } });
    }
  };
  const watch = createWatch({
    members,
    standingsOf: parts.standingsOf,
    endingsOf: parts.endingsOf,
    cut,
    changed,
    log,
  });
  void parts.databaseClock.onNotice('access_changed', watch.heard);
  parts.databaseClock.onGap(watch.everybody);

  const connected = async (socket: Socket) => {
    const { member, lastSeq, rooms } = socket.data as Admitted;
    socket.onAny((name, ...args) => {
      if (socket.connected) take(member, name, args);
    });
    // A connection without its socket would stay for nothing.
    socket.once('disconnect', () => socket.conn.close());
    const wanted = [userRoom(member.userId), 'public', ...rooms];
    const refused: object[] = wanted.flatMap((room) => {
      const refusal = roomRefusal(member, room);
      if (!refusal) members.enter(member, room);
      return refusal ? [{ ...refusalBody(refusal), details: { room } }] : [];
    });
    const ready = () => {
      for (const refusal of refused) say(member, 'error', refusal);
      say(member, 'ready', { rooms: [...member.rooms] });
    };
    if (lastSeq === undefined)
      return delivery.between(() => {
        outlet.join(member);
        ready();
      });
    const seconds = resumes.wait(member.userId);
    if (seconds > 0) refused.push(refusalBody(realtimeErrors.RESUME_LIMITED({ retryAfterSeconds: seconds })));
    return delivery.catchUp(member, {
      lastSeq: seconds > 0 ? undefined : lastSeq,
      resync: () => say(member, 'resync', {}),
      caughtUp: ready,
    });
  };

  io.engine.on('connection', (connection: Connection) => {
    connection.once('close', door.enter(connection.request));
    guardPackets(connection, config.REALTIME_MESSAGES_PER_MINUTE);
  });
  io.use(
    createAdmission({
      config,
      members,
      metrics,
      log,
      verifyToken: parts.verifyToken,
      standingsOf: parts.standingsOf,
    }),
  );
  io.on('connection', (socket) => {
    sweepSoon();
    span('socket connection', { kind: 'server', parent: 'none' }, () => connected(socket)).catch(
      (error: unknown) => {
        log.error({ error: String(error) }, 'a socket could not be served');
        drop(socket.conn);
      },
    );
  });
  metrics.watch('realtime_sockets', 'Sockets of this process', () => members.all.size);

  const sweep = () => {
    throttle.sweep();
    for (const { socket } of members.all) {
      if (backlogOf(socket.conn) <= config.REALTIME_BACKLOG_FRAMES) continue;
      metrics.realtimeRefused.inc({ reason: 'too slow' });
      drop(socket.conn);
    }
  };
  let sweeping: NodeJS.Timeout | undefined;
  /** Begins with a socket and ends with the last one. */
  const sweepSoon = () => {
    sweeping ??= setTimeout(() => {
      sweeping = undefined;
      sweep();
      if (members.all.size > 0) sweepSoon();
    }, SWEEP_MS).unref();
  };

  return {
    ...gateway,
    sockets: () => members.all.size,
    /** Sends everybody to another process, and lets go of what it holds. Sockets that do not go are ended after a second. */
    async close(): Promise<void> {
      door.close();
      clearTimeout(sweeping);
      watch.close();
      // Without a farewell of the socket: then clients connect again by themselves.
      io.engine.close();
      await leaveUpgrades();
      await delivery.close();
      await io.of('/').adapter.close();
      await cluster.close();
    },
  };
}

type Refusal = (request: IncomingMessage) => AppError | undefined;

function createServer({ server, config, cluster }: RealtimeDeps, refusal: Refusal): Server {
  return new Server(server, {
    path: PATH,
    serveClient: false,
    adapter: cluster.adapter,
    transports: ['websocket', 'polling'],
    cors: { origin: [...config.siteOrigins], credentials: true },
    maxHttpBufferSize: config.REALTIME_FRAME_BYTES,
    connectTimeout: config.REALTIME_CONNECT_TIMEOUT_MS,
    // Upgrades were looked at before.
    allowRequest: (request, done) => {
      const refused = request.headers.upgrade === undefined ? refusal(request) : undefined;
      done(refused?.code, refused === undefined);
    },
  });
}

/**
 * Looks at upgrades before Socket.IO does, which answers 400 whatever the reason. The answer ends what has not gone a second
 * after it was asked to.
 */
function guardUpgrades(server: HttpServer, refusal: Refusal): () => Promise<void> {
  const open = new Set<Duplex>();
  const upgrades = server.listeners('upgrade') as ((...args: [IncomingMessage, Duplex, Buffer]) => void)[];
  server.removeAllListeners('upgrade');
  server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    const refused = request.url?.startsWith(`${PATH}/`) ? refusal(request) : undefined;
    if (refused) {
      socket.on('error', () => undefined);
      const body = JSON.stringify({
        statusCode: refused.status,
        code: refused.code,
        message: refused.message,
      });
      return void socket.end(
        `HTTP/1.1 ${refused.status} Refused\r\ncontent-type: application/json; charset=utf-8\r\n` +
          `content-length: ${Buffer.byteLength(body)}\r\nconnection: close\r\n\r\n${body}`,
      );
    }
    open.add(socket);
    socket.once('close', () => open.delete(socket));
    for (const upgrade of upgrades) upgrade.call(server, request, socket, head);
  });
  return async () => {
    const until = performance.now() + CLOSING_MS;
    while (open.size > 0 && performance.now() < until) await sleep(20);
    for (const socket of open) socket.destroy();
  };
}

/** A connection sends text, and not much more of it than messages are counted: the rest is no client of ours. */
function guardPackets(connection: Connection, messagesPerMinute: number): void {
  const most = Math.max(1000, messagesPerMinute * 2);
  let window = 0;
  let packets = 0;
  connection.on('data', (data: unknown) => {
    const now = Math.floor(performance.now() / 60_000);
    if (now !== window) packets = 0;
    window = now;
    if (++packets > most || typeof data !== 'string') drop(connection);
  });
}

function createOutlet(
  io: Server,
  { metrics, databaseClock }: Pick<RealtimeDeps, 'metrics' | 'databaseClock'>,
) {
  const local = io.of('/');
  const lag = ({ at }: Frame) =>
    metrics.realtimeLag.observe(Math.max(0, databaseClock.now() - Date.parse(at)) / 1000);
  return {
    toRoom({ room, frame }: { room: string; frame: Frame }): void {
      const sockets = local.adapter.rooms.get(room)?.size ?? 0;
      if (sockets === 0) return;
      local.local.to(room).emit(frame.event, frame);
      metrics.realtimeFrames.inc(sockets);
      lag(frame);
    },
    toMember({ socket }: Member, frame: Frame): void {
      socket.emit(frame.event, frame);
      metrics.realtimeFrames.inc();
    },
    join: ({ socket, rooms }: Member) => void socket.join([...rooms]),
    drop: ({ socket }: Member) => drop(socket.conn),
    leave: ({ socket, rooms }: Member) => {
      for (const room of rooms) void socket.leave(room);
    },
  };
}
