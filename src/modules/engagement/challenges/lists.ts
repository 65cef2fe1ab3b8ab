import { sql } from 'kysely';
import type { z } from 'zod';
import type { StaffCall } from '../../../http/access.ts';
import { type Page, pageOf } from '../../../http/schemas.ts';
import { iso } from '../../../platform/clock.ts';
import type { Db, DbOrTx } from '../../../platform/db.ts';
import { formatUnits } from '../../../platform/money.ts';
import { type Search, searchFor } from '../../base/users/rules.ts';
import { shortUsers, sightOf, toShortPublicUser, usersById } from '../../base/users/service.ts';
import { challengeErrors } from './errors.ts';
import {
  type ChallengeRow,
  candidatesOf,
  countCandidates,
  findChallenge,
  selectChallenges,
} from './queries.ts';
import type {
  AdminChallengeQuery,
  ChallengeBetQuery,
  ChallengeBetRow,
  ChallengeMyQuery,
  ChallengeMyRow,
  ChallengePublicDetail,
  ChallengeQuery,
} from './schemas.ts';
import {
  multiplierOf,
  rulesText,
  type Shown,
  type ShownPublic,
  type ToUsd,
  toPublic,
  toStaff,
} from './show.ts';

export type ListDeps = {
  db: Db;
  /** For what may be a little old. */
  reads: Db;
  toUsd: ToUsd;
};

/** Totals and pages end here: what a list costs does not grow with the years. */
const COUNTED = 10_000;

const MULTIPLIER_TEXT = sql`trim_scale(min_multiplier_e4::numeric / 10000)::text`;
const TITLE = sql`lower(games.name || ' ≥ ' || ${MULTIPLIER_TEXT} || '×')`;
/** At the last known rates. */
const REWARD_USD = sql`coalesce(reward_amount::numeric * (select usd_rate from exchange_rates x where x.currency_id = reward_currency_id), 0)`;

const ORDERS = {
  createdAt: sql`challenges.created_at`,
  updatedAt: sql`challenges.updated_at`,
  rewardUsdAmount: REWARD_USD,
  minBetAmountUsd: sql`min_bet_usd`,
  minBetMultiplier: sql`min_multiplier_e4`,
  winnerSelectedAt: sql`winner_selected_at`,
} as const;

type Ordered = {
  sortBy: keyof typeof ORDERS;
  sortOrder: 'asc' | 'desc';
  page: number;
  take: number;
};
type Selection = ReturnType<typeof selectChallenges>;

/** Those without a value sort before all others; ties by id. */
async function listed<T>(
  matching: Selection,
  query: Ordered,
  show: (rows: ChallengeRow[]) => Promise<T[]>,
  db: DbOrTx,
): Promise<Page<T>> {
  const { total } = await db
    .selectFrom(matching.clearSelect().select('challenges.id').limit(COUNTED).as('counted'))
    .select(sql<number>`count(*)::int`.as('total'))
    .executeTakeFirstOrThrow();
  return pageOf(query, total, async (offset) => {
    const rows = await matching
      .orderBy(ORDERS[query.sortBy], (by) =>
        query.sortOrder === 'asc' ? by.asc().nullsFirst() : by.desc().nullsLast(),
      )
      .orderBy('challenges.id', query.sortOrder)
      .limit(Math.min(query.take, total - offset))
      .offset(offset)
      .execute();
    return show(rows as ChallengeRow[]);
  });
}

const shownToAll = (db: DbOrTx) => selectChallenges(db).where('is_hidden', '=', false);
const isFinished = (wanted: boolean) =>
  wanted ? sql<boolean>`status = 'FINISHED'` : sql<boolean>`status <> 'FINISHED'`;

// ---------------------------------------------------------------- players

/** Challenges that everybody sees. */
export function listPublic(
  { reads, toUsd }: ListDeps,
  { gameSlug, search, ...query }: z.output<typeof ChallengeQuery>,
): Promise<Page<ShownPublic>> {
  const wanted = search?.trim().toLowerCase();
  const matching = shownToAll(reads)
    .$if(query.isFinished !== undefined, (q) => q.where(isFinished(query.isFinished!)))
    .$if(gameSlug !== undefined, (q) => q.where('games.slug', '=', gameSlug!))
    .$if(Boolean(wanted), (q) => q.where(sql<boolean>`strpos(${TITLE}, ${wanted}) > 0`));
  return listed(matching, query, (rows) => toPublics(reads, toUsd, rows), reads);
}

/** Throws 404 CHALLENGE_NOT_FOUND, also for a hidden one. */
export async function getPublic(
  { db, toUsd }: ListDeps,
  id: string,
): Promise<z.input<typeof ChallengePublicDetail>> {
  const row = await findChallenge(db, id);
  if (!row || row.is_hidden) throw challengeErrors.CHALLENGE_NOT_FOUND();
  const [shown] = await toPublics(db, toUsd, [row]);
  return {
    ...shown!,
    betId: row.winner_bet_id === null ? null : String(row.winner_bet_id),
    rules: rulesText(row),
  };
}

/** The same for everybody: who hides is masked, for themselves too. */
async function toPublics(db: DbOrTx, toUsd: ToUsd, rows: readonly ChallengeRow[]): Promise<ShownPublic[]> {
  const winners = await usersById(
    db,
    rows.flatMap(({ winner_id }) => (winner_id === null ? [] : [winner_id])),
  );
  return rows.map((row) => {
    const winner = winners.get(row.winner_id ?? 0);
    return toPublic(row, toUsd, winner && toShortPublicUser(winner, undefined));
  });
}

/** Challenges that a player has a bet in that counts, with the best of them. */
export async function listOwn(
  { db, toUsd }: ListDeps,
  userId: number,
  query: z.output<typeof ChallengeMyQuery>,
): Promise<Page<z.input<typeof ChallengeMyRow>>> {
  const own = shownToAll(db)
    .innerJoin('challenge_bests as best', 'best.challenge_id', 'challenges.id')
    .select(['best.bet_id', 'best.multiplier_e4', 'best.settled_at'])
    .where('best.user_id', '=', userId);
  const { total } = await db
    .selectFrom(own.clearSelect().select('challenges.id').limit(COUNTED).as('counted'))
    .select(sql<number>`count(*)::int`.as('total'))
    .executeTakeFirstOrThrow();
  return pageOf(query, total, async (offset) => {
    const rows = await own
      .orderBy(query.sortBy === 'settledAt' ? 'best.settled_at' : 'best.multiplier_e4', query.sortOrder)
      .orderBy('best.challenge_id', query.sortOrder)
      .limit(Math.min(query.take, total - offset))
      .offset(offset)
      .execute();
    const challenges = await toPublics(db, toUsd, rows as ((typeof rows)[number] & ChallengeRow)[]);
    return rows.map((row, i) => ({
      challenge: challenges[i]!,
      isWon: row.status === 'FINISHED' && row.winner_id === userId,
      bestMultiplier: multiplierOf(row.multiplier_e4),
      betId: String(row.bet_id),
      settledAt: iso(row.settled_at),
    }));
  });
}

// ---------------------------------------------------------------- staff

export function listForStaff(
  { reads, toUsd }: ListDeps,
  by: StaffCall,
  query: z.output<typeof AdminChallengeQuery>,
): Promise<Page<Shown>> {
  const winner = query.winnerSearch === undefined ? undefined : searchFor(query.winnerSearch);
  const matching = selectChallenges(reads)
    .$if(query.isFinished !== undefined, (q) => q.where(isFinished(query.isFinished!)))
    .$if(query.isHidden !== undefined, (q) => q.where('is_hidden', '=', query.isHidden!))
    .$if(query.gameSlug !== undefined, (q) => q.where('games.slug', '=', query.gameSlug!))
    .$if(winner !== undefined, (q) => q.where(isWonBy(winner!)));
  return listed(matching, query, (rows) => toStaffRows(reads, toUsd, by, rows), reads);
}

/** By the id of the winner, by a part of their username, or by the slug of the game that was won. */
const isWonBy = ({ text, id }: Search) => sql<boolean>`winner_id is not null and (winner_id = ${id ?? null}
  or games.slug = ${text} or exists (select from users w where w.id = winner_id and strpos(lower(w.username), ${text.toLowerCase()}) > 0))`;

/** Throws 404 CHALLENGE_NOT_FOUND. */
export async function getForStaff(
  deps: Pick<ListDeps, 'toUsd'> & { db: DbOrTx },
  by: StaffCall,
  id: string,
): Promise<Shown> {
  const row = await findChallenge(deps.db, id);
  if (!row) throw challengeErrors.CHALLENGE_NOT_FOUND();
  return (await toStaffRows(deps.db, deps.toUsd, by, [row]))[0]!;
}

async function toStaffRows(
  db: DbOrTx,
  toUsd: ToUsd,
  by: StaffCall,
  rows: readonly ChallengeRow[],
): Promise<Shown[]> {
  const ids = rows.flatMap((row) => [row.created_by, row.winner_id, row.winner_confirmed_by]);
  const people = await shortUsers(db, ids, sightOf(by.user));
  const counts = await countCandidates(
    db,
    rows.map(({ id }) => id),
  );
  return rows.map((row) => toStaff(row, { toUsd, people, validBetsCount: counts.get(row.id) ?? 0 }));
}

const BET_ORDERS = {
  settledAt: 'k.settled_at',
  usdAmount: 'k.usd_amount',
  multiplier: 'k.multiplier_e4',
} as const;

/** Bets that can win a challenge. Throws 404 CHALLENGE_NOT_FOUND. */
export async function listBets(
  { db }: ListDeps,
  by: StaffCall,
  { id, ...query }: z.output<typeof ChallengeBetQuery> & { id: string },
): Promise<Page<z.input<typeof ChallengeBetRow>>> {
  if (!(await findChallenge(db, id))) throw challengeErrors.CHALLENGE_NOT_FOUND();
  const matching = candidatesOf(db, id)
    .$if(query.userId !== undefined, (q) => q.where('k.user_id', '=', query.userId!))
    .$if(query.betId !== undefined, (q) => q.where('k.bet_id', '=', BigInt(query.betId!)));
  const { total } = await matching.select(sql<number>`count(*)::int`.as('total')).executeTakeFirstOrThrow();
  return pageOf(query, total, async (offset) => {
    const rows = await matching
      .selectAll('k')
      .orderBy(BET_ORDERS[query.sortBy], query.sortOrder)
      .orderBy('k.bet_id', query.sortOrder)
      .limit(query.take)
      .offset(offset)
      .execute();
    const people = await shortUsers(
      db,
      rows.map((row) => row.user_id),
      sightOf(by.user),
    );
    return rows.map((row) => ({
      betId: String(row.bet_id),
      userId: row.user_id,
      user: people.get(row.user_id)!,
      currencyId: row.currency_id,
      amount: formatUnits(row.amount),
      payout: formatUnits(row.payout),
      usdAmount: formatUnits(row.usd_amount),
      usdPayout: formatUnits(row.usd_payout),
      multiplier: multiplierOf(row.multiplier_e4),
      settledAt: iso(row.settled_at),
    }));
  });
}
