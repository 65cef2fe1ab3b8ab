import type { Server as HttpServer } from 'node:http';
import type { Server, Socket } from 'socket.io';
import { iso } from '../platform/clock.ts';
import type { Config } from '../platform/config/config.ts';
import type { DatabaseClock } from '../platform/database/clock.ts';
import type { Log } from '../platform/observability/log.ts';
import type { Metrics } from '../platform/observability/metrics.ts';
import { span } from '../platform/observability/trace.ts';
import type { ClusterAdapter } from './adapter.ts';
import { type Admitted, createAdmission } from './admission.ts';
import { backlogOf, drop } from './connection.ts';
import { createDelivery } from './delivery.ts';
import { createDoor, type Limit } from './door.ts';
import { realtimeErrors } from './errors.ts';
import type { Feed, Frame } from './feed.ts';
import { createGateway } from './gateway.ts';
import type { Outlet } from './hand-out.ts';
import type { VerifyToken } from './handshake.ts';
import { createMembers, type Member, type Members } from './members.ts';
import {
  type ChatDoor,
  createMessages,
  enter as enterRooms,
  type MessageDeps,
  refusalBody,
  type Say,
  type TakeMessage,
} from './messages.ts';
import type { ResumeLimit } from './resume-limit.ts';
import { createRoomRefusal, isToldOnEntry, userRoom } from './rooms.ts';
import { type CountStrike, createThrottle, type Throttle } from './throttle.ts';
import { createTransport } from './transport.ts';
import { createWatch, type EndingsOf, type StandingsOf } from './watch.ts';

type RealtimeDeps = {
  server: HttpServer;
  config: Config;
  log: Log;
  metrics: Metrics;
  databaseClock: DatabaseClock;
  feed: Feed;
  chat: ChatDoor;
  verifyToken: VerifyToken;
  standingsOf: StandingsOf;
  endingsOf: EndingsOf;
  limits: { handshakes: Limit; messages: Limit; resumes: ResumeLimit; countStrike: CountStrike };
  cluster: ClusterAdapter;
};

const SWEEP_MS = 1000;

/** Starts the sockets on a server that is about to listen: admission, delivery and session checks. */
export function startRealtime(deps: RealtimeDeps) {
  const { config, log, metrics, databaseClock, limits, chat } = deps;
  const door = createDoor({ config, handshakes: limits.handshakes });
  const transport = createTransport(deps, door);
  const roomRefusal = createRoomRefusal(chat.hasRoom);
  const { io } = transport;
  const members = createMembers();
  const throttle = createThrottle(limits);
  const outlet = createOutlet(io, deps);
  const delivery = createDelivery({
    ...deps,
    members,
    outlet,
    intervalMs: config.REALTIME_READ_MS,
    onTold: ({ userId }, past) => limits.resumes.spend(userId, past),
    onSessionEnd: (some) => watch.look(some),
  });
  const frame = (event: string, data: unknown, seq = delivery.position()): Frame => ({
    event,
    seq,
    at: iso(new Date(databaseClock.now())),
    data,
  });
  const say: Say = (member, event, data, seq) => outlet.toMember(member, frame(event, data, seq));
  const gateway = createGateway({ io, members, frame });
  const watch = createWatch({ ...deps, members, roomRefusal, say });
  void databaseClock.onNotice('access_changed', watch.heard);
  databaseClock.onGap(watch.everybody);
  const sweeping = createSweeping({ ...deps, members, throttle });
  const { resumes } = limits;
  const ipOf = ({ socket }: Member) => door.ipOf(socket.request);
  const shared = { members, delivery, throttle, resumes, metrics, log, say, clock: databaseClock };
  const talking = { ...shared, roomRefusal, chat, ipOf };
  const take = createMessages(talking);
  const enter = createEntrance({ ...talking, outlet, take });

  io.use(createAdmission({ ...deps, members }));
  io.on('connection', (socket) => {
    sweeping.soon();
    enter(socket);
  });
  metrics.watch('croupier_realtime_sockets', 'Sockets of this process', () => members.all.size);

  return {
    ...gateway,
    sockets: () => members.all.size,
    /**
     * Disconnects all clients, which then reconnect to another process, and releases resources. Sockets that are still open after a second
     * are closed.
     */
    async close(): Promise<void> {
      sweeping.stop();
      watch.close();
      await transport.disconnect();
      await delivery.close();
      await transport.close();
    },
  };
}

type EntranceDeps = MessageDeps & { outlet: Outlet; take: TakeMessage };

/** Adds an admitted socket to its rooms, after a catch-up if the socket requested one. Then it sends the list of rooms to the client. */
function createEntrance({ members, delivery, outlet, resumes, roomRefusal, say, take, log }: EntranceDeps) {
  const enter = async ({ member, lastSeq, rooms }: Admitted): Promise<void> => {
    const refused: object[] = [];
    for (const room of [userRoom(member.userId), 'public', ...rooms]) {
      const refusal = roomRefusal(member, room);
      if (refusal) refused.push({ ...refusalBody(refusal), details: { room } });
      else members.enter(member, room);
    }
    const ready = ({ seq }: { seq: number }) => {
      for (const refusal of refused) say(member, 'error', refusal);
      say(member, 'ready', { rooms: [...member.rooms] }, seq);
    };
    const told = [...member.rooms].filter(isToldOnEntry);
    if (lastSeq === undefined && told.length > 0) return enterRooms(delivery, member, told, ready);
    if (lastSeq === undefined)
      return delivery.between((seq) => {
        outlet.join(member);
        ready({ seq });
      });
    const seconds = resumes.wait(member.userId);
    if (seconds > 0) refused.push(refusalBody(realtimeErrors.RESUME_LIMITED({ retryAfterSeconds: seconds })));
    return delivery.catchUp(member, {
      lastSeq: seconds > 0 ? undefined : lastSeq,
      resync: () => say(member, 'resync', {}),
      caughtUp: ready,
    });
  };
  return (socket: Socket): void => {
    const { member } = socket.data as Admitted;
    socket.onAny((name, ...args) => {
      if (socket.connected) take(member, name, args);
    });
    // The connection is closed too, because it is useless without its socket.
    socket.once('disconnect', () => socket.conn.close());
    const options = { kind: 'server', parent: 'none' } as const;
    span('socket connection', options, () => enter(socket.data as Admitted)).catch((error: unknown) => {
      log.error({ error: String(error) }, 'a socket could not be served');
      drop(socket.conn);
    });
  };
}

type SweepDeps = Pick<RealtimeDeps, 'config' | 'metrics'> & { members: Members; throttle: Throttle };

/** Runs every second while sockets are connected. It removes expired strikes and disconnects sockets that are too slow. */
function createSweeping({ config, metrics, members, throttle }: SweepDeps) {
  let timer: NodeJS.Timeout | undefined;
  const sweep = () => {
    throttle.sweep();
    for (const { socket } of members.all) {
      if (backlogOf(socket.conn) <= config.REALTIME_BACKLOG_FRAMES) continue;
      metrics.realtimeRefused.inc({ reason: 'too slow' });
      drop(socket.conn);
    }
  };
  const soon = () => {
    timer ??= setTimeout(() => {
      timer = undefined;
      sweep();
      if (members.all.size > 0) soon();
    }, SWEEP_MS).unref();
  };
  return { soon, stop: () => clearTimeout(timer) };
}

function createOutlet(
  io: Server,
  { metrics, databaseClock }: Pick<RealtimeDeps, 'metrics' | 'databaseClock'>,
): Outlet {
  const local = io.of('/');
  const lag = ({ at }: Frame) =>
    metrics.realtimeLag.observe(Math.max(0, databaseClock.now() - Date.parse(at)) / 1000);
  return {
    toRoom({ room, frame }) {
      const sockets = local.adapter.rooms.get(room)?.size ?? 0;
      if (sockets === 0) return;
      local.local.to(room).emit(frame.event, frame);
      metrics.realtimeFrames.inc(sockets);
      lag(frame);
    },
    toMember({ socket }, frame) {
      socket.emit(frame.event, frame);
      metrics.realtimeFrames.inc();
    },
    join: ({ socket, rooms }) => void socket.join([...rooms]),
    drop: ({ socket }) => drop(socket.conn),
    leave: ({ socket, rooms }) => {
      for (const room of rooms) void socket.leave(room);
    },
  };
}
