import { sql } from 'kysely';
import type { z } from 'zod';
import type { Db } from '../../../platform/db.ts';
import { amountOf, dateOf, givenIn, without } from '../../../platform/list/conditions.ts';
import type { Marks } from '../../../platform/list/marks.ts';
import type * as page from '../../../platform/list/page.ts';
import { findUserId } from '../../base/users/service.ts';
import { tenThousandths } from './rules.ts';
import type { BetsFilter } from './schemas.ts';
import type { BetFilter, Round, Source } from './sources.ts';

type Filter = z.output<typeof BetsFilter>;

export type Wanted = page.Wanted<Source, BetFilter>;

/**
 * What a filter asks for, from the source with the fewest bets; undefined where nothing can match. Throws 400 AMOUNT_OUT_OF_RANGE
 * for more decimals or digits than an amount has.
 */
export async function readFilter(
  { db, marks }: { db: Db; marks: Marks },
  where: Filter,
): Promise<Wanted | undefined> {
  const minUsdAmount = amountOf(where.minUsdAmount);
  const maxUsdAmount = amountOf(where.maxUsdAmount);
  const betId = where.id === undefined ? undefined : bigOf(where.id);
  const [userId, gameIds, round] = await Promise.all([
    findUserId(db, where),
    readGames(db, where),
    readRound(db, where),
  ]);
  const isUnknown = (where.id !== undefined && !betId) || round === null;
  if (isUnknown || userId === null || gameIds?.length === 0) return undefined;
  const { status, currencyId, minMultiplier } = where;
  const filter: BetFilter = {
    userId,
    status,
    gameIds,
    currencyId,
    round,
    minUsdAmount,
    maxUsdAmount,
    minMultiplier: minMultiplier === undefined ? undefined : tenThousandths(minMultiplier),
  };
  const source: Source = betId ? { of: 'bet', betId } : sourceOf(filter);
  const range = await marks.rangeOf(dateOf(where.startDate), dateOf(where.endDate));
  return { source, filter: without(filter, GUARANTEED[source.of]), range };
}

/** What is true of every bet of a source. */
const GUARANTEED: Readonly<Record<Source['of'], readonly (keyof BetFilter)[]>> = {
  all: [],
  user: ['userId'],
  status: ['userId', 'status'],
  round: ['round'],
  bet: [],
};

/** A filter that asks for no more than whose bets, and that they are settled. */
export function isPlain({ source, range, filter }: Wanted): boolean {
  if (range.start || range.end || (source.of !== 'all' && source.of !== 'user')) return false;
  return givenIn(filter).every((field) => field === 'status');
}

function sourceOf({ userId, status, round }: BetFilter): Source {
  if (round !== undefined) return { of: 'round', round };
  if (status !== undefined && status !== 'SETTLED') return { of: 'status', status, userId };
  return userId === undefined ? { of: 'all' } : { of: 'user', userId };
}

/** The round that is meant; undefined: any, null: there is none. A text may be the id of a shared round and a provider's name of one. */
async function readRound(db: Db, { roundId, externalId }: Filter): Promise<Round | null | undefined> {
  // No bet has both.
  if (roundId !== undefined && externalId !== undefined) return null;
  if (externalId !== undefined) return { betRef: externalId };
  if (roundId === undefined) return undefined;
  const id = bigOf(roundId);
  const named = await db
    .selectFrom('provider_rounds')
    .select('id')
    .where('round_ref', '=', roundId)
    .limit(1)
    .executeTakeFirst();
  if (!id && !named) return null;
  return { id, ref: named && roundId };
}

/** The id that a text is; undefined for a text that is none. */
export function bigOf(text: string): bigint | undefined {
  const isId = /^[1-9]\d{0,18}$/.test(text) && BigInt(text) < 2n ** 63n;
  return isId ? BigInt(text) : undefined;
}

/** The games that are meant; undefined: any. */
async function readGames(
  db: Db,
  { gameType, category, gameSlug, providerId }: Filter,
): Promise<readonly number[] | undefined> {
  const asked = [gameType, category, gameSlug, providerId];
  if (asked.every((one) => one === undefined)) return undefined;
  const games = await db
    .selectFrom('games')
    .select('id')
    .$if(gameType !== undefined, (q) => q.where('type', '=', gameType!))
    .$if(category !== undefined, (q) => q.where(sql.val(category!), '=', sql<string>`any(categories)`))
    .$if(providerId !== undefined, (q) => q.where('provider_id', '=', providerId!))
    .$if(gameSlug !== undefined, (q) => q.where('slug', '=', gameSlug!))
    .execute();
  return games.map((game) => game.id);
}
