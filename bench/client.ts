import { connect } from 'node:net';

/** One keep-alive connection with at most one pending request. */
export type Connection = {
  send(request: Buffer): void;
  close(): void;
};

export type Handlers = {
  /** Called with a complete response: status line, headers and body as one string. */
  answered(text: string, bodyAt: number): void;
  broken(reason: string): void;
};

const READ_BYTES = 16 * 1024;
const HEAD_END = '\r\n\r\n';
const LENGTH = '\r\ncontent-length: ';

/**
 * Opens a connection whose minimal client writes a prepared request and reads as many bytes as content-length states. It is minimal because
 * the client and the server share one machine: CPU time that the client uses is lost to the server.
 */
export function openConnection(port: number, { answered, broken }: Handlers): Promise<Connection> {
  return new Promise((resolve, reject) => {
    let isClosing = false;
    const socket = connect({
      port,
      host: '127.0.0.1',
      noDelay: true,
      onread: { buffer: Buffer.allocUnsafe(READ_BYTES), callback: createReader(answered) },
    });
    const close = (): void => {
      isClosing = true;
      socket.destroy();
    };
    socket.once('connect', () => resolve({ send: (request) => void socket.write(request), close }));
    socket.once('error', (error) => {
      reject(error);
      if (!isClosing) broken(error.message);
    });
    socket.once('end', () => {
      if (!isClosing) broken('the server closed a connection');
    });
  });
}

/** Creates a function that combines the chunks of a response and passes on the complete response. */
function createReader(answered: Handlers['answered']): (bytes: number, buffer: Uint8Array) => boolean {
  let pending = '';
  return (bytes, buffer) => {
    const text = pending + (buffer as Buffer).toString('latin1', 0, bytes);
    const bodyAt = text.indexOf(HEAD_END) + HEAD_END.length;
    const isComplete = bodyAt >= HEAD_END.length && text.length >= bodyAt + lengthIn(text);
    pending = isComplete ? '' : text;
    if (isComplete) answered(text, bodyAt);
    return true;
  };
}

function lengthIn(text: string): number {
  const at = text.indexOf(LENGTH);
  return at < 0 ? 0 : Number.parseInt(text.slice(at + LENGTH.length, at + LENGTH.length + 9), 10);
}

/** Returns true if the status is 2xx. */
export const isSuccess = (text: string): boolean => text.charCodeAt(9) === 50;

const BET_ID = '"betId":"';

/**
 * Returns the first bet id in a response at or after position `from`, or undefined. The ids are safe as numbers, because they stay far
 * below 2^53.
 */
export function betIdIn(text: string, from: number): number | undefined {
  const at = text.indexOf(BET_ID, from);
  if (at < 0) return undefined;
  let id = 0;
  for (let i = at + BET_ID.length; ; i++) {
    const digit = text.charCodeAt(i) - 48;
    if (digit < 0 || digit > 9) return id;
    id = id * 10 + digit;
  }
}

/** Returns all bet ids in a response. */
export function betIdsIn(text: string, bodyAt: number): number[] {
  const ids: number[] = [];
  for (let at = text.indexOf(BET_ID, bodyAt); at >= 0; at = text.indexOf(BET_ID, at + 1))
    ids.push(betIdIn(text, at)!);
  return ids;
}
