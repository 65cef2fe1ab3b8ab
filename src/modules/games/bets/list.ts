import { z } from 'zod';
import { operation } from '../../../http/operation.ts';
import {
  CurrencyId,
  Decimal,
  estimated,
  estimatedPage,
  object,
  PageNumber,
  SortOrder,
  Timestamp,
  take,
} from '../../../http/schemas.ts';
import type { Db } from '../../../platform/database/db.ts';
import { listErrors } from '../../../platform/errors.ts';
import { WHOLE } from '../../../platform/list/conditions.ts';
import { ShortPublicUser } from '../../base/users/schemas.ts';
import { toShortPublicUser } from '../../base/users/service.ts';
import { LIVE } from './rules.ts';
import {
  BetPath,
  BetRow,
  BetSort,
  BetStatus,
  betErrors,
  gameIdentity,
  LiveBetRow,
  LiveBetType,
} from './schemas.ts';
import { type BetDeps, betIdOf } from './service.ts';
import type { Wanted } from './sources.ts';
import { asTheyStand } from './versions.ts';
import { PUBLIC_USER_COLUMNS, toOwnRow, toRow, withGame } from './view.ts';

const common = { method: 'GET', tag: 'Bets', access: 'auth' } as const;

export const listBets = operation({
  ...common,
  path: '/bets',
  isHistory: true,
  summary: 'List your bets',
  description:
    'For settled bets `total` is exact and every page can be read. For other statuses `total` is exact up to 500, and only the ' +
    'first 10,000 rows can be read. At most 10,000 bets can be sorted by `usdAmount`.',
  query: z.strictObject({
    sortBy: BetSort,
    sortOrder: SortOrder.default('desc'),
    status: BetStatus.default('SETTLED'),
    page: PageNumber,
    take: take(20),
  }),
  response: estimatedPage(BetRow),
  errors: Object.values(listErrors),
  handler: async ({ bets }: BetDeps, { user, query }) => {
    const { rows: ids, ...found } = await bets.findOwn(query, ownBets(user.id, query.status));
    const rows = ids.length > 0 ? (await bets.rowsOf(ids))! : [];
    return estimated(rows.map(toOwnRow), query, found);
  },
});

const ownBets = (userId: number, status: BetStatus): Wanted =>
  status === 'SETTLED'
    ? { source: { of: 'user', userId }, range: WHOLE, filter: { status } }
    : { source: { of: 'status', status, userId }, range: WHOLE, filter: {} };

const Count = z.number().int().min(1).max(LIVE);

const live = {
  query: z.strictObject({ type: LiveBetType, count: Count }),
  response: z.array(LiveBetRow),
} as const;

export const listLiveBets = operation({
  ...common,
  ...live,
  path: '/live-bets',
  summary: 'List the latest settled bets of all players',
  description:
    'ALL contains all bets. HIGH_ROLLERS and LUCKY_WINS contain those of the newest 10,000 bets that reach ' +
    'LIVE_BETS_HIGH_ROLLER_USD or LIVE_BETS_LUCKY_MULTIPLIER, respectively. Returns only settled bets, the latest first, and ' +
    'excludes bets of test users and staff. The list is at most one second old. If `isActivitySimulated` of GET /config/USER is ' +
    'true, up to one in five rows of ALL is simulated (`isSimulated`).',
  handler: ({ bets }: BetDeps, { user, query }) => bets.live.list(user.id, query.type, query.count),
});

export const listLiveBetsPublicly = operation({
  ...live,
  method: 'GET',
  tag: 'Bets',
  access: 'anonymous',
  cache: { scope: 'public', seconds: 1 },
  path: '/public/live-bets',
  summary: 'List the latest settled bets for visitors without a session',
  description:
    'Returns the rows of GET /live-bets as other players see them: players who hide their name are masked.',
  handler: ({ bets }: BetDeps, { query }) => bets.live.list(undefined, query.type, query.count),
});

export const listOwnLiveBets = operation({
  ...common,
  path: '/live-bets/my',
  summary: 'List your latest bets',
  description:
    'By default, returns settled bets, ordered by the time of settlement. Bets with another status are ordered by the time when ' +
    'they were placed.',
  query: z.strictObject({ status: BetStatus.default('SETTLED'), count: Count }),
  response: z.array(LiveBetRow),
  handler: ({ bets }: BetDeps, { user, query }) => bets.live.own(user.id, query.status, query.count),
});

const OpenObject = z.record(z.string(), z.unknown());

const BetGame = object('BetGame', {
  ...gameIdentity,
  multiplier: z.number(),
  inputs: OpenObject.nullable(),
  outcome: OpenObject.nullable(),
});

const BetInfo = object('BetInfo', {
  currencyId: CurrencyId,
  amount: Decimal,
  payout: Decimal,
  betId: z.string(),
  settledAt: Timestamp,
  windowId: z
    .string()
    .nullable()
    .meta({ description: 'The `windowId` sent with the bet. Null if none was sent.' }),
  game: BetGame,
  user: ShortPublicUser,
});

const info = {
  ...common,
  isHistory: true,
  params: BetPath,
  response: BetInfo,
  errors: [betErrors.BET_NOT_FOUND],
} as const;

export const getHouseBet = operation({
  ...info,
  path: '/bets/house-games/info/{betId}',
  summary: 'Get one of your house game bets with its inputs and outcome',
  handler: ({ db }: BetDeps, { user, params }) => getInfo(db, user.id, { ...params, isHouse: true }),
});

export const getProviderBet = operation({
  ...info,
  path: '/bets/slots/info/{betId}',
  summary: 'Get one of your provider or sportsbook bets',
  handler: ({ db }: BetDeps, { user, params }) => getInfo(db, user.id, { ...params, isHouse: false }),
});

type Facts = Record<string, unknown> | null;

/** Only bets on house games have inputs and an outcome. */
async function getInfo(
  db: Db,
  userId: number,
  { betId, isHouse }: { betId: string; isHouse: boolean },
): Promise<z.input<typeof BetInfo>> {
  const found = await withGame(db.selectFrom('bets'))
    .innerJoin('users', 'users.id', 'bets.user_id')
    .select([...PUBLIC_USER_COLUMNS, 'inputs', 'outcome'])
    .where('bets.id', '=', betIdOf(betId))
    .where('user_id', '=', userId)
    .where('games.type', isHouse ? '=' : '<>', 'HOUSE_GAME')
    // The outcome of an open round is secret.
    .where('status', '<>', 'CREATED')
    .where('settled_at', 'is not', null)
    .execute();
  const [row] = await asTheyStand(db, found);
  if (!row) throw betErrors.BET_NOT_FOUND();
  const { id, settledAt, currencyId, amount, payout, game, multiplier } = toRow(row);
  const details = {
    inputs: isHouse ? (row.inputs as Facts) : null,
    outcome: isHouse ? outcomeOf(row.outcome as Facts, multiplier) : null,
  };
  return {
    currencyId,
    amount,
    payout,
    betId: id,
    settledAt: settledAt!,
    windowId: row.window_id,
    game: { ...game, multiplier, ...details },
    user: toShortPublicUser({ ...row, id: userId }, userId),
  };
}

/** The stored outcome of a lost bet may contain the multiplier on offer, which is returned in a separate field. */
function outcomeOf(outcome: Facts, multiplier: number): Facts {
  const offered = outcome?.multiplier;
  if (multiplier !== 0 || typeof offered !== 'number' || offered === 0) return outcome;
  return { ...outcome, multiplier: 0, offeredMultiplier: offered };
}
