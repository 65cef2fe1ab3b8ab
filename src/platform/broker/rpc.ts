import { randomUUID } from 'node:crypto';
import type { AppError } from '../errors.ts';
import { within } from '../jobs/timers.ts';
import type { Log } from '../observability/log.ts';
import { assertPattern, type Broker, brokerErrors, type Letter, reasonOf, type Transport } from './broker.ts';

const REQUEST_MS = 5000;
/** Number of requests or replies that a process handles concurrently. */
const CONCURRENCY = 16;

/** A responder's reply. */
type Reply =
  | { ok: true; value: unknown }
  | { ok: false; refusal: { code: string; message: string; details?: unknown } };

const requestsOf = (pattern: string) => `rpc.${pattern}`;

/**
 * Creates the functions that send and handle requests. Requests wait in a queue per pattern, replies in a queue of the requesting process.
 * Both expire after the request's timeout.
 */
export function createRpc(transport: Transport, log: Log): Pick<Broker, 'request' | 'respond'> {
  const replies = `reply.${randomUUID()}`;
  const waiting = new Map<string, (reply: Reply) => void>();
  let receiving: Promise<void> | undefined;

  const ask = async (letter: Letter, timeoutMs: number): Promise<unknown> => {
    const answer = new Promise<Reply>((resolve) => waiting.set(letter.id, resolve));
    try {
      const { pattern } = letter;
      const isSent = await transport.sendTo(requestsOf(pattern), letter, timeoutMs);
      if (!isSent) throw brokerErrors.BROKER_NO_RESPONDER({ pattern });
      const reply = await within(timeoutMs, answer);
      if (!reply) throw brokerErrors.BROKER_TIMEOUT({ pattern, timeoutMs });
      if (!reply.ok) throw brokerErrors.BROKER_REFUSED(reply.refusal);
      return reply.value;
    } finally {
      waiting.delete(letter.id);
    }
  };
  return {
    async request(pattern, data, { timeoutMs = REQUEST_MS } = {}) {
      assertPattern(pattern);
      receiving ??= transport.receive(replies, CONCURRENCY, async (letter) =>
        waiting.get(letter.id)?.(letter.data as Reply),
      );
      try {
        await receiving;
      } catch (error) {
        // Cleared so that the next request tries again.
        receiving = undefined;
        throw error;
      }
      return ask({ id: randomUUID(), pattern, data, replyTo: replies }, timeoutMs);
    },
    async respond(pattern, handle) {
      assertPattern(pattern);
      await transport.receive(requestsOf(pattern), CONCURRENCY, async ({ id, data, replyTo = '' }) => {
        const reply = await replyOf(handle, data, (error) =>
          log.error({ pattern, error: reasonOf(error) }, 'a responder failed'),
        );
        // A reply that cannot be sent now is dropped, because its caller soon stops waiting.
        await transport.sendTo(replyTo, { id, pattern, data: reply }, REQUEST_MS).catch(() => undefined);
      });
    },
  };
}

/** Runs a responder and converts its error to an error reply. The reply for an unexpected error contains no internal details. */
async function replyOf(
  handle: (data: unknown) => Promise<unknown>,
  data: unknown,
  onFailure: (error: unknown) => void,
): Promise<Reply> {
  try {
    return { ok: true, value: (await handle(data)) ?? null };
  } catch (error) {
    const { status, code, message, details } = error as Partial<AppError>;
    if (status !== undefined && code !== undefined && message !== undefined)
      return { ok: false, refusal: { code, message, ...(details ? { details } : {}) } };
    onFailure(error);
    return { ok: false, refusal: { code: 'INTERNAL_ERROR', message: 'The responder failed.' } };
  }
}
