import { setTimeout as sleep } from 'node:timers/promises';
import { inPieces } from '../payments-deliveries.ts';
import type { GamesBehaviour } from './behaviour.ts';
import type { Message, Reply } from './dialect.ts';

/** A sent message. `status` and `answer` are null if no response was read. */
export type Sent = {
  path: string;
  body: string;
  status: number | null;
  answer: string | null;
  ms: number;
  at: Date;
};
export type Wallet = ReturnType<typeof createWallet>;

const FIRST_PAUSE_MS = 50;
const LONGEST_PAUSE_MS = 2000;
const TIMEOUT_MS = 10_000;
const KEPT = 1000;
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** Sends messages to the platform, one attempt at a time, and stores the most recent ones. */
export function createWallet({
  apiUrl,
  behaviour,
}: {
  apiUrl: () => string;
  behaviour: Pick<GamesBehaviour, 'hits'>;
}) {
  const stop = new AbortController();
  const recent: Sent[] = [];
  const pause = (ms: number) =>
    sleep(Math.min(ms, LONGEST_TIMER_MS), undefined, { ref: false, signal: stop.signal });

  async function exchange({ path, body, headers }: Message, method: string): Promise<Reply> {
    const isSlow = method === 'POST' && behaviour.hits('slow');
    const answer = await fetch(apiUrl() + path, {
      method,
      headers: { ...headers },
      ...(method === 'GET' ? {} : isSlow ? inPieces(body, pause) : { body }),
      redirect: 'manual',
      signal: AbortSignal.any([stop.signal, AbortSignal.timeout(TIMEOUT_MS)]),
    });
    return { status: answer.status, body: await answer.text() };
  }

  return {
    /** Returns undefined if no response was read. The platform may still have processed the message. Rejects once the sandbox closes. */
    async attempt(message: Message, method: 'POST' | 'GET' = 'POST'): Promise<Reply | undefined> {
      stop.signal.throwIfAborted();
      const began = performance.now();
      const sent: Sent = { ...message, status: null, answer: null, ms: 0, at: new Date() };
      if (recent.push(sent) > KEPT) recent.shift();
      const reply = await exchange(message, method).catch(() => undefined);
      stop.signal.throwIfAborted();
      sent.ms = Math.round(performance.now() - began);
      if (!reply || behaviour.hits('lost')) return undefined;
      [sent.status, sent.answer] = [reply.status, reply.body];
      return reply;
    },
    /** Waits before the n-th repetition, where the first is 1. */
    pauseBefore: (n: number) => pause(Math.min(FIRST_PAUSE_MS * 2 ** (n - 1), LONGEST_PAUSE_MS)),
    /** The most recent messages, oldest first. */
    list: (): readonly Sent[] => recent,
    close: () => stop.abort(),
  };
}
