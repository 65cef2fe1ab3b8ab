import { setTimeout as sleep } from 'node:timers/promises';
import type { WebhookFaults } from './payments-behaviour.ts';

/** What the platform is told. `sign` makes the headers, anew for each try. */
export type Notice = { path: string; body: string; sign: (body: string) => Record<string, string> };
type Delivery = Pick<Notice, 'path' | 'body'> & { tries: number; status: number | null };
export type Deliveries = ReturnType<typeof createDeliveries>;

const FIRST_PAUSE_MS = 50;
const LONGEST_PAUSE_MS = 2000;
const TIMEOUT_MS = 10_000;
const KEPT = 1000;

/**
 * Tells the platform, each notice until it is answered with 2xx. Those of one line are sent in their order, but none waits for
 * an earlier one that was refused.
 */
export function createDeliveries(parts: {
  apiUrl: () => string;
  faults: () => WebhookFaults;
  chance: (probability: number) => boolean;
  random: () => number;
}) {
  const { apiUrl, faults, chance, random } = parts;
  const stop = new AbortController();
  const lines = new Map<string, Promise<void>>();
  const kept: Delivery[] = [];
  const pause = (ms: number) => sleep(ms, undefined, { ref: false, signal: stop.signal });

  const attempt = async (notice: Notice, delivery: Delivery): Promise<boolean> => {
    delivery.tries += 1;
    try {
      const answer = await fetch(apiUrl() + notice.path, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...notice.sign(notice.body) },
        ...(chance(faults().slow) ? inPieces(notice.body, pause) : { body: notice.body }),
        redirect: 'manual',
        signal: AbortSignal.any([stop.signal, AbortSignal.timeout(TIMEOUT_MS)]),
      });
      await answer.body?.cancel();
      delivery.status = answer.status;
      return answer.ok;
    } catch {
      return false;
    }
  };
  /** Resolves after the first try; the others follow by themselves. */
  const deliver = async (notice: Notice): Promise<void> => {
    const delivery: Delivery = { path: notice.path, body: notice.body, tries: 0, status: null };
    if (kept.push(delivery) > KEPT) kept.shift();
    if (!chance(faults().lost) && (await attempt(notice, delivery))) return;
    repeat(notice, delivery).catch(() => undefined);
  };
  const repeat = async (notice: Notice, delivery: Delivery): Promise<void> => {
    for (let ms = FIRST_PAUSE_MS; ; ms = Math.min(2 * ms, LONGEST_PAUSE_MS)) {
      await pause(ms);
      if (await attempt(notice, delivery)) return;
    }
  };
  const enqueue = (line: string, work: () => Promise<void>): void => {
    const next = (lines.get(line) ?? Promise.resolve()).then(work).catch(() => undefined);
    lines.set(line, next);
    void next.then(() => lines.get(line) === next && lines.delete(line));
  };

  return {
    send(line: string, notice: Notice): void {
      if (stop.signal.aborted) return;
      const { delayMs, reorder, reorderMs, duplicates } = faults();
      const copies = chance(duplicates) ? 2 : 1;
      for (let copy = 0; copy < copies; copy++) {
        const isStray = copy > 0 || chance(reorder);
        const waitMs = delayMs + (isStray ? Math.floor(random() * reorderMs) : 0);
        enqueue(isStray ? `stray ${crypto.randomUUID()}` : line, async () => {
          if (waitMs > 0) await pause(waitMs);
          await deliver(notice);
        });
      }
    },
    /** The last notices, oldest first: how often each was tried and what the platform has answered. */
    list: (): readonly Delivery[] => kept,
    close: () => stop.abort(),
  };
}

/** A body that comes a tenth at a time. */
function inPieces(body: string, pause: (ms: number) => Promise<unknown>) {
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
