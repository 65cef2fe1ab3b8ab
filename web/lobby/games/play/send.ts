import { type Answer, type Input, type Op, Refused } from '../../../../client/call.ts';
import { call } from '../../../kit/api.ts';
import { asRefused } from '../../../kit/query.ts';
import { session } from '../../../kit/storage.ts';

/** Waits between two attempts while it is unknown whether a bet was placed. */
const UNKNOWN_PAUSE_MS = 1000;
const MOST_PAUSE_MS = 5000;
/** A bet that is sent again within this time after a lost connection has the same idempotency key, so it is placed once. */
const SAME_BET_MS = 60_000;
/** The server forgets idempotency keys much later. */
const PENDING_MS = 10 * 60_000;
const KEY = 'pendingBet';

type Sent = { op: string; input: string; key: string; at: number };
/** The bets that got no response, by operation. */
const lost = new Map<string, Sent>();

function keyFor(op: string, input: string): Sent {
  const before = lost.get(op);
  lost.delete(op);
  if (before?.input === input && Date.now() - before.at < SAME_BET_MS) return before;
  return { op, input, key: crypto.randomUUID(), at: Date.now() };
}

type Watch = {
  /** Called when the server does not know yet whether the bet was placed. */
  onUnknown?: () => void;
  /** If it returns false, no further attempt is made. The bet can be asked for again with `pendingBet`. */
  isWanted?: () => boolean;
};

const isUnknown = (error: unknown) => error instanceof Refused && error.code === 'BET_OUTCOME_UNKNOWN';
const pause = (ms: number) => new Promise((done) => setTimeout(done, ms));

/**
 * Sends a bet until the server reports its outcome. All attempts have one idempotency key, so the bet is placed at most once. While the
 * outcome is unknown, the bet is also kept for a reload of the page. Throws `Refused`.
 */
export async function send<O extends Op>(op: O, input: Input<O>, watch: Watch = {}): Promise<Answer<O>> {
  return attempts(op, input, keyFor(op, JSON.stringify(input)), watch);
}

async function attempts<O extends Op>(op: O, input: Input<O>, sent: Sent, watch: Watch): Promise<Answer<O>> {
  for (let tries = 1; ; tries++)
    try {
      const answer = await call(op, input, { key: sent.key });
      forget(sent);
      return answer;
    } catch (error) {
      if (isUnknown(error) && watch.isWanted?.() !== false) {
        session.set(KEY, JSON.stringify(sent));
        watch.onUnknown?.();
        await pause(Math.min(UNKNOWN_PAUSE_MS * tries, MOST_PAUSE_MS));
        continue;
      }
      if (asRefused(error).status === 0) lost.set(op, { ...sent, at: Date.now() });
      else if (!isUnknown(error)) forget(sent);
      throw error;
    }
}

function pending(): Sent | undefined {
  const kept = session.get(KEY);
  const sent = kept === undefined ? undefined : (JSON.parse(kept) as Sent);
  return sent && Date.now() - sent.at < PENDING_MS ? sent : undefined;
}

function forget({ key }: Sent): void {
  if (pending()?.key === key) session.remove(KEY);
}

/** Returns a function that requests the outcome of a bet that was unknown when the page was reloaded, or undefined. */
export function pendingBet<O extends Op>(op: O, watch: Watch): (() => Promise<Answer<O>>) | undefined {
  const sent = pending();
  if (sent?.op !== op) return undefined;
  return () => attempts(op, JSON.parse(sent.input) as Input<O>, sent, watch);
}
