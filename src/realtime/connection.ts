import type { Socket } from 'socket.io';

/** The transport below a socket. Its buffer and its WebSocket are needed here and not declared public. */
export type Connection = Socket['conn'];
type Wire = { cork(): void; uncork(): void };
type WebSocketTransport = { socket?: { pause?(): void; terminate?(): void; _socket?: Wire } };

const GRACE_MS = 500;

/** Frames that wait because the client does not read as fast as they come. */
export const backlogOf = (connection: Connection): number =>
  (connection as unknown as { writeBuffer: unknown[] }).writeBuffer.length;

/** Hands frames that leave together to the network in one call: each frame by itself would be a call, which costs more than the frame. */
export function sendTogether(connection: Connection): void {
  let corked: Wire | undefined;
  connection.on('flush', () => {
    corked = (connection.transport as unknown as WebSocketTransport).socket?._socket;
    corked?.cork();
  });
  connection.on('drain', () => {
    corked?.uncork();
    corked = undefined;
  });
}

/** Ends a connection now, whatever is on its way. To the client it is a network failure: it connects again. */
export function drop(connection: Connection): void {
  connection.close(true);
  (connection.transport as unknown as WebSocketTransport).socket?.terminate?.();
}

/** Disconnects a socket after the frames that were sent to it; the client does not connect again by itself. */
export function dismiss(socket: Socket, { isFlooding = false } = {}): void {
  const connection = socket.conn;
  const { socket: wire } = connection.transport as unknown as WebSocketTransport;
  // Nothing that it still sends is read.
  if (isFlooding) wire?.pause?.();
  if (socket.connected) socket.disconnect(true);
  else connection.close();
  setTimeout(() => drop(connection), GRACE_MS).unref();
}
