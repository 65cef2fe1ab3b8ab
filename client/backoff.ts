/** `tries`: the number of failed attempts before this one, from 0. `afterSeconds`: the shortest wait the server asked for. */
type Wait = { tries: number; leastMs: number; mostMs: number; afterSeconds?: number | undefined };

/**
 * Returns the wait before the next attempt with full jitter, so that many clients that failed together do not all return together. It is
 * never shorter than the server asked for, and a longer minimum also widens the random spread after it.
 */
export function backOffMs({ tries, leastMs, mostMs, afterSeconds = 0 }: Wait): number {
  const afterMs = afterSeconds * 1000;
  const windowMs = Math.min(mostMs, Math.max(leastMs * 2 ** tries, afterMs));
  return afterMs + Math.random() * windowMs;
}

/** Returns the seconds to wait from an error's details, or undefined if there are none. */
export function retryAfterSeconds(details: unknown): number | undefined {
  const seconds = (details as { retryAfterSeconds?: unknown } | null | undefined)?.retryAfterSeconds;
  return typeof seconds === 'number' && Number.isFinite(seconds) && seconds >= 0 ? seconds : undefined;
}
