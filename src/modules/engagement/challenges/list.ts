import { sql } from 'kysely';
import { z } from 'zod';
import { operation } from '../../../http/operation.ts';
import {
  countedPage,
  type EstimatedPage,
  estimatedPage,
  object,
  PageNumber,
  SortOrder,
  Timestamp,
  take,
  text,
} from '../../../http/schemas.ts';
import { iso } from '../../../platform/clock.ts';
import type { DbOrTx } from '../../../platform/database/db.ts';
import { countUpTo } from '../../../platform/list/page.ts';
import { type Search, searchFor } from '../../base/users/rules.ts';
import {
  type ChallengeDeps,
  type ChallengeRow,
  challengeErrors,
  findChallenge,
  selectChallenges,
} from './queries.ts';
import {
  Challenge,
  ChallengePath,
  ChallengePublic,
  getForStaff,
  Multiplier,
  multiplierOf,
  rulesText,
  toPublic,
  toStaff,
} from './view.ts';

const MULTIPLIER_TEXT = sql`trim_scale(min_multiplier_e4::numeric / 10000)::text`;
const TITLE = sql`lower(games.name || ' ≥ ' || ${MULTIPLIER_TEXT} || '×')`;

export const listChallenges = operation({
  method: 'GET',
  path: '/challenge',
  tag: 'Challenge',
  access: 'anonymous',
  summary: 'List challenges',
  description: 'The search matches parts of titles, which begin with the name of the game.',
  query: z.strictObject({
    isFinished: z.boolean().optional(),
    gameSlug: text(64).optional(),
    search: text(50).optional(),
    sortBy: z
      .enum(['createdAt', 'rewardUsdAmount', 'minBetMultiplier', 'winnerSelectedAt'])
      .default('createdAt'),
    sortOrder: SortOrder.default('desc'),
    page: PageNumber,
    take: take(20),
  }),
  response: estimatedPage(ChallengePublic),
  handler: (deps: ChallengeDeps, { query: { gameSlug, search, ...query } }) => {
    const { reads } = deps;
    const searched = search?.trim().toLowerCase();
    const matching = selectPublished(reads)
      .$if(query.isFinished !== undefined, (q) => q.where(isFinished(query.isFinished!)))
      .$if(gameSlug !== undefined, (q) => q.where('games.slug', '=', gameSlug!))
      .$if(Boolean(searched), (q) => q.where(sql<boolean>`strpos(${TITLE}, ${searched}) > 0`));
    return pageOfChallenges(reads, matching, query, (rows) => toPublic(reads, deps, rows));
  },
});

export const getChallenge = operation({
  method: 'GET',
  path: '/challenge/{id}',
  tag: 'Challenge',
  access: 'anonymous',
  summary: 'Get a challenge and its rules',
  description: 'Returns 404 for hidden challenges.',
  params: ChallengePath,
  response: object('ChallengePublicDetail', {
    ...ChallengePublic.shape,
    betId: z.string().nullable(),
    rules: z.string(),
  }),
  errors: [challengeErrors.CHALLENGE_NOT_FOUND],
  handler: async (deps: ChallengeDeps, { params }) => {
    const row = await findChallenge(deps.db, params.id);
    if (!row || row.is_hidden) throw challengeErrors.CHALLENGE_NOT_FOUND();
    const [challenge] = await toPublic(deps.db, deps, [row]);
    return {
      ...challenge!,
      betId: row.winner_bet_id === null ? null : String(row.winner_bet_id),
      rules: rulesText(row),
    };
  },
});

const ChallengeMyRow = object('ChallengeMyRow', {
  challenge: ChallengePublic,
  isWon: z.boolean().meta({ description: 'True if the reward was paid to the player.' }),
  bestMultiplier: Multiplier,
  betId: z.string(),
  settledAt: Timestamp,
});

export const listOwnChallenges = operation({
  method: 'GET',
  path: '/challenge/my',
  tag: 'Challenge',
  isHistory: true,
  access: 'auth',
  summary: 'List the challenges that you won or nearly won',
  description: 'Each challenge includes your best bet.',
  query: z.strictObject({
    sortBy: z.enum(['settledAt', 'bestMultiplier']).default('settledAt'),
    sortOrder: SortOrder.default('desc'),
    page: PageNumber,
    take: take(20),
  }),
  response: estimatedPage(ChallengeMyRow),
  handler: async (deps: ChallengeDeps, { user: { id: userId }, query }) => {
    const { db } = deps;
    const own = selectPublished(db)
      .innerJoin('challenge_bests as best', 'best.challenge_id', 'challenges.id')
      .select(['best.bet_id', 'best.multiplier_e4', 'best.settled_at'])
      .where('best.user_id', '=', userId);
    const count = (most: number) => countUpTo(db, own.clearSelect().select('challenges.id'), most);
    return countedPage(query, count, async ({ limit, offset }) => {
      const rows = await own
        .orderBy(query.sortBy === 'settledAt' ? 'best.settled_at' : 'best.multiplier_e4', query.sortOrder)
        .orderBy('best.challenge_id', query.sortOrder)
        .limit(limit)
        .offset(offset)
        .execute();
      const challenges = await toPublic(db, deps, rows as ((typeof rows)[number] & ChallengeRow)[]);
      return rows.map((row, i) => ({
        challenge: challenges[i]!,
        isWon: row.status === 'FINISHED' && row.winner_id === userId,
        bestMultiplier: multiplierOf(row.multiplier_e4),
        betId: String(row.bet_id),
        settledAt: iso(row.settled_at),
      }));
    });
  },
});

const reading = {
  method: 'GET',
  tag: 'Admin Challenge',
  access: { permission: 'challenge.read' },
} as const;

export const listChallengesForStaff = operation({
  ...reading,
  path: '/admin/challenge',
  summary: 'List challenges with filters and sorting',
  description:
    "The search for winners matches the winner's id, parts of the winner's username, or the slug of the game. Only the first " +
    '10,000 rows are counted and can be read.',
  query: z.strictObject({
    sortBy: z.enum([
      'createdAt',
      'updatedAt',
      'rewardUsdAmount',
      'minBetAmountUsd',
      'minBetMultiplier',
      'winnerSelectedAt',
    ]),
    sortOrder: SortOrder,
    isFinished: z.boolean().optional(),
    isHidden: z.boolean().optional(),
    winnerSearch: text(50).optional(),
    gameSlug: text(64).optional(),
    page: PageNumber,
    take: take(100),
  }),
  response: estimatedPage(Challenge),
  handler: (deps: ChallengeDeps, { by, query }) => {
    const { reads } = deps;
    const winner = query.winnerSearch === undefined ? undefined : searchFor(query.winnerSearch);
    const matching = selectChallenges(reads)
      .$if(query.isFinished !== undefined, (q) => q.where(isFinished(query.isFinished!)))
      .$if(query.isHidden !== undefined, (q) => q.where('is_hidden', '=', query.isHidden!))
      .$if(query.gameSlug !== undefined, (q) => q.where('games.slug', '=', query.gameSlug!))
      .$if(winner !== undefined, (q) => q.where(isWonBy(winner!)));
    return pageOfChallenges(reads, matching, query, (rows) => toStaff(reads, deps, by, rows));
  },
});

export const getChallengeForStaff = operation({
  ...reading,
  path: '/admin/challenge/{id}',
  summary: 'Get a challenge',
  params: ChallengePath,
  response: Challenge,
  errors: [challengeErrors.CHALLENGE_NOT_FOUND],
  handler: (deps: ChallengeDeps, { by, params }) => getForStaff(deps.db, deps, by, params.id),
});

/** Matches the winner's id, part of the winner's username, or the slug of the game. */
const isWonBy = ({ text, id }: Search) => sql<boolean>`winner_id is not null and (winner_id = ${id ?? null}
  or games.slug = ${text} or exists (select from users w where w.id = winner_id and strpos(lower(w.username), ${text.toLowerCase()}) > 0))`;

/** The reward in US dollars at the last known exchange rate. */
const REWARD_USD = sql`coalesce(reward_amount::numeric * (select usd_rate from exchange_rates x where x.currency_id = reward_currency_id), 0)`;

const ORDERS = {
  createdAt: sql`challenges.created_at`,
  updatedAt: sql`challenges.updated_at`,
  rewardUsdAmount: REWARD_USD,
  minBetAmountUsd: sql`min_bet_usd`,
  minBetMultiplier: sql`min_multiplier_e4`,
  winnerSelectedAt: sql`winner_selected_at`,
} as const;

type Query = {
  sortBy: keyof typeof ORDERS;
  sortOrder: 'asc' | 'desc';
  page: number;
  take: number;
};

/** Returns a page of challenges. Rows without a value in the sort column come first. Rows with equal values are sorted by id. */
async function pageOfChallenges<T>(
  db: DbOrTx,
  matching: ReturnType<typeof selectChallenges>,
  query: Query,
  toRows: (rows: ChallengeRow[]) => Promise<T[]>,
): Promise<EstimatedPage<T>> {
  const count = (most: number) => countUpTo(db, matching.clearSelect().select('challenges.id'), most);
  return countedPage(query, count, async ({ limit, offset }) => {
    const rows = await matching
      .orderBy(ORDERS[query.sortBy], (by) =>
        query.sortOrder === 'asc' ? by.asc().nullsFirst() : by.desc().nullsLast(),
      )
      .orderBy('challenges.id', query.sortOrder)
      .limit(limit)
      .offset(offset)
      .execute();
    return toRows(rows as ChallengeRow[]);
  });
}

const selectPublished = (db: DbOrTx) => selectChallenges(db).where('is_hidden', '=', false);

const isFinished = (wanted: boolean) =>
  wanted ? sql<boolean>`status = 'FINISHED'` : sql<boolean>`status <> 'FINISHED'`;
