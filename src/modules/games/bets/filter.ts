import type { z } from 'zod';
import type { Db } from '../../../platform/db.ts';
import { commonErrors } from '../../../platform/errors.ts';
import { parseUnits, type Units } from '../../../platform/money.ts';
import { findUserByUsername } from '../../base/users/service.ts';
import { EVERYBODY } from '../../money/ledger/marked-list.ts';
import type { Marks, Range } from '../../money/ledger/marks.ts';
import { tenThousandths } from './rules.ts';
import type { BetsFilter } from './schemas.ts';
import type { BetFilter, Source } from './sources.ts';

type Filter = z.output<typeof BetsFilter>;

/** Where to look, and what to look for. */
export type Wanted = { source: Source; range: Range; filter: BetFilter };

export const WHOLE: Range = { from: 0n, below: undefined };

/**
 * What a filter asks for, from the source with the fewest bets; undefined where nothing can match. Throws 400 AMOUNT_OUT_OF_RANGE
 * for more decimals or digits than an amount has.
 */
export async function readFilter(
  { db, marks }: { db: Db; marks: Marks },
  where: Filter,
): Promise<Wanted | undefined> {
  const minUsdAmount = usdOf(where.minUsdAmount);
  const maxUsdAmount = usdOf(where.maxUsdAmount);
  // No bet is of a provider of games, or has an id of somebody else's.
  if (where.providerId !== undefined || where.externalId !== undefined) return undefined;
  const betId = where.id === undefined ? undefined : bigOf(where.id);
  const roundId = where.roundId === undefined ? undefined : bigOf(where.roundId);
  const [userId, gameIds] = await Promise.all([readUser(db, where), readGames(db, where)]);
  const isUnknown = [where.id !== undefined && !betId, where.roundId !== undefined && !roundId];
  if (isUnknown.includes(true) || userId === null || gameIds?.length === 0) return undefined;
  const { status, currencyId, minMultiplier } = where;
  const filter: BetFilter = {
    userId,
    status,
    gameIds,
    currencyId,
    roundId,
    minUsdAmount,
    maxUsdAmount,
    minMultiplier: minMultiplier === undefined ? undefined : tenThousandths(minMultiplier),
  };
  const source: Source = betId ? { of: 'bet', betId } : sourceOf(filter);
  const [start, end] = [dateOf(where.startDate), dateOf(where.endDate)];
  const wanted = { source, filter: without(filter, source), range: { ...WHOLE, start, end } };
  if (!start && !end) return wanted;
  // What was made lately has no mark yet.
  await marks.total(EVERYBODY);
  return { ...wanted, range: await marks.between(start, end) };
}

/** A filter that asks for no more than whose bets, and that they are settled. */
export function isPlain({ source, range, filter }: Wanted): boolean {
  if (range.start || range.end || (source.of !== 'all' && source.of !== 'user')) return false;
  return Object.entries(filter).every(([field, value]) => field === 'status' || value === undefined);
}

function sourceOf({ userId, status, roundId }: BetFilter): Source {
  if (roundId !== undefined) return { of: 'round', roundId };
  if (status !== undefined && status !== 'SETTLED') return { of: 'status', status, userId };
  return userId === undefined ? { of: 'all' } : { of: 'user', userId };
}

/** What is true of a source need not be asked of each of its bets. */
function without(filter: BetFilter, { of }: Source): BetFilter {
  const { userId, status, roundId, ...others } = filter;
  return {
    ...others,
    ...(of === 'user' || of === 'status' ? {} : { userId }),
    ...(of === 'status' ? {} : { status }),
    ...(of === 'round' ? {} : { roundId }),
  };
}

/** The id that a text is; undefined for a text that is none. */
export function bigOf(text: string): bigint | undefined {
  const isId = /^[1-9]\d{0,18}$/.test(text) && BigInt(text) < 2n ** 63n;
  return isId ? BigInt(text) : undefined;
}

const dateOf = (text: string | undefined): Date | undefined =>
  text === undefined ? undefined : new Date(text);

function usdOf(text: string | undefined): Units | undefined {
  const amount = text === undefined ? undefined : parseUnits(text);
  if (text !== undefined && amount === undefined) throw commonErrors.AMOUNT_OUT_OF_RANGE({ decimals: 8 });
  return amount;
}

/** The user who is meant; null where there is none. */
async function readUser(db: Db, { userId, username }: Filter): Promise<number | null | undefined> {
  if (username === undefined) return userId;
  const user = await findUserByUsername(db, username);
  return user && (userId === undefined || userId === user.id) ? user.id : null;
}

/** The games that are meant; undefined: any. Every house game is of the category of its name, and no other game has one. */
async function readGames(
  db: Db,
  { gameType, category, gameSlug }: Filter,
): Promise<readonly number[] | undefined> {
  if (gameType === undefined && category === undefined && gameSlug === undefined) return undefined;
  if (category !== undefined && category !== 'HOUSE_GAME') return [];
  const games = await db
    .selectFrom('games')
    .select('id')
    .$if(gameType !== undefined, (q) => q.where('type', '=', gameType!))
    .$if(category !== undefined, (q) => q.where('type', '=', category!))
    .$if(gameSlug !== undefined, (q) => q.where('slug', '=', gameSlug!))
    .execute();
  return games.map((game) => game.id);
}
