import { sql } from 'kysely';
import { z } from 'zod';
import type { StaffCall } from '../../../http/access.ts';
import { operation } from '../../../http/operation.ts';
import {
  Amount,
  type EstimatedPage,
  estimated,
  estimatedPage,
  jsonText,
  PageNumber,
  SortOrder,
  strictObject,
  Time,
  take,
  text,
} from '../../../http/schemas.ts';
import type { Db } from '../../../platform/database/db.ts';
import { commonErrors, listErrors } from '../../../platform/errors.ts';
import { amountOf, dateOf, without } from '../../../platform/list/conditions.ts';
import type { Marks } from '../../../platform/list/marks.ts';
import { UserId } from '../../base/users/schemas.ts';
import { findUserId, sightOf } from '../../base/users/service.ts';
import { bigOf, tenThousandths } from './rules.ts';
import { AdminBetRow, BetSort, BetStatus, GameType } from './schemas.ts';
import type { BetDeps } from './service.ts';
import type { BetFilter, Round, Source, Wanted } from './sources.ts';
import { adminRows } from './view.ts';

/** Strings must match completely, and the username is not case-sensitive. Bounds of amounts and times are inclusive. */
const BetsFilter = strictObject('BetsFilterDto', {
  id: text(64).optional(),
  userId: UserId.optional(),
  username: text(64).optional(),
  status: BetStatus.optional(),
  gameType: GameType.optional(),
  category: text(64).optional(),
  gameSlug: text(64).optional(),
  providerId: z.number().int().min(1).max(2_147_483_647).optional(),
  currencyId: text(16).optional(),
  roundId: text(64).optional(),
  externalId: text(200).optional(),
  minUsdAmount: Amount.meta({
    description: 'Compared with amounts converted at the exchange rate when the bet was placed.',
  }).optional(),
  maxUsdAmount: Amount.meta({ description: 'At the exchange rate when the bet was placed.' }).optional(),
  minMultiplier: z.number().min(0).max(1_000_000_000).optional(),
  startDate: Time.optional(),
  endDate: Time.optional(),
});
type Filter = z.output<typeof BetsFilter>;

const order = { sortBy: BetSort, sortOrder: SortOrder.default('desc'), page: PageNumber, take: take(100) };
const BetSearch = z.strictObject({ ...order, where: BetsFilter.optional() });

const common = {
  path: '/admin/bets',
  tag: 'Admin Bets',
  access: { permission: 'bet.read' },
  summary: 'Search the bets of all players',
  description:
    'Bets are ordered by the time when they were placed. Without a filter, or with only a user and the status SETTLED, `total` is ' +
    'exact and every page can be read, unless the filter excludes more than 10,000 unsettled bets. With other filters `total` is ' +
    'exact up to 500; beyond that it is an estimate, never below 501, and only the first 10,000 rows can be read. At most 10,000 ' +
    'bets can be sorted by `usdAmount`.',
  response: estimatedPage(AdminBetRow),
  errors: [...Object.values(listErrors), commonErrors.AMOUNT_OUT_OF_RANGE],
} as const;

export const searchBets = operation({
  ...common,
  method: 'POST',
  gate: 'none',
  body: BetSearch,
  handler: (deps: BetDeps, { by, body }) => search(deps, by, body),
});

/** The backoffice API responds to the search with 200. */
export const searchBetsInBackoffice = { ...searchBets, status: 200 };

/** In the backoffice the filter can also be sent as JSON in the query string. */
export const searchBetsByQuery = operation({
  ...common,
  method: 'GET',
  query: z.strictObject({
    ...order,
    where: jsonText(BetsFilter)
      .meta({ description: 'A BetsFilterDto as a JSON string.', example: '{"status":"SETTLED"}' })
      .optional(),
  }),
  handler: (deps: BetDeps, { by, query }) => search(deps, by, query),
});

export async function search(
  { reads, bets }: Pick<BetDeps, 'reads' | 'bets'>,
  by: StaffCall,
  request: z.output<typeof BetSearch>,
): Promise<EstimatedPage<z.input<typeof AdminBetRow>>> {
  const wanted = await readFilter({ db: reads, marks: bets.staffMarks }, request.where ?? {});
  const { rows: ids, ...found } = wanted ? await bets.findAny(request, wanted) : { total: 0, rows: [] };
  const rows = await adminRows(reads, ids, sightOf(by.user));
  return estimated(rows, request, found);
}

/**
 * Returns the source with the fewest bets and the remaining conditions, or undefined if no bet can match. Throws 400 AMOUNT_OUT_OF_RANGE if
 * an amount has too many decimals or digits.
 */
async function readFilter(
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

/** Conditions that every bet of a source is known to meet. */
const GUARANTEED: Readonly<Record<Source['of'], readonly (keyof BetFilter)[]>> = {
  all: [],
  user: ['userId'],
  status: ['userId', 'status'],
  round: ['round'],
  bet: [],
};

function sourceOf({ userId, status, round }: BetFilter): Source {
  if (round !== undefined) return { of: 'round', round };
  if (status !== undefined && status !== 'SETTLED') return { of: 'status', status, userId };
  return userId === undefined ? { of: 'all' } : { of: 'user', userId };
}

/**
 * Returns the round that a filter refers to: undefined if it accepts any round, null if the round does not exist. The same string can be
 * the id of a shared round and a provider's id of another round.
 */
async function readRound(db: Db, { roundId, externalId }: Filter): Promise<Round | null | undefined> {
  // No bet belongs to both a shared round and a provider's round.
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

/** Returns the ids of the games that a filter accepts; undefined means any game. */
async function readGames(
  db: Db,
  { gameType, category, gameSlug, providerId }: Filter,
): Promise<readonly number[] | undefined> {
  const conditions = [gameType, category, gameSlug, providerId];
  if (conditions.every((one) => one === undefined)) return undefined;
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
