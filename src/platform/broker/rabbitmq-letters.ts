import { randomUUID } from 'node:crypto';
import type { AsyncMessage, Channel, Envelope, SyncMessage } from 'rabbitmq-client';
import type { Broker, DeadLetter, Message, Waits } from './broker.ts';
import { DEAD, type Link, retryOf } from './rabbitmq-link.ts';

type Raw = AsyncMessage | SyncMessage;

/** Headers for data that AMQP has no field for: the number of attempts, the original pattern and the time. */
const HEADERS = { attempt: 'x-attempt', pattern: 'x-pattern', at: 'x-at' } as const;
const DEAD_HEADERS = { id: 'x-letter', queue: 'x-queue', reason: 'x-reason', diedAt: 'x-died-at' } as const;

export const envelopeOf = (id: string): Envelope => ({
  messageId: id,
  timestamp: Math.floor(Date.now() / 1000),
  headers: { [HEADERS.at]: Date.now() },
});

export function messageOf(raw: Raw): Message {
  const headers = (raw.headers ?? {}) as Record<string, unknown>;
  const at = headers[HEADERS.at];
  return {
    id: raw.messageId ?? '',
    pattern: String(headers[HEADERS.pattern] ?? raw.routingKey),
    data: raw.body,
    headers,
    attempt: Number(headers[HEADERS.attempt] ?? 1),
    redelivered: raw.redelivered || headers[HEADERS.attempt] !== undefined,
    enqueuedAt: typeof at === 'number' ? new Date(at) : null,
  };
}

/** Reads the first `count` messages of a queue and requeues them in their original order. */
export async function look(channel: Channel, queue: string, count: number): Promise<SyncMessage[]> {
  const seen: SyncMessage[] = [];
  while (seen.length < count) {
    const message = await channel.basicGet({ queue });
    if (!message) break;
    seen.push(message);
  }
  giveBack(channel, seen);
  return seen;
}

const giveBack = (channel: Channel, seen: readonly SyncMessage[]) => {
  for (const { deliveryTag } of seen.toReversed()) channel.basicNack({ deliveryTag, requeue: true });
};

type Failure = { queue: string; message: Message; reason: string; isLast: boolean };

/** Stores the failed message for its next attempt or as a dead letter, before its consumer acknowledges it. */
export async function setAside(
  link: Link,
  waits: Waits,
  { queue, message, reason, isLast }: Failure,
): Promise<void> {
  const { envelope, body } = again(message, message.attempt + (isLast ? 0 : 1));
  const waitMs = waits.backoffMs[Math.min(message.attempt, waits.backoffMs.length) - 1] ?? 0;
  const dead = {
    [DEAD_HEADERS.id]: randomUUID(),
    [DEAD_HEADERS.queue]: queue,
    [DEAD_HEADERS.reason]: reason,
    [DEAD_HEADERS.diedAt]: Date.now(),
  };
  const to = isLast
    ? { routingKey: DEAD, headers: { ...envelope.headers, ...dead } }
    : { exchange: retryOf(waitMs), routingKey: queue };
  await link.send([{ envelope: { ...envelope, ...to }, body }]);
}

/** Returns the message in the form in which it must be sent again. */
const again = ({ pattern, id, enqueuedAt, data }: Message, attempt: number) => ({
  body: data,
  envelope: {
    messageId: id,
    headers: {
      [HEADERS.attempt]: attempt,
      [HEADERS.pattern]: pattern,
      [HEADERS.at]: enqueuedAt?.getTime() ?? Date.now(),
    },
  },
});

export const createDeadLetters = (link: Link): Broker['dead'] => ({
  count: async () =>
    (await link.using((channel) => channel.queueDeclare({ queue: DEAD, passive: true })))?.messageCount ?? 0,
  list: async (most) => ((await link.using((channel) => look(channel, DEAD, most))) ?? []).map(letterOf),
  redrive: (id) =>
    take(link, id, async (letter) => {
      const { envelope, body } = again(messageOf(letter), 1);
      const routingKey = String(letter.headers?.[DEAD_HEADERS.queue]);
      // If the queue no longer exists, the dead letter remains.
      const lost = await link.send([{ envelope: { ...envelope, routingKey, mandatory: true }, body }]);
      return lost.size === 0;
    }),
  drop: (id) => take(link, id, async () => true),
});

/** Finds the dead letter and removes it if `act` succeeds. Returns false if it does not exist or `act` failed. */
async function take(link: Link, id: string, act: (found: SyncMessage) => Promise<boolean>): Promise<boolean> {
  const isDone = await link.using(async (channel) => {
    const others: SyncMessage[] = [];
    const { messageCount } = await channel.queueDeclare({ queue: DEAD, passive: true });
    for (let i = 0; i < messageCount; i++) {
      const letter = await channel.basicGet({ queue: DEAD });
      if (!letter) break;
      if (letter.headers?.[DEAD_HEADERS.id] === id && (await act(letter))) {
        channel.basicAck({ deliveryTag: letter.deliveryTag });
        giveBack(channel, others);
        return true;
      }
      others.push(letter);
    }
    giveBack(channel, others);
    return false;
  });
  return isDone ?? false;
}

function letterOf(raw: SyncMessage): DeadLetter {
  const message = messageOf(raw);
  const diedAt = message.headers[DEAD_HEADERS.diedAt];
  return {
    id: String(message.headers[DEAD_HEADERS.id] ?? ''),
    queue: String(message.headers[DEAD_HEADERS.queue] ?? ''),
    messageId: message.id,
    pattern: message.pattern,
    data: message.data,
    attempts: message.attempt,
    reason: String(message.headers[DEAD_HEADERS.reason] ?? ''),
    diedAt: typeof diedAt === 'number' ? new Date(diedAt) : null,
  };
}
