import { connect } from 'node:net';
import { createHistogram } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { WebSocket } from 'ws';
import type { Step } from './protocol.ts';

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
  return at < 0 ? 0 : numberAt(text, at + LENGTH.length);
}

/** Returns the number that begins at this position, which has at most 16 digits. */
export const numberAt = (text: string, at: number): number => Number.parseInt(text.slice(at, at + 16), 10);

export const isSuccess = (text: string): boolean => text.charCodeAt(9) === 50;

const BET_ID = '"betId":"';

/**
 * Returns the first bet id in a response at or after position `from`, or undefined. The ids are safe as numbers, because they stay far
 * below 2^53.
 */
export function betIdIn(text: string, from: number): number | undefined {
  const at = text.indexOf(BET_ID, from);
  return at < 0 ? undefined : numberAt(text, at + BET_ID.length);
}

export function betIdsIn(text: string, bodyAt: number): number[] {
  const ids: number[] = [];
  for (let at = text.indexOf(BET_ID, bodyAt); at >= 0; at = text.indexOf(BET_ID, at + 1))
    ids.push(betIdIn(text, at)!);
  return ids;
}

export function requestOf({ path, body, isPublic }: Step, token: string): Buffer {
  const text = body ? JSON.stringify(body) : '';
  const head = `${body ? 'POST' : 'GET'} ${path} HTTP/1.1\r\nhost: bench\r\n`;
  const auth = isPublic ? '' : `authorization: Bearer ${token}\r\n`;
  const type = body ? `content-type: application/json\r\ncontent-length: ${text.length}\r\n` : '';
  return Buffer.from(`${head}${auth}${type}\r\n${text}`, 'latin1');
}

/** The median, the 99th percentile and the maximum in ms, and the number of values. */
export type Times = [p50: number, p99: number, max: number, count: number];

const LONGEST_US = 600_000_000;

/** Collects durations with a precision of two digits. */
export function createTimes() {
  const histogram = createHistogram({ lowest: 1, highest: LONGEST_US, figures: 2 });
  const quantileMs = (percent: number) => (histogram.count === 0 ? 0 : histogram.percentile(percent) / 1000);
  return {
    add: (ms: number) => histogram.record(Math.max(1, Math.min(LONGEST_US, Math.round(ms * 1000)))),
    clear: () => histogram.reset(),
    all: (): Times => [quantileMs(50), quantileMs(99), quantileMs(100), histogram.count],
  };
}

export type Wire = Pick<WebSocket, 'send'>;
/** `event` is called with every frame of the application, `closed` when an open socket ends. */
type Heard = { event(frame: string): void; closed(): void };

const PATH = '/socket.io/?EIO=4&transport=websocket';
/** The server shares this machine and needs the CPU time, so the client neither compresses nor validates. */
const CHEAP = { perMessageDeflate: false, skipUTF8Validation: true };
const AGAIN_MS = 200;

/** Opens a socket of the realtime part. Resolves when it is ready. A rejected socket connects again, as real clients do. */
export async function openSocket(url: string, auth: object, heard: Heard): Promise<Wire> {
  for (;;) {
    const wire = await openOnce(url, auth, heard).catch(() => undefined);
    if (wire) return wire;
    await sleep(AGAIN_MS);
  }
}

/** Speaks the protocol of Socket.IO: `0` opens, `40` connects, `44` rejects, `2` and `3` are ping and pong. */
function openOnce(url: string, auth: object, { event, closed }: Heard): Promise<Wire> {
  return new Promise((resolve, reject) => {
    let isReady = false;
    const socket = new WebSocket(url.replace('http', 'ws') + PATH, CHEAP);
    socket.on('message', (data: Buffer) => {
      const frame = data.toString('latin1');
      if (frame === '2') socket.send('3');
      else if (frame.startsWith('0{')) socket.send(`40${JSON.stringify(auth)}`);
      else if (frame.startsWith('44')) socket.terminate();
      else event(frame);
      if (isReady || !frame.startsWith('42["ready"')) return;
      isReady = true;
      resolve(socket);
    });
    // An error is followed by `close`.
    socket.on('error', () => undefined);
    socket.on('close', () =>
      isReady ? closed() : reject(new Error('the server did not accept the socket')),
    );
  });
}
