import type { Limit } from './door.ts';

const MOST_STRIKES = 3;
const STRIKES_COUNT_MS = 600_000;

/** Of one message: it may pass, it is refused, or it was the last one of this socket. */
export type Verdict = 'pass' | 'refuse' | 'cut';
/** Counts a strike of a user, and answers how many there were within ten minutes, in all processes together. */
export type CountStrike = (userId: number) => Promise<number>;

/**
 * Counts messages by user, whatever number of sockets they have, on whichever processes. A refused message is a strike; from the third within
 * ten minutes on, the socket that sent it is cut. What is counted together cannot be asked for while the database is away: then
 * this process goes by its own count.
 */
export function createThrottle(parts: { messages: Limit; countStrike: CountStrike; now?: () => number }) {
  const { messages, countStrike, now = Date.now } = parts;
  const strikes = new Map<number, number[]>();
  const strike = async (userId: number): Promise<Verdict> => {
    const since = now() - STRIKES_COUNT_MS;
    const recent = (strikes.get(userId) ?? []).filter((at) => at > since).slice(1 - MOST_STRIKES);
    recent.push(now());
    strikes.set(userId, recent);
    // A user who floods costs two statements at most.
    if (recent.length >= MOST_STRIKES) return 'cut';
    const all = await countStrike(userId).catch(() => recent.length);
    return all >= MOST_STRIKES ? 'cut' : 'refuse';
  };
  return {
    judge: (userId: number): Verdict | Promise<Verdict> =>
      messages(String(userId)) === 0 ? 'pass' : strike(userId),
    /** Forgets strikes that count no more. */
    sweep(): void {
      const since = now() - STRIKES_COUNT_MS;
      for (const [userId, times] of strikes) if (times.every((at) => at <= since)) strikes.delete(userId);
    },
  };
}

export type Throttle = ReturnType<typeof createThrottle>;
