import type { Limit } from './door.ts';

const MOST_STRIKES = 3;
const STRIKES_COUNT_MS = 600_000;

/** Of one message: it may pass, it is refused, or it was the last one of this socket. */
export type Verdict = 'pass' | 'refuse' | 'cut';

/**
 * Counts messages by user, whatever number of sockets he has. A refused message is a strike; from the third within ten minutes
 * on, the socket that sent it is cut.
 */
export function createThrottle({ messages, now = Date.now }: { messages: Limit; now?: () => number }) {
  const strikes = new Map<number, number[]>();
  return {
    judge(userId: number): Verdict {
      if (messages(String(userId)) === 0) return 'pass';
      const since = now() - STRIKES_COUNT_MS;
      const recent = (strikes.get(userId) ?? []).filter((at) => at > since).slice(1 - MOST_STRIKES);
      recent.push(now());
      strikes.set(userId, recent);
      return recent.length >= MOST_STRIKES ? 'cut' : 'refuse';
    },
    /** Forgets strikes that count no more. */
    sweep(): void {
      const since = now() - STRIKES_COUNT_MS;
      for (const [userId, times] of strikes) if (times.every((at) => at <= since)) strikes.delete(userId);
    },
  };
}

export type Throttle = ReturnType<typeof createThrottle>;
