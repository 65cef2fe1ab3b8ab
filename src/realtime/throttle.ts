import type { Limit } from './door.ts';

const MOST_STRIKES = 3;
const STRIKES_COUNT_MS = 600_000;

/** The decision about one message: accept it, reject it, or reject it and disconnect the socket. */
export type Verdict = 'pass' | 'refuse' | 'cut';
/** Records a strike against a user. Returns the user's number of strikes in the last ten minutes, across all processes. */
export type CountStrike = (userId: number) => Promise<number>;

/**
 * Limits messages per user, across all sockets and processes. A rejected message is a strike. From the third strike within ten minutes on,
 * the sending socket is disconnected. While the database is unavailable, each process uses its own count.
 */
export function createThrottle(parts: { messages: Limit; countStrike: CountStrike; now?: () => number }) {
  const { messages, countStrike, now = Date.now } = parts;
  const strikes = new Map<number, number[]>();
  const strike = async (userId: number): Promise<Verdict> => {
    const since = now() - STRIKES_COUNT_MS;
    const recent = (strikes.get(userId) ?? []).filter((at) => at > since).slice(1 - MOST_STRIKES);
    recent.push(now());
    strikes.set(userId, recent);
    // The third recent strike in this process needs no query, so a user who floods one process causes at most two statements.
    if (recent.length >= MOST_STRIKES) return 'cut';
    const all = await countStrike(userId).catch(() => recent.length);
    return all >= MOST_STRIKES ? 'cut' : 'refuse';
  };
  return {
    judge: (userId: number): Verdict | Promise<Verdict> =>
      messages(String(userId)) === 0 ? 'pass' : strike(userId),
    /** Removes expired strikes. */
    sweep(): void {
      const since = now() - STRIKES_COUNT_MS;
      for (const [userId, times] of strikes) if (times.every((at) => at <= since)) strikes.delete(userId);
    },
  };
}

export type Throttle = ReturnType<typeof createThrottle>;
