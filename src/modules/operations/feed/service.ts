import { setTimeout as sleep } from 'node:timers/promises';
import type { Audience, Delivery, Feed } from '../../../realtime/feed.ts';
import { createSafeWatermark } from '../../money/ledger/safe-watermark.ts';
import { type MissedDeps, readMissed } from './missed.ts';
import { createNews, type NewsDeps } from './news.ts';

/** Bet transactions end within this time. Waiting for them is faster than reading them in the next turn. */
const PATIENT = { patienceMs: 30 };
/** The maximum time that the first socket waits for the current position. */
const START_MS = 2000;
/** A range that is too large for one statement is read in parts. Each failure divides the size of the parts by this number. */
const SMALLER = 16n;
const SMALLEST = SMALLER ** 11n;

/** The feed of everything that has happened, up to the safe watermark. Each process reads it for its own sockets. */
export function createFeed(deps: NewsDeps & MissedDeps): Feed {
  const reader = createReader(deps);
  let running: Promise<unknown> = Promise.resolve();
  /** Runs calls one after another, so that the result of `missed` ends where the following `next` begins. */
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

/** Reads new events from one position to the next. */
function createReader(deps: NewsDeps) {
  const { db } = deps;
  const news = createNews(deps);
  let safeWatermark = createSafeWatermark(db, PATIENT);
  let position = 0n;
  let pieces = 1n;

  /** Starts at the current position once it is known. */
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
    /** Returns how far it has read, or 0 if the current position is not known in time. */
    async readTo() {
      const until = performance.now() + START_MS;
      while (position === 0n && performance.now() < until && !(await start())) await sleep(5);
      return { to: position, speedTo: news.speedPosition() };
    },
    rest(): void {
      position = 0n;
      // The previous one may only have an old position.
      safeWatermark = createSafeWatermark(db, PATIENT);
    },
  };
}
