import { setTimeout as sleep } from 'node:timers/promises';
import { io, type ManagerOptions, type Socket, type SocketOptions } from 'socket.io-client';
import { assertConforms } from './conforms.ts';

export type Heard = { event: string; seq: number; at: string; data: any };

/** Connects a socket as the user of the token. Throws the error with which the handshake was rejected. */
export async function connectSocket(
  url: string,
  {
    auth,
    headers,
    ...more
  }: { auth?: object; headers?: Record<string, string> } & Partial<ManagerOptions & SocketOptions> = {},
) {
  const socket = openSocket(url, {
    ...(auth ? { auth: { ...auth } } : {}),
    ...(headers ? { extraHeaders: headers } : {}),
    ...more,
  });
  const heard = listen(socket);
  await new Promise<void>((resolve, reject) => {
    socket.once('ready', () => resolve());
    socket.once('connect_error', (error: Error & { data?: unknown; description?: unknown }) => {
      socket.close();
      reject(error);
    });
  });
  const until = async (
    event: string,
    where: (frame: Heard) => boolean = () => true,
    ms = 5000,
  ): Promise<Heard> => {
    for (const end = performance.now() + ms; performance.now() < end; await sleep(5)) {
      const found = heard.find((frame) => frame.event === event && where(frame));
      if (found) return found;
    }
    throw new Error(`no ${event} within ${ms} ms, but ${heard.map((frame) => frame.event).join(', ')}`);
  };
  return {
    socket,
    heard,
    until,
    /** Sends a message and returns its acknowledgement. */
    ask: (name: string, ...body: unknown[]): Promise<any> => socket.timeout(5000).emitWithAck(name, ...body),
    /** Returns the reason for the disconnect. Fails if the socket is not disconnected within this time. */
    async ended(ms = 5000): Promise<string> {
      for (const end = performance.now() + ms; performance.now() < end; await sleep(5))
        if (gone.has(socket)) return gone.get(socket)!;
      throw new Error(`still connected after ${ms} ms`);
    },
    close: () => socket.close(),
  };
}

/** Opens a socket that may still be rejected. */
const openSocket = (url: string, options: Partial<ManagerOptions & SocketOptions>): Socket =>
  io(url, { transports: ['websocket'], reconnection: false, forceNew: true, ...options });

const gone = new WeakMap<Socket, string>();

function listen(socket: Socket): Heard[] {
  const heard: Heard[] = [];
  socket.onAny((event: string, frame: Heard) => {
    assertConforms(frame);
    heard.push({ ...frame, event });
  });
  socket.on('disconnect', (reason) => gone.set(socket, reason));
  return heard;
}
