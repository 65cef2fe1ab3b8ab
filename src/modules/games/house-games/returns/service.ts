import { consistentRead, type Db, type DbOrTx, type Tx } from '../../../../platform/database/db.ts';
import { createConsumer, type OnConsumed } from '../../bets/consume.ts';
import type { TestedGame } from './alerts/rules.ts';
import { CONSUMER, readCounted, readDrawnRounds, readPositions, readSums } from './queries.ts';
import { bandOf, NORMAL, type Period, type Sums } from './sums/rules.ts';

export type Returns = ReturnType<typeof createReturns>;

type Deps = { db: Db; onConsumed: OnConsumed };

/** Compares the games' actual RTPs with the theoretical ones. */
export function createReturns({ db, onConsumed }: Deps) {
  return {
    ...createConsumer(db, CONSUMER, onConsumed),

    /** Returns the sums of a game's bets over whole hours, from one snapshot. */
    sums: (gameId: number, period: Period): Promise<Sums> => readSnapshot(db, { gameId, ...period }),

    /** Returns the band of each game's RTP over whole hours, for the bets counted so far. Games without counted bets are omitted. */
    async bandsOf(
      db: DbOrTx,
      gameIds: readonly number[],
      period: Period,
    ): Promise<ReadonlyMap<number, Band>> {
      const sums = await readCounted(db, { gameIds, ...period });
      return new Map([...sums].map(([gameId, counted]) => [gameId, bandFigures(counted)]));
    },

    /** Counts each position of a game in whole days. Returns undefined until all bets of these days have been counted. */
    positions(tx: Tx, game: { id: number; slug: TestedGame }, period: Period): Promise<number[] | undefined> {
      if (game.slug === 'speed-roulette') return readDrawnRounds(tx, period);
      return readPositions(tx, CONSUMER, { gameId: game.id, ...period });
    },
  };
}

/** Reads the sums of a game from one snapshot. */
export const readSnapshot = (db: Db, which: Period & { gameId: number }): Promise<Sums> =>
  consistentRead(db, (tx) => readSums(tx, which));

/** The 95 % band in percent, and whether the actual RTP is inside the band. Null if there are no bets with theoretical values. */
type Band = { bandLow: number | null; bandHigh: number | null; withinBand: boolean | null };

export function bandFigures(sums: Sums): Band {
  const band = bandOf(sums, NORMAL);
  return {
    bandLow: band ? rounded(band.low) : null,
    bandHigh: band ? rounded(band.high) : null,
    withinBand: band ? band.actual >= band.low && band.actual <= band.high : null,
  };
}

/** Rounds a percentage to six decimals. */
export const rounded = <T extends number | null>(percent: T): T =>
  (percent === null ? null : Math.round(percent * 1e6) / 1e6) as T;
