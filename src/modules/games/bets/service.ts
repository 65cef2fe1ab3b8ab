import { sql } from 'kysely';
import { consistentRead, type Db, type Tx } from '../../../platform/database/db.ts';
import { readTogether } from '../../../platform/limits/shared-read.ts';
import { readList } from '../../../platform/list/list.ts';
import { EVERYBODY, rankedPage, readMarks } from '../../../platform/list/marked-list.ts';
import { createMarks, type Marks } from '../../../platform/list/marks.ts';
import type { Found, PageRequest } from '../../../platform/list/page.ts';
import { readPage } from '../../../platform/list/table.ts';
import type { StaffValueDeps } from '../../base/staff-value/service.ts';
import type { Grants } from '../../money/bonus/grants.ts';
import { type Beside, createLiveBets, type LastPlayed, type Scenery, type Thresholds } from './live.ts';
import { createBetNews } from './news.ts';
import { bigOf, UNSETTLED } from './rules.ts';
import { betErrors } from './schemas.ts';
import { BETS, betTable, idsFrom, scopeOf, unsettledIds, type Wanted } from './sources.ts';
import { asTheyStand } from './versions.ts';
import { withBonus, withGame } from './view.ts';

export type Bets = ReturnType<typeof createBets>;

export type BetDeps = StaffValueDeps & {
  db: Db;
  /** The replica from which staff searches read. It may lag behind the primary. */
  reads: Db;
  bets: Bets;
  grants: Pick<Grants, 'planUndo'>;
};

export type BetOptions = {
  db: Db;
  reads?: Db;
  beside: Beside;
  lastPlayed: LastPlayed;
  scenery: Scenery;
  /** Maximum number of bets that are scanned for a page of filtered bets. */
  looked?: number;
} & Thresholds;

/** Finds pages of bets, and maintains the live feed and the marks of lists. */
export function createBets({ db, reads = db, looked, ...live }: BetOptions) {
  const marks = createMarks(db, BETS);
  const staffMarks = createMarks(db, BETS, reads);
  return {
    findOwn: createBetFinder({ db, marks, looked }),
    findAny: createBetFinder({ db: reads, marks: staffMarks, looked }),
    staffMarks,
    /** Returns the rows of bets, in the order of the given ids. Concurrent calls share one statement. */
    rowsOf: readTogether((pages: readonly (readonly bigint[])[]) => readPages(db, pages)),

    live: createLiveBets({ db, ...live }),
    news: createBetNews({ db, ...live }),

    hasMarksToSet: marks.hasNews,
    /** Sets the marks of the bet lists. A mark stores the number of bets below an id and is used to find pages. */
    setMarks: async (): Promise<void> => {
      await marks.extend(EVERYBODY);
    },

    ownerOf: (id: bigint) => ownerOf(db, id),
  };
}

/** Reads the bets of several pages. The bets of each page keep their order. */
async function readPages(db: Db, pages: readonly (readonly bigint[])[]) {
  const rows = await withBonus(withGame(db.selectFrom('bets')))
    .where('bets.id', '=', sql<bigint>`any(${pages.flat()}::int8[])`)
    .execute();
  const byId = new Map((await asTheyStand(db, rows)).map((row) => [row.id, row]));
  return new Map(pages.map((ids) => [ids, ids.map((id) => byId.get(id)!)]));
}

/**
 * Returns the player of a bet, and the latest id among the bet, its settlement and its corrections (null while the bet is open). The bet's
 * last posting is in the same block of ids. Returns undefined if the bet does not exist.
 */
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

/** Parses a bet id. Throws 404 BET_NOT_FOUND if the string is not an id. */
export function betIdOf(text: string): bigint {
  const id = bigOf(text);
  if (id === undefined) throw betErrors.BET_NOT_FOUND();
  return id;
}

const LONGEST_REASON = 500;

/** Marks an open bet as ERROR with the reason why it could not be settled. A retry may settle it. Does not change a bet that has ended. */
export async function markUnsettled(db: Db, betId: bigint, reason: string): Promise<void> {
  await db
    .updateTable('bets')
    .set({ status: 'ERROR', error_reason: reason.slice(0, LONGEST_REASON), updated_at: sql<Date>`now()` })
    .where('id', '=', betId)
    .where('status', 'in', ['CREATED', 'ERROR'])
    .execute();
}

/** Detaching a month stores its sums, so its settled bets must not change at the same time. */
const MONTHS_LOCK = sql`hashtextextended('months of bets', 0)`;

/**
 * Prevents months from being detached until the transaction ends. Throws 409 BET_ARCHIVED if the bet's month is detached or being detached.
 */
export async function holdMonthOf(tx: Tx, betId: bigint): Promise<void> {
  await sql`select pg_advisory_xact_lock_shared(${MONTHS_LOCK})`.execute(tx);
  const { rows } = await sql<{ part: string }>`
    select part from archived_parts where list = 'bets' and below > ${betId} order by below limit 1`.execute(
    tx,
  );
  const [month] = rows;
  if (month) throw betErrors.BET_ARCHIVED({ part: month.part });
}

/** Prevents changes to settled bets until the transaction ends. First waits for running transactions that change a settled bet. */
export const closeMonths = (tx: Tx) => sql`select pg_advisory_xact_lock(${MONTHS_LOCK})`.execute(tx);

export type Request = PageRequest & { sortBy: 'createdAt' | 'usdAmount' };
type ListDeps = {
  db: Db;
  marks: Marks;
  looked: number | undefined;
};
/** If a player has at most this many bets, a page is read with a single statement. */
const FEW_BETS = 1000;

/**
 * Returns a function that finds the ids on a page of bets. Pages of all bets and of one player's bets are found exactly, by marks. With a
 * filter, the bets of the smallest source are scanned in list order, up to a bound. The function throws 400 SORT_TOO_LONG, PAGE_TOO_DEEP
 * and FILTER_TOO_WIDE.
 */
function createBetFinder(deps: ListDeps) {
  const { db, marks, looked } = deps;
  const newestOfFew = readTogether((pages: readonly Newest[]) => readNewest(db, pages));

  /** Returns a page of a player's bets, or undefined if the player has more than FEW_BETS. */
  const ofFew = async ({ page, take, sortOrder }: Request, wanted: Wanted) => {
    const { source, filter } = wanted;
    // The total is also needed when the page is beyond the end of the list.
    const offset = Math.min((page - 1) * take, FEW_BETS);
    if (sortOrder === 'desc' && source.of === 'user' && filter.status === 'SETTLED')
      return newestOfFew({ userId: source.userId, skip: offset, take });
    const rows = FEW_BETS + 1;
    const place = { isDescending: sortOrder === 'desc', rows, countsRows: true, most: rows, offset, take };
    const read = await readPage(db, betTable, { ...wanted, ...place });
    return read.looked <= FEW_BETS ? { total: read.found, rows: read.rows } : undefined;
  };

  return (request: Request, wanted: Wanted): Promise<Found<bigint>> => {
    const page = async () =>
      (wanted.source.of === 'user' ? await ofFew(request, wanted) : undefined) ??
      ranked(deps, request, wanted);
    const by = request.sortBy === 'usdAmount' ? sql`usd_amount` : undefined;
    const excluding = { conditions: ['status'] as const, most: UNSETTLED, page };
    return readList(db, { ...wanted, table: betTable, by, marks, looked, excluding }, request);
  };
}

type Newest = { userId: number; skip: number; take: number };

/** Reads pages of settled bets, newest first, for players with few bets. Lobbies request them frequently. */
async function readNewest(db: Db, pages: readonly Newest[]): Promise<Map<Newest, Found<bigint>>> {
  const values = (of: (one: Newest) => number) => sql`${pages.map(of)}::int4[]`;
  // Compares row values, as in `betTable`.
  const { rows } = await sql<{ looked: number; found: number; ids: string[] | null }>`
    select few.looked, few.found, few.ids[asked.skip + 1 : asked.skip + asked.take] as ids
    from unnest(${values((one) => one.userId)}, ${values((one) => one.skip)}, ${values((one) => one.take)})
      with ordinality asked(user_id, skip, take, place)
    cross join lateral (
      select count(*)::int as looked, count(*) filter (where status = 'SETTLED')::int as found,
        array_agg(id order by id desc) filter (where status = 'SETTLED') as ids
      from (
        select id, status from bets where (user_id, id) >= (asked.user_id, 0) and (user_id, id) < (asked.user_id + 1, 0)
        order by user_id desc, id desc limit ${sql.lit(FEW_BETS + 1)}
      ) own
    ) few
    order by asked.place`.execute(db);
  return new Map(
    pages.flatMap((one, i) => {
      const { looked, found, ids } = rows[i]!;
      return looked <= FEW_BETS ? [[one, { total: found, rows: (ids ?? []).map(BigInt) }] as const] : [];
    }),
  );
}

/** Finds a page by marks, and sets marks that are missing. Returns undefined if too many bets are unsettled. */
async function ranked(deps: ListDeps, request: Request, wanted: Wanted): Promise<Found<bigint> | undefined> {
  const found = await rankedNow(deps, request, wanted);
  if (found !== 'far') return found;
  await deps.marks.extend(scopeOf(wanted.source));
  const again = await rankedNow(deps, request, wanted, true);
  return again === 'far' ? undefined : again;
}

/**
 * Excludes unsettled bets if only settled ones are requested, and returns undefined if there are too many to exclude. Reads from one
 * snapshot, because a round may end in the meantime.
 */
function rankedNow(
  { db }: ListDeps,
  request: Request,
  { source, filter }: Wanted,
  isLast = false,
): Promise<Found<bigint> | 'far' | undefined> {
  const scope = scopeOf(source);
  return consistentRead(db, async (tx) => {
    const marks = readMarks(tx, BETS);
    const { total: all, isFar } = await marks.count(scope);
    if (isFar && !isLast) return 'far';
    const others = filter.status === undefined ? [] : await unsettledIds(tx, scope, UNSETTLED + 1);
    if (others.length > UNSETTLED) return undefined;
    return rankedPage(marks, request, { scope, all, others, read: (place) => idsFrom(tx, scope, place) });
  });
}
