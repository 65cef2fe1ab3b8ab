import { ownInTab } from './own.ts';

/** After this time a bet without a response is not sent again. The server forgets idempotency keys much later. */
const PENDING_MS = 10 * 60_000;
const KEY = 'pendingBets';

/** A bet that was sent. `at`: the time of the press. */
export type Sent = { op: string; input: string; key: string; at: number };

const isSent = (one: unknown): one is Sent => {
  const { op, input, key, at } = (one ?? {}) as Record<string, unknown>;
  return typeof at === 'number' && [op, input, key].every((text) => typeof text === 'string');
};
const areSent = (stored: unknown): stored is Sent[] => Array.isArray(stored) && stored.every(isSent);

/** The player's bets without a response. The tab stores them before they are sent, for a reload of the page. */
export const pending = (): Sent[] =>
  (ownInTab.read(KEY, areSent) ?? []).filter(({ at }) => Date.now() - at < PENDING_MS);

/** Stores a bet, if there is one, and removes those with these keys. */
export function keepPending(sent: Sent | undefined, keys: readonly string[]): void {
  const others = pending().filter(({ key }) => !keys.includes(key));
  ownInTab.set(KEY, JSON.stringify(sent ? [...others, sent] : others));
}

let stay = new AbortController();
/** Aborted when the player signs out. */
export const untilSignOut = (): AbortSignal => stay.signal;

/** Call before the request that signs the player out. Bets without a response are not sent again after it. */
export function dropPending(): void {
  stay.abort();
  stay = new AbortController();
  ownInTab.remove(KEY);
}
