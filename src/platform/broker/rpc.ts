import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Log } from '../log.ts';
import { type Broker, brokerErrors, REQUEST_MS, type Reply, reasonOf, replyOf, valueIn } from './broker.ts';
import { assertPattern } from './patterns.ts';

/** A request or its reply, which bears its id. */
export type Letter = { id: string; pattern: string; data: unknown; replyTo?: string | undefined };

/** What requests travel by. */
export type Transport = {
  /** A queue for letters that ends with its consumers; they are handled several at once, and never again when that fails. */
  receive(queue: string, handle: (letter: Letter) => Promise<void>): Promise<void>;
  /** False: nobody consumes the queue. What is not taken in time is thrown away. */
  sendTo(queue: string, letter: Letter, ttlMs: number): Promise<boolean>;
};

const requestsOf = (pattern: string) => `rpc.${pattern}`;

/** Requests wait in a queue of their pattern, replies in one of this process; neither outlives who waits for it. */
export function createRpc(transport: Transport, log: Log): Pick<Broker, 'request' | 'respond'> {
  const replies = `reply.${randomUUID()}`;
  const waiting = new Map<string, (reply: Reply) => void>();
  let receiving: Promise<void> | undefined;

  const ask = async (letter: Letter, timeoutMs: number): Promise<unknown> => {
    const answer = new Promise<Reply>((resolve) => waiting.set(letter.id, resolve));
    const giveUp = new AbortController();
    try {
      const { pattern } = letter;
      const isSent = await transport.sendTo(requestsOf(pattern), letter, timeoutMs);
      if (!isSent) throw brokerErrors.BROKER_NO_RESPONDER({ pattern });
      const late = sleep(timeoutMs, undefined, { signal: giveUp.signal }).catch(() => undefined);
      const reply = await Promise.race([answer, late]);
      if (!reply) throw brokerErrors.BROKER_TIMEOUT({ pattern, timeoutMs });
      return valueIn(reply);
    } finally {
      giveUp.abort();
      waiting.delete(letter.id);
    }
  };
  return {
    async request(pattern, data, { timeoutMs = REQUEST_MS } = {}) {
      assertPattern(pattern);
      receiving ??= transport.receive(replies, async (letter) =>
        waiting.get(letter.id)?.(letter.data as Reply),
      );
      await receiving;
      return ask({ id: randomUUID(), pattern, data, replyTo: replies }, timeoutMs);
    },
    async respond(pattern, handle) {
      assertPattern(pattern);
      await transport.receive(requestsOf(pattern), async ({ id, data, replyTo = '' }) => {
        const reply = await replyOf(handle, data, (error) =>
          log.error({ pattern, error: reasonOf(error) }, 'a responder failed'),
        );
        await transport.sendTo(replyTo, { id, pattern, data: reply }, REQUEST_MS);
      });
    },
  };
}
