import type { Server } from 'socket.io';
import type { Frame } from './feed.ts';
import type { Members } from './members.ts';
import { userRoom } from './rooms.ts';
import { Announcement, readAs } from './schemas.ts';

const ACK_MS = 2000;
/** Names of the messages that processes exchange through the adapter. */
const SEND = 'croupier.send';
const COUNT = 'croupier.count';

type Delivered = { delivered: number; acknowledged: number };

type GatewayDeps = {
  io: Server;
  members: Members;
  frame: (event: string, data: unknown) => Frame;
};

/**
 * Sends messages from other programs to sockets on all processes. These messages are not in the feed, so they are sent through the adapter.
 */
export function createGateway(deps: GatewayDeps) {
  const { io, members, frame } = deps;
  io.on(SEND, (message: unknown, answer: (delivered: Delivered) => void) => {
    const read = Announcement.safeParse(message);
    if (read.success) void sendHere(deps, read.data).then(answer);
    else answer({ delivered: 0, acknowledged: 0 });
  });
  io.on(COUNT, (answer: (sockets: number) => void) => answer(members.all.size));
  return {
    /** Sends to a room, a user or all sockets of this process. Throws 400 VALIDATION_FAILED. */
    emit(message: unknown): void {
      const { event, data, ...to } = readAs(Announcement, message);
      const room = roomOf(to);
      const said = frame(event, data ?? null);
      if (room === undefined) io.local.emit(event, said);
      else io.local.to(room).emit(event, said);
    },
    /**
     * Sends a message on every process. Returns the number of sockets and the number that acknowledged within two seconds. Throws 400
     * VALIDATION_FAILED.
     */
    async send(message: unknown): Promise<Delivered> {
      const read = readAs(Announcement, message);
      const all = await Promise.all([sendHere(deps, read), askOthers<Delivered>(io, SEND, read)]);
      return all.flat().reduce((sum, { delivered, acknowledged }) => ({
        delivered: sum.delivered + delivered,
        acknowledged: sum.acknowledged + acknowledged,
      }));
    },
    /** Counts the sockets of all processes. */
    count: async (): Promise<number> =>
      (await askOthers<number>(io, COUNT)).reduce((sum, n) => sum + n, members.all.size),
  };
}

async function sendHere({ members, frame }: GatewayDeps, message: Announcement): Promise<Delivered> {
  const room = roomOf(message);
  const said = frame(message.event, message.data ?? null);
  // Sockets that are catching up are skipped, because they must get their missed frames first.
  const here = [...members.all].filter(
    ({ socket, isBehind, rooms }) => socket.connected && !isBehind && (room === undefined || rooms.has(room)),
  );
  const answers = await Promise.allSettled(
    here.map(({ socket }) => socket.timeout(ACK_MS).emitWithAck(message.event, said)),
  );
  return {
    delivered: here.length,
    acknowledged: answers.filter(({ status }) => status === 'fulfilled').length,
  };
}

/** Returns the responses of the other processes. Processes that do not respond in time are omitted. */
async function askOthers<T>(io: Server, question: string, ...args: unknown[]): Promise<T[]> {
  try {
    return await io.serverSideEmitWithAck(question, ...args);
  } catch (error) {
    return (error as { responses?: T[] }).responses ?? [];
  }
}

const roomOf = ({ room, userId }: Pick<Announcement, 'room' | 'userId'>) =>
  room ?? (userId === undefined ? undefined : userRoom(userId));
