/** `tries`: the number of attempts that failed before this one. `afterSeconds`: the minimum wait that the server requested. */
type Wait = { tries: number; leastMs: number; mostMs: number; afterSeconds?: number | undefined };

/**
 * Returns the wait before the next attempt. It is random (full jitter), so that clients that failed at the same time do not retry at the
 * same time. It is never shorter than the wait that the server requested. If the server requested a long wait, the random time that is
 * added to it can be longer too.
 */
export function backOffMs({ tries, leastMs, mostMs, afterSeconds = 0 }: Wait): number {
  const afterMs = afterSeconds * 1000;
  const windowMs = Math.min(mostMs, Math.max(leastMs * 2 ** tries, afterMs));
  return afterMs + Math.random() * windowMs;
}

/** Returns the number of seconds to wait from an error's details, or undefined if the details contain none. */
export function retryAfterSeconds(details: unknown): number | undefined {
  const seconds = (details as { retryAfterSeconds?: unknown } | null | undefined)?.retryAfterSeconds;
  return typeof seconds === 'number' && Number.isFinite(seconds) && seconds >= 0 ? seconds : undefined;
}
