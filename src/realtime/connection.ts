import type { Socket } from 'socket.io';

/** The transport of a socket. Its buffer and its WebSocket are used here, but the library's types do not declare them. */
export type Connection = Socket['conn'];
type Wire = { cork(): void; uncork(): void };
type WebSocketTransport = { socket?: { pause?(): void; terminate?(): void; _socket?: Wire } };

const GRACE_MS = 500;

/** Returns the number of frames that are waiting because the client reads them more slowly than they arrive. */
export const backlogOf = (connection: Connection): number =>
  (connection as unknown as { writeBuffer: unknown[] }).writeBuffer.length;

/**
 * Passes all frames that are sent at the same time to the network in one call. One call per frame would cost more than the frame itself.
 */
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

/** Closes a connection immediately and discards pending frames. The client sees a network failure and reconnects. */
export function drop(connection: Connection): void {
  connection.close(true);
  (connection.transport as unknown as WebSocketTransport).socket?.terminate?.();
}

/** Disconnects a socket after its pending frames have been sent. The client does not reconnect automatically. */
export function dismiss(socket: Socket, { isFlooding = false } = {}): void {
  const connection = socket.conn;
  const { socket: wire } = connection.transport as unknown as WebSocketTransport;
  if (isFlooding) wire?.pause?.();
  if (socket.connected) socket.disconnect(true);
  else connection.close();
  setTimeout(() => drop(connection), GRACE_MS).unref();
}
