import { setTimeout as sleep } from 'node:timers/promises';
import type { WebhookFaults } from './payments-behaviour.ts';

/** A webhook to send. `sign` creates new headers for each attempt. */
export type Webhook = { path: string; body: string; sign: (body: string) => Record<string, string> };
type Delivery = Pick<Webhook, 'path' | 'body'> & { tries: number; status: number | null };
export type Deliveries = ReturnType<typeof createDeliveries>;

const FIRST_PAUSE_MS = 50;
const LONGEST_PAUSE_MS = 2000;
const TIMEOUT_MS = 10_000;
const KEPT = 1000;

type Parts = {
  apiUrl: () => string;
  faults: () => WebhookFaults;
  chance: (probability: number) => boolean;
  random: () => number;
};

/**
 * Sends webhooks to the platform and repeats each one until it gets a 2xx response. Webhooks of a queue are sent in order, but a webhook
 * does not wait for an earlier one that was rejected.
 */
export function createDeliveries(parts: Parts) {
  const { faults, chance, random } = parts;
  const stop = new AbortController();
  const queues = new Map<string, Promise<void>>();
  const recent: Delivery[] = [];
  const pause = (ms: number) => sleep(ms, undefined, { ref: false, signal: stop.signal });

  /** Resolves after the first attempt. Further attempts run in the background. */
  const deliver = async (webhook: Webhook): Promise<void> => {
    const delivery: Delivery = { path: webhook.path, body: webhook.body, tries: 0, status: null };
    if (recent.push(delivery) > KEPT) recent.shift();
    const attempt = () => send(webhook, delivery, parts, { stop, pause });
    if (chance(faults().lost) || !(await attempt())) repeat(attempt, pause).catch(() => undefined);
  };
  const enqueue = (queue: string, work: () => Promise<void>): void => {
    const next = (queues.get(queue) ?? Promise.resolve()).then(work).catch(() => undefined);
    queues.set(queue, next);
    void next.then(() => queues.get(queue) === next && queues.delete(queue));
  };

  return {
    send(queue: string, webhook: Webhook): void {
      if (stop.signal.aborted) return;
      const { delayMs, reorder, reorderMs, duplicates } = faults();
      const copies = chance(duplicates) ? 2 : 1;
      for (let copy = 0; copy < copies; copy++) {
        const isStray = copy > 0 || chance(reorder);
        const waitMs = delayMs + (isStray ? Math.floor(random() * reorderMs) : 0);
        enqueue(isStray ? `stray ${crypto.randomUUID()}` : queue, async () => {
          if (waitMs > 0) await pause(waitMs);
          await deliver(webhook);
        });
      }
    },
    /** The most recent webhooks, oldest first, with their number of attempts and the platform's last response. */
    list: (): readonly Delivery[] => recent,
    close: () => stop.abort(),
  };
}

type Pause = (ms: number) => Promise<unknown>;

/** Makes one attempt. Returns true if the platform accepted the webhook. */
async function send(
  webhook: Webhook,
  delivery: Delivery,
  { apiUrl, chance, faults }: Parts,
  { stop, pause }: { stop: AbortController; pause: Pause },
): Promise<boolean> {
  delivery.tries += 1;
  try {
    const answer = await fetch(apiUrl() + webhook.path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...webhook.sign(webhook.body) },
      ...(chance(faults().slow) ? inPieces(webhook.body, pause) : { body: webhook.body }),
      redirect: 'manual',
      signal: AbortSignal.any([stop.signal, AbortSignal.timeout(TIMEOUT_MS)]),
    });
    await answer.body?.cancel();
    delivery.status = answer.status;
    return answer.ok;
  } catch {
    return false;
  }
}

async function repeat(attempt: () => Promise<boolean>, pause: Pause): Promise<void> {
  for (let ms = FIRST_PAUSE_MS; ; ms = Math.min(2 * ms, LONGEST_PAUSE_MS)) {
    await pause(ms);
    if (await attempt()) return;
  }
}

/** Sends a body in ten chunks with pauses between them. */
export function inPieces(body: string, pause: Pause) {
  const bytes = Buffer.from(body);
  const size = Math.ceil(bytes.length / 10);
  async function* pieces() {
    for (let at = 0; at < bytes.length; at += size) {
      yield bytes.subarray(at, at + size);
      await pause(30);
    }
  }
  return { body: pieces(), duplex: 'half' } as unknown as { body: string };
}
