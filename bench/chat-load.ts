/**
 * The sockets of bench/chat.ts, in a separate process. Every player receives the room's messages and occasionally writes one. A moderator
 * deletes messages.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { isSuccess, openConnection } from './client.ts';
import { createHistogram, type Histogram } from './histogram.ts';
import type { Account } from './protocol.ts';
import { openWire, type Wire } from './web-socket.ts';

export type Writer = Account & { socketToken: string };
export type ToChat =
  | { type: 'connect'; url: string; writers: readonly Writer[] }
  | { type: 'write'; everySeconds: number; apiPort: number; moderator: Account }
  | { type: 'measure'; seconds: number };
type Row = [p50: number, p99: number, most: number, count: number];
export type ChatFindings = {
  /** `delivery`: time from sending a message to its arrival at each socket. `last`: time to its arrival at the last socket. */
  delivery: Row;
  last: Row;
  /** Time from sending a message to its acknowledgement. */
  acknowledged: Row;
  /** Time from the moderator's request until the last socket receives the deletion event. */
  moderation: Row;
  messages: number;
  frames: number;
  refusals: number;
  firstRefusal: string | undefined;
  /** Number of deliveries that never arrived (`lost`), and number of deliveries that arrived twice (`doubled`). */
  lost: number;
  doubled: number;
  closed: number;
};

const ROOM = 'chat:general';
const PATH = '/socket.io/?EIO=4&transport=websocket';
const AT_ONCE = 50;
const MODERATE_MS = 500;
const DRAIN_MS = 10_000;

type Message = {
  sentAt: number;
  isMeasured: boolean;
  messageId: string | undefined;
  heard: number;
  lastAt: number;
};

const sockets: { wire: Wire; unanswered: Map<number, number> }[] = [];
/** Sent messages, keyed by the number in their text. `deletions`: requested deletions by message id. */
const messages = new Map<number, Message>();
const deletions = new Map<string, { askedAt: number; heard: number; isMeasured: boolean }>();
const rows = { delivery: count(), last: count(), acknowledged: count(), moderation: count() };
const tally = {
  isMeasuring: false,
  frames: 0,
  refusals: 0,
  closed: 0,
  firstRefusal: undefined as string | undefined,
};
let isWriting = false;
let written = 0;

function count(): { histogram: Histogram; n: number } {
  return { histogram: createHistogram(), n: 0 };
}
function add(counted: { histogram: Histogram; n: number }, ms: number): void {
  counted.histogram.add(Math.max(0, ms) * 1000);
  counted.n++;
}
const row = ({ histogram, n }: { histogram: Histogram; n: number }): Row => [
  ...([histogram.quantileMs(0.5), histogram.quantileMs(0.99), histogram.quantileMs(1)] as const),
  n,
];

const numberAt = (text: string, at: number): number => Number.parseInt(text.slice(at, at + 16), 10);
const MESSAGE = '42["chat.message"';
const DELETED = '42["chat.deleted"';
const TEXT = '"text":"message ';
const DELETED_ID = '"messageId":"';

function hearMessage(frame: string): void {
  const message = messages.get(numberAt(frame, frame.indexOf(TEXT) + TEXT.length));
  if (!message) return;
  message.heard++;
  message.lastAt = performance.now();
  if (!message.isMeasured) return;
  tally.frames++;
  add(rows.delivery, message.lastAt - message.sentAt);
  if (message.heard === sockets.length) add(rows.last, message.lastAt - message.sentAt);
}

function hearDeletion(frame: string): void {
  const at = frame.indexOf(DELETED_ID) + DELETED_ID.length;
  const deletion = deletions.get(frame.slice(at, frame.indexOf('"', at)));
  if (!deletion || ++deletion.heard < sockets.length || !deletion.isMeasured) return;
  add(rows.moderation, performance.now() - deletion.askedAt);
}

/** Handles an acknowledgement frame, such as `43<id>[{"ok":true,"messageId":"…"}]`. */
function hearAnswer(frame: string, unanswered: Map<number, number>): void {
  const id = numberAt(frame, 2);
  const number = unanswered.get(id)!;
  unanswered.delete(id);
  const message = messages.get(number)!;
  const at = frame.indexOf(DELETED_ID);
  if (at < 0) {
    tally.refusals++;
    tally.firstRefusal ??= frame;
    messages.delete(number);
    return;
  }
  message.messageId = frame.slice(at + DELETED_ID.length, frame.indexOf('"', at + DELETED_ID.length));
  if (message.isMeasured) add(rows.acknowledged, performance.now() - message.sentAt);
}

/** Resolves when the socket has entered the room. */
async function openSocket(url: string, { socketToken }: Writer): Promise<void> {
  const unanswered = new Map<number, number>();
  const auth = JSON.stringify({ socket_token: socketToken, rooms: [ROOM] });
  let ready: () => void = () => undefined;
  const entered = new Promise<void>((resolve) => {
    ready = resolve;
  });
  const early: string[] = [];
  let wire: Wire | undefined;
  const hear = (frame: string): void => {
    if (frame.startsWith(MESSAGE)) hearMessage(frame);
    else if (frame.startsWith('43')) hearAnswer(frame, unanswered);
    else if (frame === '2') wire!.send('3');
    else if (frame.startsWith(DELETED)) hearDeletion(frame);
    else if (frame.startsWith('0{')) wire!.send(`40${auth}`);
    else if (frame.startsWith('42["ready"')) ready();
  };
  wire = await openWire(url, PATH, {
    text: (frame) => (wire ? hear(frame) : early.push(frame)),
    closed: () => tally.closed++,
  });
  for (const frame of early) hear(frame);
  await entered;
  sockets.push({ wire, unanswered });
}

function write({ wire, unanswered }: (typeof sockets)[number]): void {
  const number = ++written;
  unanswered.set(number, number);
  const sentAt = performance.now();
  const { isMeasuring } = tally;
  messages.set(number, { sentAt, isMeasured: isMeasuring, messageId: undefined, heard: 0, lastAt: 0 });
  const body = {
    room: ROOM,
    text: `message ${number} of a benchmark, as long as messages are`,
    key: `k${number}`,
  };
  wire.send(`42${number}["chat.send",${JSON.stringify(body)}]`);
}

async function writeNowAndThen(socket: (typeof sockets)[number], everySeconds: number): Promise<void> {
  await sleep(Math.random() * everySeconds * 1000);
  while (isWriting) {
    write(socket);
    await sleep((0.8 + 0.4 * Math.random()) * everySeconds * 1000);
  }
}

/** Deletes messages one after another. A message is deleted only after all sockets have received it. */
async function moderate(port: number, { token }: Account): Promise<void> {
  const connection = await openConnection(port, {
    answered(text) {
      if (isSuccess(text)) return;
      tally.refusals++;
      tally.firstRefusal ??= text.slice(0, 400);
    },
    broken: (reason) => console.error(reason),
  });
  while (isWriting) {
    await sleep(MODERATE_MS);
    const found = [...messages.values()].find(
      ({ messageId, heard }) =>
        heard === sockets.length && messageId !== undefined && !deletions.has(messageId),
    );
    if (!found) continue;
    const messageId = found.messageId!;
    const body = JSON.stringify({ action: 'DELETE_MESSAGE', args: { messageId } });
    deletions.set(messageId, { askedAt: performance.now(), heard: 0, isMeasured: tally.isMeasuring });
    connection.send(
      Buffer.from(
        `POST /admin/chat/admin-action HTTP/1.1\r\nhost: bench\r\nauthorization: Bearer ${token}\r\n` +
          `content-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
      ),
    );
  }
  connection.close();
}

async function findings(seconds: number): Promise<ChatFindings> {
  tally.isMeasuring = true;
  await sleep(seconds * 1000);
  tally.isMeasuring = false;
  isWriting = false;
  const isComplete = () => [...messages.values()].every(({ heard }) => heard >= sockets.length);
  for (const end = performance.now() + DRAIN_MS; performance.now() < end && !isComplete(); ) await sleep(50);
  const all = [...messages.values()];
  const sum = (missing: (heard: number) => number) =>
    all.reduce((total, { heard }) => total + Math.max(0, missing(heard)), 0);
  return {
    delivery: row(rows.delivery),
    last: row(rows.last),
    acknowledged: row(rows.acknowledged),
    moderation: row(rows.moderation),
    messages: all.filter(({ isMeasured }) => isMeasured).length,
    frames: tally.frames,
    refusals: tally.refusals,
    firstRefusal: tally.firstRefusal,
    lost: sum((heard) => sockets.length - heard),
    doubled: sum((heard) => heard - sockets.length),
    closed: tally.closed,
  };
}

process.on('message', async (message: ToChat) => {
  if (message.type === 'connect') {
    const { url, writers } = message;
    for (let i = 0; i < writers.length; i += AT_ONCE)
      await Promise.all(writers.slice(i, i + AT_ONCE).map((writer) => openSocket(url, writer)));
    process.send?.('connected');
  } else if (message.type === 'write') {
    const { everySeconds, apiPort, moderator } = message;
    isWriting = true;
    for (const socket of sockets) void writeNowAndThen(socket, everySeconds);
    void moderate(apiPort, moderator);
    process.send?.('writing');
  } else process.send?.(await findings(message.seconds));
});
process.on('disconnect', () => process.exit(0));
process.on('SIGINT', () => undefined);
