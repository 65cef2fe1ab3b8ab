import type { Socket } from 'socket.io';

/** The transport below a socket. What is not declared public is what has to be known of its buffers and its end. */
export type Connection = Socket['conn'];
type WebSocketTransport = { socket?: { pause?(): void; terminate?(): void } };

const GRACE_MS = 500;

/** Frames that wait because the client does not read as fast as they come. */
export const backlogOf = (connection: Connection): number =>
  (connection as unknown as { writeBuffer: unknown[] }).writeBuffer.length;

/** Ends a connection now, whatever is on its way. The client believes in a bad network, and comes back. */
export function drop(connection: Connection): void {
  connection.close(true);
  (connection.transport as unknown as WebSocketTransport).socket?.terminate?.();
}

/** Ends a socket for good, after what was said to it: the client does not come back by itself. */
export function dismiss(socket: Socket, { isFlooding = false } = {}): void {
  const connection = socket.conn;
  const { socket: wire } = connection.transport as unknown as WebSocketTransport;
  // What it still sends is not even read.
  if (isFlooding) wire?.pause?.();
  if (socket.connected) socket.disconnect(true);
  else connection.close();
  setTimeout(() => drop(connection), GRACE_MS).unref();
}
