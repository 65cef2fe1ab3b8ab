import { setTimeout as sleep } from 'node:timers/promises';
import { createSafeWatermark, type SafeWatermark } from '../../money/ledger/safe-watermark.ts';
import type { Audience, Delivery } from './frames.ts';
import { type Missed, type MissedDeps, readMissed, type Told } from './missed.ts';
import { createNews, type NewsDeps } from './news.ts';

export type Feed = {
  /**
   * Everything that has happened since the last call, for those who listen here, in the order of seq. `position` is how far it was
   * read; 0 while nobody knows yet. After `rest` it begins at the present. One call at a time.
   */
  next(audience: Audience): Promise<{ deliveries: Delivery[]; position: number }>;
  /**
   * What each of these sockets has missed, in order, and how things are now: up to where the next `next` begins. `past` is undefined
   * where it is too long ago, too much, or after no seq that there ever was: the client must begin anew. Their rooms have to be in the
   * audience of that `next`.
   */
  missed(sockets: readonly Missed[]): Promise<Told[]>;
  /** Nobody listens any more: what happens until somebody does is not read, the next call begins at the present then. */
  rest(): void;
};

/** Bets that are just being made end within that: a whole read later they would be older. */
const PATIENT = { patienceMs: 30 };
/** How long somebody who comes first waits for the present to be known. */
const START_MS = 2000;
/** What is too much for a statement is read in parts, so many times smaller after every failure. */
const SMALLER = 16n;
const SMALLEST = SMALLER ** 11n;

/** What has happened, read behind the safe watermark by each process for its own sockets. */
export function createFeed(parts: NewsDeps & MissedDeps): Feed {
  const { db } = parts;
  const news = createNews(parts);
  let safeWatermark: SafeWatermark = createSafeWatermark(db, PATIENT);
  let position = 0n;
  let pieces = 1n;
  let running: Promise<unknown> = Promise.resolve();

  /** Begins at the present, as soon as that is known. */
  const start = async (): Promise<boolean> => {
    const below = await safeWatermark();
    if (below === 0n) return false;
    position = below - 1n;
    news.startAt(position);
    return true;
  };
  const read = async (audience: Audience): Promise<Delivery[]> => {
    if (position === 0n) {
      await start();
      return [];
    }
    const ahead = (await safeWatermark()) - position - 1n;
    const below = position + 1n + (ahead + pieces - 1n) / pieces;
    try {
      const deliveries = await news.read(audience, { after: position, below });
      position = below - 1n;
      pieces = pieces > 4n ? pieces / 4n : 1n;
      return deliveries;
    } catch (error) {
      pieces = pieces < SMALLEST ? pieces * SMALLER : SMALLEST;
      throw error;
    }
  };
  /** One after the other: what `missed` answers ends where the following `next` begins. */
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    const mine = running.then(work, work);
    running = mine.catch(() => undefined);
    return mine;
  };
  const here = async (): Promise<bigint> => {
    for (
      const until = performance.now() + START_MS;
      position === 0n && performance.now() < until;
      await sleep(5)
    ) {
      if (await start()) break;
    }
    return position;
  };

  return {
    next: (audience) =>
      inTurn(async () => {
        const deliveries = await read(audience);
        return { deliveries, position: Number(position) };
      }),
    async missed(sockets) {
      const readTo = await inTurn(async () => ({ to: await here(), speedTo: news.speedPosition() }));
      if (readTo.to === 0n) throw new Error('where the present is cannot be told yet');
      return readMissed(parts, sockets, readTo);
    },
    rest() {
      position = 0n;
      // The one of before may know a time long ago only.
      safeWatermark = createSafeWatermark(db, PATIENT);
    },
  };
}
