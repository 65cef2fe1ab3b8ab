import type { z } from 'zod';
import { type Clock, iso } from '../../../../platform/clock.ts';
import type { Db, DbOrTx, Tx } from '../../../../platform/db.ts';
import { invalidField } from '../../../../platform/errors.ts';
import { formatUnits } from '../../../../platform/money.ts';
import { createConsumer, type OnConsumed } from '../../bets/consume.ts';
import { houseGameErrors } from '../errors.ts';
import { readDrawnRounds, readPositions } from './positions/queries.ts';
import type { TestedGame } from './positions/rules.ts';
import { CONSUMER, readCounted, readSums } from './queries.ts';
import type { GameRtpReport, RtpQuery } from './schemas.ts';
import { bandOf, NORMAL, type Period, type Sums } from './sums/rules.ts';

export type Returns = ReturnType<typeof createReturns>;

const HOUR_MS = 3_600_000;
const USUAL_MS = 30 * 24 * HOUR_MS;

/** `reads` is for the report, which may be a little old. */
type Deps = { db: Db; reads: Db; clock: Clock; onConsumed: OnConsumed };

/** What the games return to players, beside what theory says of the same bets. */
export function createReturns({ db, reads, clock, onConsumed }: Deps) {
  return {
    ...createConsumer(db, CONSUMER, onConsumed),

    /** Sums of a game's bets over whole hours, in one snapshot. */
    sums: (gameId: number, period: Period): Promise<Sums> => snapshot(db, { gameId, ...period }),

    /** The band of the return of each of these games in whole hours, as far as bets are counted; games without a theory are left out. */
    async bandsOf(
      db: DbOrTx,
      gameIds: readonly number[],
      period: Period,
    ): Promise<ReadonlyMap<number, Band>> {
      const sums = await readCounted(db, { gameIds, ...period });
      return new Map([...sums].map(([gameId, counted]) => [gameId, bandFigures(counted)]));
    },

    /** How often each position came up in a game in whole days; undefined while not all bets of these days are counted. */
    positions(tx: Tx, game: { id: number; slug: TestedGame }, period: Period): Promise<number[] | undefined> {
      if (game.slug === 'speed-roulette') return readDrawnRounds(tx, period);
      return readPositions(tx, CONSUMER, { gameId: game.id, ...period });
    },

    /**
     * The hours that the period touches, by default the last 30 days. Exact at the moment of asking, however far behind the
     * consumer is. Throws 404 GAME_NOT_FOUND, 400 VALIDATION_FAILED for a period without length.
     */
    async report(slug: string, query: z.output<typeof RtpQuery>): Promise<z.input<typeof GameRtpReport>> {
      const game = await reads
        .selectFrom('games')
        .select(['id', 'type', 'settings', 'facts', 'staff_rtp'])
        .where('slug', '=', slug)
        .executeTakeFirst();
      if (!game) throw houseGameErrors.GAME_NOT_FOUND({ game: slug });
      const { from, until } = periodOf(query, clock.now());
      const sums = await snapshot(reads, { gameId: game.id, from, until });
      return {
        slug,
        startDate: iso(from),
        endDate: iso(until),
        ...figuresOf(sums, configuredRtp(game)),
      };
    },
  };
}

type Configured = { type: string; settings: unknown; facts: unknown; staff_rtp: string | null };

/** Of a house game its setting; of a provider's what staff says, or else the supplier. */
function configuredRtp({ type, settings, facts, staff_rtp }: Configured): number | null {
  if (type === 'HOUSE_GAME') return (settings as { rtp?: number }).rtp ?? null;
  return staff_rtp === null ? ((facts as { rtp?: number | null }).rtp ?? null) : Number(staff_rtp);
}

const snapshot = (db: Db, which: Period & { gameId: number }): Promise<Sums> =>
  db
    .transaction()
    .setIsolationLevel('repeatable read')
    .setAccessMode('read only')
    .execute((tx) => readSums(tx, which));

function periodOf({ startDate, endDate }: z.output<typeof RtpQuery>, now: number): Period {
  const until = Math.ceil((endDate ? Date.parse(endDate) : now) / HOUR_MS) * HOUR_MS;
  const from = startDate ? Math.floor(Date.parse(startDate) / HOUR_MS) * HOUR_MS : until - USUAL_MS;
  if (from >= until) throw invalidField('startDate', 'needs to be before endDate');
  return { from: new Date(from), until: new Date(until) };
}

/** Money of all bets; the band, and whether the return lies in it, without the bets that stand apart (`sumsOf`). */
function figuresOf(sums: Sums, configuredRtp: number | null) {
  const turnover = sums.staked + sums.apartStaked;
  const payout = sums.paid + sums.apartPaid;
  const actualRtp = turnover === 0n ? null : (100 * Number(payout)) / Number(turnover);
  return {
    rounds: Number(sums.bets + sums.apartBets),
    turnoverUsd: formatUnits(turnover),
    payoutUsd: formatUnits(payout),
    actualRtp: rounded(actualRtp),
    configuredRtp,
    deviation: actualRtp === null || configuredRtp === null ? null : rounded(actualRtp - configuredRtp),
    ...bandFigures(sums),
  };
}

type Band = Pick<z.input<typeof GameRtpReport>, 'bandLow' | 'bandHigh' | 'withinBand'>;

function bandFigures(sums: Sums): Band {
  const band = bandOf(sums, NORMAL);
  return {
    bandLow: band ? rounded(band.low) : null,
    bandHigh: band ? rounded(band.high) : null,
    withinBand: band ? band.actual >= band.low && band.actual <= band.high : null,
  };
}

/** Percent at six decimals. */
const rounded = <T extends number | null>(percent: T): T =>
  (percent === null ? null : Math.round(percent * 1e6) / 1e6) as T;
