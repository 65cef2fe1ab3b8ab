import { sql } from 'kysely';
import type { Db } from '../../../platform/db.ts';
import { createEngine, type Found, type PageRequest } from '../../../platform/list/engine.ts';
import { type Marks, readMarks } from '../../../platform/list/marks.ts';
import { SORTED } from '../../../platform/list/matching.ts';
import { rankedPage } from '../../../platform/list/ranked.ts';
import { readTogether } from '../../../platform/shared-read.ts';
import { isPlain, type Wanted } from './filter.ts';
import { UNSETTLED } from './rules.ts';
import { BETS, betTable, idsFrom, scopeOf, unsettledIds } from './sources.ts';

export type Request = PageRequest & { sortBy: 'CREATED_AT' | 'USD_AMOUNT' };
type Deps = {
  db: Db;
  marks: Marks;
  /** Bets that are looked at to fill a page of a filter. */
  looked: number;
};
/** A page of a player with no more bets than this comes from one statement. */
const FEW = 1000;

/**
 * Ids of a page of a list of bets. Pages of everybody's bets and of one player's are found by marks, exactly; with a filter bets are
 * looked at in the order of the list, from the source that has fewest of them, and never more than a bound. Throws 400
 * SORT_TOO_LONG, PAGE_TOO_DEEP, FILTER_TOO_WIDE.
 */
export function createBetList(deps: Deps) {
  const engine = createEngine({ ...deps, table: betTable });

  const newestOfFew = readTogether((asked: readonly Newest[]) => readNewest(deps.db, asked));

  /** A page of a player who has few bets; undefined where there are more. */
  const ofFew = async ({ page, take, sortOrder }: Request, wanted: Wanted) => {
    const { source, filter } = wanted;
    if (sortOrder === 'desc' && source.of === 'user' && filter.status === 'SETTLED')
      return newestOfFew({ userId: source.userId, skip: Math.min((page - 1) * take, FEW), take });
    const { looked, found, rows } = await engine.read(deps.db, {
      ...wanted,
      isDescending: sortOrder === 'desc',
      take,
      rows: FEW + 1,
      countsRows: true,
      // A page beyond the end is one of these, however far.
      most: FEW + 1,
      offset: Math.min((page - 1) * take, FEW),
    });
    return looked <= FEW ? { total: found, rows } : undefined;
  };

  return async (request: Request, wanted: Wanted): Promise<Found<bigint>> => {
    if (request.sortBy === 'USD_AMOUNT') {
      // Where nearly all match, a few more than can be sorted say enough.
      const rows = isPlain(wanted) ? SORTED + UNSETTLED + 1 : deps.looked;
      return engine.sorted(request, wanted, { by: sql`usd_amount`, rows });
    }
    const few = isPlain(wanted) && wanted.source.of === 'user' ? await ofFew(request, wanted) : undefined;
    const found = few ?? (isPlain(wanted) ? await ranked(deps, request, wanted) : undefined);
    return found ?? engine.matching(request, wanted);
  };
}

type Newest = { userId: number; skip: number; take: number };

/** What lobbies ask for all the time: settled bets of players, the newest first; of those who have few bets alone. */
async function readNewest(db: Db, asked: readonly Newest[]): Promise<Map<Newest, Found<bigint>>> {
  const values = (of: (one: Newest) => number) => sql`${asked.map(of)}::int4[]`;
  // Pairs, as in `betTable`.
  const { rows } = await sql<{ looked: number; found: number; ids: string[] | null }>`
    select few.looked, few.found, few.ids[asked.skip + 1 : asked.skip + asked.take] as ids
    from unnest(${values((one) => one.userId)}, ${values((one) => one.skip)}, ${values((one) => one.take)})
      with ordinality asked(user_id, skip, take, place)
    cross join lateral (
      select count(*)::int as looked, count(*) filter (where status = 'SETTLED')::int as found,
        array_agg(id order by id desc) filter (where status = 'SETTLED') as ids
      from (
        select id, status from bets where (user_id, id) >= (asked.user_id, 0) and (user_id, id) < (asked.user_id + 1, 0)
        order by user_id desc, id desc limit ${sql.lit(FEW + 1)}
      ) own
    ) few
    order by asked.place`.execute(db);
  return new Map(
    asked.flatMap((one, i) => {
      const { looked, found, ids } = rows[i]!;
      return looked <= FEW ? [[one, { total: found, rows: (ids ?? []).map(BigInt) }] as const] : [];
    }),
  );
}

/** Sets the marks that a page is found by where too many are missing. Undefined when too many bets are not settled. */
async function ranked(deps: Deps, request: Request, wanted: Wanted): Promise<Found<bigint> | undefined> {
  const found = await rankedNow(deps, request, wanted);
  if (found !== 'far') return found;
  await deps.marks.extend(scopeOf(wanted.source));
  const again = await rankedNow(deps, request, wanted, true);
  return again === 'far' ? undefined : again;
}

/**
 * Where only settled bets are asked for, those that are not are left out; undefined when they are too many. All is read as of one
 * moment: a round may end meanwhile.
 */
function rankedNow(
  { db }: Deps,
  request: Request,
  { source, filter }: Wanted,
  isLast = false,
): Promise<Found<bigint> | 'far' | undefined> {
  const scope = scopeOf(source);
  const snapshot = db.transaction().setIsolationLevel('repeatable read').setAccessMode('read only');
  return snapshot.execute(async (tx) => {
    const marks = readMarks(tx, BETS);
    const { total: all, isFar } = await marks.count(scope);
    if (isFar && !isLast) return 'far';
    const others = filter.status === undefined ? [] : await unsettledIds(tx, scope, UNSETTLED + 1);
    if (others.length > UNSETTLED) return undefined;
    return rankedPage(marks, request, { scope, all, others, read: (place) => idsFrom(tx, scope, place) });
  });
}
