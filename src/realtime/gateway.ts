import type { Server } from 'socket.io';
import type { Frame } from './feed.ts';
import type { Member, Members } from './members.ts';
import { userRoom } from './rooms.ts';
import { Announcement, readAs } from './schemas.ts';

const ACK_MS = 2000;
/** What the processes ask each other, through the adapter. */
const SEND = 'croupier.send';
const COUNT = 'croupier.count';

export type Delivered = { delivered: number; acknowledged: number };

/** What others want to say to sockets, whichever process holds them: it is not in the log, so the adapter carries it. */
export function createGateway(parts: {
  io: Server;
  members: Members;
  frame: (event: string, data: unknown) => Frame;
}) {
  const { io, members, frame } = parts;

  const sendHere = async (message: Announcement): Promise<Delivered> => {
    const room = roomOf(message);
    const said = frame(message.event, message.data ?? null);
    // What somebody has missed comes to them first.
    const here = [...members.all].filter(
      (m) => m.socket.connected && !m.isBehind && (room === undefined || isIn(m, room)),
    );
    const answers = await Promise.allSettled(
      here.map(({ socket }) => socket.timeout(ACK_MS).emitWithAck(message.event, said)),
    );
    return {
      delivered: here.length,
      acknowledged: answers.filter(({ status }) => status === 'fulfilled').length,
    };
  };
  /** Answers of the other processes; of those that did not answer in time there is none. */
  const ask = async <T>(question: string, ...args: unknown[]): Promise<T[]> => {
    try {
      return await io.serverSideEmitWithAck(question, ...args);
    } catch (error) {
      return (error as { responses?: T[] }).responses ?? [];
    }
  };
  io.on(SEND, (message: unknown, answer: (delivered: Delivered) => void) => {
    const read = Announcement.safeParse(message);
    if (read.success) void sendHere(read.data).then(answer);
    else answer({ delivered: 0, acknowledged: 0 });
  });
  io.on(COUNT, (answer: (sockets: number) => void) => answer(members.all.size));

  return {
    /** Says something to a room, a user or everybody here. Throws 400 VALIDATION_FAILED. */
    emit(message: unknown): void {
      const { event, data, ...to } = readAs(Announcement, message);
      const room = roomOf(to);
      const said = frame(event, data ?? null);
      if (room === undefined) io.local.emit(event, said);
      else io.local.to(room).emit(event, said);
    },
    /**
     * The same on every process; tells how many sockets it went to and how many said within two seconds that they have it. Throws
     * 400 VALIDATION_FAILED.
     */
    async send(message: unknown): Promise<Delivered> {
      const read = readAs(Announcement, message);
      const all = await Promise.all([sendHere(read), ask<Delivered>(SEND, read)]);
      return all.flat().reduce((sum, { delivered, acknowledged }) => ({
        delivered: sum.delivered + delivered,
        acknowledged: sum.acknowledged + acknowledged,
      }));
    },
    /** Sockets of all processes. */
    async count(): Promise<number> {
      return (await ask<number>(COUNT)).reduce((sum, n) => sum + n, members.all.size);
    },
  };
}

const roomOf = ({ room, userId }: Pick<Announcement, 'room' | 'userId'>) =>
  room ?? (userId === undefined ? undefined : userRoom(userId));
const isIn = (member: Member, room: string) => member.rooms.has(room);
