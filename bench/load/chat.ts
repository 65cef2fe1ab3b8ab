/** The sockets of `npm run bench chat`, in a separate process that its parent controls. */
import { setTimeout as sleep } from 'node:timers/promises';
import { createTimes, numberAt, openSocket, type Wire } from './client.ts';
import { type Account, piecesOf, serve } from './protocol.ts';

const ROOM = 'chat:general';
const AT_ONCE = 50;
const MODERATE_MS = 500;
const DRAIN_MS = 10_000;

type Message = { sentAt: number; isMeasured: boolean; messageId?: string; heard: number };

const wires: Wire[] = [];
/** Sent messages, keyed by the number in their text. `deletions`: requested deletions by message id. */
const messages = new Map<number, Message>();
const deletions = new Map<string, { askedAt: number; heard: number; isMeasured: boolean }>();
const times = {
  delivery: createTimes(),
  last: createTimes(),
  acknowledged: createTimes(),
  moderation: createTimes(),
};
const tally = { isMeasuring: false, isWriting: false, written: 0, closed: 0 };
const refusals: string[] = [];

const TEXT = '"text":"message ';
const ID = '"messageId":"';

function idIn(frame: string): string | undefined {
  const at = frame.indexOf(ID);
  return at < 0 ? undefined : frame.slice(at + ID.length, frame.indexOf('"', at + ID.length));
}

function hear(frame: string): void {
  if (frame.startsWith('42["chat.message"')) hearMessage(frame);
  else if (frame.startsWith('43')) hearAnswer(frame);
  else if (frame.startsWith('42["chat.deleted"')) hearDeletion(frame);
}

function hearMessage(frame: string): void {
  const message = messages.get(numberAt(frame, frame.indexOf(TEXT) + TEXT.length));
  if (!message) return;
  message.heard++;
  if (!message.isMeasured) return;
  const tookMs = performance.now() - message.sentAt;
  times.delivery.add(tookMs);
  if (message.heard === wires.length) times.last.add(tookMs);
}

function hearDeletion(frame: string): void {
  const deletion = deletions.get(idIn(frame)!);
  if (!deletion || ++deletion.heard < wires.length || !deletion.isMeasured) return;
  times.moderation.add(performance.now() - deletion.askedAt);
}

/** Handles an acknowledgement frame, such as `43<id>[{"ok":true,"messageId":"…"}]`. The id is the number of the message. */
function hearAnswer(frame: string): void {
  const number = numberAt(frame, 2);
  const message = messages.get(number)!;
  const messageId = idIn(frame);
  if (messageId === undefined) {
    refusals.push(frame);
    messages.delete(number);
    return;
  }
  message.messageId = messageId;
  if (message.isMeasured) times.acknowledged.add(performance.now() - message.sentAt);
}

/** Writes a message now and then, until the measurement ends. */
async function write(wire: Wire, everySeconds: number): Promise<void> {
  await sleep(Math.random() * everySeconds * 1000);
  while (tally.isWriting) {
    const number = ++tally.written;
    messages.set(number, { sentAt: performance.now(), isMeasured: tally.isMeasuring, heard: 0 });
    const text = `message ${number} of a benchmark, as long as messages are`;
    wire.send(`42${number}["chat.send",${JSON.stringify({ room: ROOM, text, key: `k${number}` })}]`);
    await sleep((0.8 + 0.4 * Math.random()) * everySeconds * 1000);
  }
}

/** Deletes messages one after another. A message is deleted only after all sockets have received it. */
async function moderate(apiPort: number, { token }: Account): Promise<void> {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const isReady = ({ messageId, heard }: Message) =>
    heard === wires.length && messageId !== undefined && !deletions.has(messageId);
  for (; tally.isWriting; await sleep(MODERATE_MS)) {
    const messageId = messages.values().find(isReady)?.messageId;
    if (messageId === undefined) continue;
    deletions.set(messageId, { askedAt: performance.now(), heard: 0, isMeasured: tally.isMeasuring });
    const body = JSON.stringify({ action: 'DELETE_MESSAGE', args: { messageId } });
    const url = `http://127.0.0.1:${apiPort}/admin/chat/admin-action`;
    const answer = await fetch(url, { method: 'POST', headers, body });
    const text = await answer.text();
    if (!answer.ok) refusals.push(text);
  }
}

/**
 * Returns the times from sending a message to its arrival at each socket (`delivery`) and at the last one (`last`), to its acknowledgement,
 * and from the moderator's request until the last socket receives the deletion. `lost` deliveries never arrived, `doubled` ones twice.
 */
async function measure(seconds: number) {
  tally.isMeasuring = true;
  await sleep(seconds * 1000);
  tally.isMeasuring = false;
  tally.isWriting = false;
  const isComplete = () => messages.values().every(({ heard }) => heard >= wires.length);
  for (const end = performance.now() + DRAIN_MS; performance.now() < end && !isComplete(); ) await sleep(50);
  const all = [...messages.values()];
  const sum = (missing: (heard: number) => number) =>
    all.reduce((total, { heard }) => total + Math.max(0, missing(heard)), 0);
  return {
    delivery: times.delivery.all(),
    last: times.last.all(),
    acknowledged: times.acknowledged.all(),
    moderation: times.moderation.all(),
    messages: all.filter(({ isMeasured }) => isMeasured).length,
    refusals: refusals.length,
    firstRefusal: refusals[0]?.slice(0, 400),
    lost: sum((heard) => wires.length - heard),
    doubled: sum((heard) => heard - wires.length),
    closed: tally.closed,
  };
}

const calls = {
  async connect(url: string, writers: readonly Account[]): Promise<void> {
    const heard = { event: hear, closed: () => tally.closed++ };
    const open = ({ socketToken }: Account) =>
      openSocket(url, { socket_token: socketToken, rooms: [ROOM] }, heard);
    for (const piece of piecesOf(writers, AT_ONCE)) wires.push(...(await Promise.all(piece.map(open))));
  },
  write(everySeconds: number, apiPort: number, moderator: Account): void {
    tally.isWriting = true;
    for (const wire of wires) void write(wire, everySeconds);
    void moderate(apiPort, moderator);
  },
  measure,
};
export type Served = typeof calls;
serve(calls);
