import { sql } from 'kysely';
import type { z } from 'zod';
import type { StaffCall } from '../../../http/access.ts';
import { type Page, paginated } from '../../../http/schemas.ts';
import type { Db, DbOrTx } from '../../../platform/db.ts';
import { WHOLE } from '../../../platform/list/conditions.ts';
import { EVERYBODY } from '../../../platform/list/marked-list.ts';
import { createMarks } from '../../../platform/list/marks.ts';
import { LOOKED } from '../../../platform/list/matching.ts';
import { readTogether } from '../../../platform/shared-read.ts';
import { sightOf, toShortPublicUser } from '../../base/users/service.ts';
import { betErrors } from './errors.ts';
import { bigOf, readFilter, type Wanted } from './filter.ts';
import { createBetList } from './list.ts';
import { type Beside, createLiveBets, type LastPlayed, type Scenery, type Thresholds } from './live.ts';
import { createBetNews } from './news.ts';
import { rollBackByStaff, type Undoes } from './roll-back.ts';
import type { AdminBetRow, BetInfo, BetRow, BetSearch, BetStatus, BetsQuery } from './schemas.ts';
import { adminRows, PUBLIC_USER_COLUMNS, toOwnRow, toRow, withBonus, withGame } from './show.ts';
import { BETS } from './sources.ts';
import { asTheyStand } from './versions.ts';

export type Bets = ReturnType<typeof createBets>;

type Deps = {
  db: Db;
  grants: Undoes;
  /** For what staff searches: may be a little old. */
  reads?: Db;
  beside: Beside;
  lastPlayed: LastPlayed;
  scenery: Scenery;
  /** Bets that are looked at to fill a page of a filter. */
  looked?: number;
} & Thresholds;

/** Bets as players and staff see them. */
export function createBets({ db, grants, reads = db, looked = LOOKED, ...live }: Deps) {
  const marks = createMarks(db, BETS);
  const findOwn = createBetList({ db, marks, looked });
  const staffMarks = createMarks(db, BETS, reads);
  const findAny = createBetList({ db: reads, marks: staffMarks, looked });
  const rowsOf = readTogether((pages: readonly (readonly bigint[])[]) => readPages(db, pages));
  return {
    /** A player's own bets. Throws 400 SORT_TOO_LONG, PAGE_TOO_DEEP, FILTER_TOO_WIDE. */
    async list(userId: number, query: z.output<typeof BetsQuery>): Promise<Page<z.input<typeof BetRow>>> {
      const { total, rows: ids } = await findOwn(query, ownBets(userId, query.status));
      const rows = ids.length > 0 ? (await rowsOf(ids))! : [];
      return paginated(rows.map(toOwnRow), query, total);
    },

    /**
     * Bets of all players, for staff. Throws 400 SORT_TOO_LONG, PAGE_TOO_DEEP, FILTER_TOO_WIDE, AMOUNT_OUT_OF_RANGE.
     */
    async search(
      by: StaffCall,
      request: z.output<typeof BetSearch>,
    ): Promise<Page<z.input<typeof AdminBetRow>>> {
      const wanted = await readFilter({ db: reads, marks: staffMarks }, request.where ?? {});
      const { total, rows: ids } = wanted ? await findAny(request, wanted) : { total: 0, rows: [] };
      const rows = await adminRows(reads, ids, sightOf(by.user));
      return paginated(rows, request, total);
    },

    live: createLiveBets({ db, ...live }),
    news: createBetNews({ db, ...live }),

    hasMarksToSet: marks.hasNews,
    /** Keeps the pages of everybody's bets quick. */
    setMarks: async (): Promise<void> => {
      await marks.extend(EVERYBODY);
    },

    ownerOf: (id: bigint) => ownerOf(db, id),

    /**
     * Rolls a settled bet back: the stake returns, the payout is taken, and with them everything that hung on the bet. Throws 404
     * BET_NOT_FOUND, 409 BET_OF_PROVIDER, BET_NOT_SETTLED, BET_ROLLED_BACK and BET_ARCHIVED, 403 OWN_ACCOUNT and ACCOUNT_CONNECTED, and as freshActor does.
     */
    rollBack: (by: StaffCall, request: { betId: string; reason: string; key: string | undefined }) =>
      rollBackByStaff({ db, grants }, by, { ...request, betId: betIdOf(request.betId) }),

    /** A bet of this player; what happened in a slot only its provider knows. Throws 404 BET_NOT_FOUND. */
    info: (userId: number, bet: { betId: string; type: InfoType }) => betInfo(db, userId, bet),
  };
}

/** The bets of some pages, each in its order. */
async function readPages(db: Db, pages: readonly (readonly bigint[])[]) {
  const rows = await withBonus(withGame(db.selectFrom('bets')))
    .where('bets.id', '=', sql<bigint>`any(${pages.flat()}::int8[])`)
    .execute();
  const byId = new Map((await asTheyStand(db, rows)).map((row) => [row.id, row]));
  return new Map(pages.map((ids) => [ids, ids.map((id) => byId.get(id)!)]));
}

/** The player of a bet, and the id in whose block its last posting lies (null: it is open); undefined: no such bet. */
async function ownerOf(db: Db, id: bigint): Promise<{ userId: number; last: bigint | null } | undefined> {
  const row = await db
    .selectFrom('bets')
    .select(['user_id', 'settlement_id', 'status'])
    .select(sql<bigint | null>`(select max(id) from bet_corrections where bet_id = bets.id)`.as('corrected'))
    .where('id', '=', id)
    .executeTakeFirst();
  if (!row) return undefined;
  const isOpen = row.status === 'CREATED' || row.status === 'ERROR';
  return { userId: row.user_id, last: isOpen ? null : (row.corrected ?? row.settlement_id ?? id) };
}

function ownBets(userId: number, status: BetStatus): Wanted {
  return status === 'SETTLED'
    ? { source: { of: 'user', userId }, range: WHOLE, filter: { status } }
    : { source: { of: 'status', status, userId }, range: WHOLE, filter: {} };
}

type InfoType = 'HOUSE_GAME' | 'SLOTS';
type Facts = Record<string, unknown> | null;

async function betInfo(
  db: Db,
  userId: number,
  { betId, type }: { betId: string; type: InfoType },
): Promise<z.input<typeof BetInfo>> {
  const found = await withGame(db.selectFrom('bets'))
    .innerJoin('users', 'users.id', 'bets.user_id')
    .select([...PUBLIC_USER_COLUMNS, 'inputs', 'outcome'])
    .where('bets.id', '=', betIdOf(betId))
    .where('user_id', '=', userId)
    .where('games.type', '=', type)
    // What an open round has decided is nobody's to see.
    .where('status', '<>', 'CREATED')
    .where('settled_at', 'is not', null)
    .execute();
  const [row] = await asTheyStand(db, found);
  if (!row) throw betErrors.BET_NOT_FOUND();
  const { id, settledAt, currencyId, amount, payout, game, multiplier } = toRow(row);
  const isHouse = type === 'HOUSE_GAME';
  const details = {
    inputs: isHouse ? (row.inputs as Facts) : null,
    outcome: isHouse ? (row.outcome as Facts) : null,
  };
  return {
    currencyId,
    amount,
    payout,
    betId: id,
    settledAt: settledAt!,
    game: { ...game, multiplier, ...details },
    user: toShortPublicUser({ ...row, id: userId }, userId),
  };
}

/** Slugs of the games in which the player has an open round, which hides what their seed would show. */
export async function openRounds(db: DbOrTx, userId: number): Promise<string[]> {
  const rows = await db
    .selectFrom('rounds')
    .innerJoin('games', 'games.id', 'rounds.game_id')
    .select('games.slug')
    .where('user_id', '=', userId)
    .orderBy('games.slug')
    .execute();
  return rows.map((row) => row.slug);
}

/** A bet id as a number. Throws 404 BET_NOT_FOUND for a text that is none. */
export function betIdOf(text: string): bigint {
  const id = bigOf(text);
  if (id === undefined) throw betErrors.BET_NOT_FOUND();
  return id;
}
