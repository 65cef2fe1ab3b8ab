import { setTimeout as sleep } from 'node:timers/promises';
import type { Audience, Delivery, Feed } from '../../../realtime/feed.ts';
import { createSafeWatermark } from '../../money/ledger/safe-watermark.ts';
import { type MissedDeps, readMissed } from './missed.ts';
import { createNews, type NewsDeps } from './news.ts';

/** Transactions of bets end within that time: waiting for them is faster than reading them with the next turn. */
const PATIENT = { patienceMs: 30 };
/** How long the first socket waits for the position of the present. */
const START_MS = 2000;
/** A range that is too much for one statement is read in parts, which are so many times smaller after every failure. */
const SMALLER = 16n;
const SMALLEST = SMALLER ** 11n;

/** Everything that has happened, read up to the safe watermark by each process for its own sockets. */
export function createFeed(deps: NewsDeps & MissedDeps): Feed {
  const reader = createReader(deps);
  let running: Promise<unknown> = Promise.resolve();
  /** One after the other: what `missed` answers ends where the following `next` begins. */
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    const mine = running.then(work, work);
    running = mine.catch(() => undefined);
    return mine;
  };
  return {
    next: (audience) =>
      inTurn(async () => {
        const deliveries = await reader.read(audience);
        return { deliveries, position: Number(reader.position()) };
      }),
    async missed(sockets) {
      const readTo = await inTurn(reader.readTo);
      if (readTo.to === 0n) throw new Error('where the present is cannot be told yet');
      return readMissed(deps, sockets, readTo);
    },
    rest: reader.rest,
  };
}

/** Reads what is new, from one position to the next. */
function createReader(deps: NewsDeps) {
  const { db } = deps;
  const news = createNews(deps);
  let safeWatermark = createSafeWatermark(db, PATIENT);
  let position = 0n;
  let pieces = 1n;

  /** Begins at the present, as soon as that is known. */
  const start = async (): Promise<boolean> => {
    const below = await safeWatermark();
    if (below === 0n) return false;
    position = below - 1n;
    news.startAt(position);
    return true;
  };
  return {
    position: () => position,
    async read(audience: Audience): Promise<Delivery[]> {
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
    },
    /** How far it has read, once that is known; 0 when it is not known in time. */
    async readTo() {
      const until = performance.now() + START_MS;
      while (position === 0n && performance.now() < until && !(await start())) await sleep(5);
      return { to: position, speedTo: news.speedPosition() };
    },
    rest(): void {
      position = 0n;
      // The one of before may know a time long ago only.
      safeWatermark = createSafeWatermark(db, PATIENT);
    },
  };
}
