import type { Db } from '../../../platform/db.ts';
import { listErrors } from '../../../platform/errors.ts';
import {
  COUNTED,
  findMatching,
  type Look,
  PROBES,
  REACH,
  SHORT,
  SORTED,
} from '../../../platform/long-list.ts';
import { EVERYBODY, type Mark } from '../../money/ledger/marked-list.ts';
import { type Marks, readMarks } from '../../money/ledger/marks.ts';
import { isPlain, type Wanted } from './filter.ts';
import { UNSETTLED } from './rules.ts';
import { BETS, countBets, estimateBets, idsFrom, readBets, type Source, unsettledIds } from './sources.ts';

export type Request = {
  sortBy: 'CREATED_AT' | 'USD_AMOUNT';
  sortOrder: 'asc' | 'desc';
  page: number;
  take: number;
};
type Deps = {
  db: Db;
  marks: Marks;
  /** Bets that are looked at to fill a page of a filter. */
  looked: number;
};
/** A player with no more bets than this has his page from one statement. */
const FEW = 1000;

type Found = { total: number; ids: bigint[] };

/**
 * Ids of a page of a list of bets. Pages of everybody's and of one player's are found by marks, exactly; with a filter bets are
 * looked at in the order of the list, from the source that has fewest of them, and never more than a bound. Throws 400
 * SORT_TOO_LONG, PAGE_TOO_DEEP, FILTER_TOO_WIDE.
 */
export async function findBets(parts: Deps, request: Request, wanted: Wanted): Promise<Found> {
  if (request.sortBy === 'USD_AMOUNT') return sorted(parts, request, wanted);
  const found = isPlain(wanted) ? await ranked(parts, request, wanted) : undefined;
  return found ?? matching(parts, request, wanted);
}

/** Of a player with few bets all of them are looked at; else sets the marks that a page is found by, where too many are missing. */
async function ranked(parts: Deps, request: Request, wanted: Wanted): Promise<Found | undefined> {
  const { source } = wanted;
  const scope = scopeOf(source);
  if (source.of === 'user') {
    const { page, take, sortOrder } = request;
    const { looked, found, ids } = await readBets(parts.db, {
      ...wanted,
      isDescending: sortOrder === 'desc',
      take,
      lines: FEW + 1,
      countsLines: true,
      // A page beyond the end is one of these, however far.
      most: FEW + 1,
      offset: Math.min((page - 1) * take, FEW),
    });
    if (looked <= FEW) return { total: found, ids };
  }
  const found = await rankedNow(parts, request, wanted);
  if (found !== 'far') return found;
  await parts.marks.extend(scope);
  const again = await rankedNow(parts, request, wanted, true);
  return again === 'far' ? undefined : again;
}

/**
 * Every place is known: it is counted from the oldest bet on, which nothing that comes later changes, and less by the bets that are
 * not settled where only settled ones are asked for. Undefined when those are too many. All is read as of one moment: a round may
 * end meanwhile.
 */
function rankedNow(
  { db }: Deps,
  request: Request,
  { source, filter }: Wanted,
  isLast = false,
): Promise<Found | 'far' | undefined> {
  const scope = scopeOf(source);
  const snapshot = db.transaction().setIsolationLevel('repeatable read').setAccessMode('read only');
  return snapshot.execute(async (tx) => {
    const marks = readMarks(tx, BETS);
    const { total: all, isFar } = await marks.count(scope);
    if (isFar && !isLast) return 'far';
    const others = filter.status === undefined ? [] : await unsettledIds(tx, scope, UNSETTLED + 1);
    if (others.length > UNSETTLED) return undefined;
    const total = all - others.length;
    const begin = (request.page - 1) * request.take;
    if (begin >= total) return { total, ids: [] };
    const take = Math.min(request.take, total - begin);
    const isDescending = request.sortOrder === 'desc';
    const oldest = isDescending ? total - begin - take : begin;
    const { mark, rows } = await markBefore((n) => marks.before(scope, n), others, oldest);
    const without = others.slice(countBelow(others, mark.id));
    const ids = await idsFrom(tx, scope, { from: mark.id, without, skip: oldest - rows, take });
    return { total, ids: isDescending ? ids.reverse() : ids };
  });
}

/** The last mark with `oldest` bets before it, or fewer, when some are left out; and how many that are. */
async function markBefore(
  before: (rows: number) => Promise<Mark>,
  others: readonly bigint[],
  oldest: number,
): Promise<{ mark: Mark; rows: number }> {
  for (let left = 0; ; ) {
    const mark = await before(oldest + left);
    const now = countBelow(others, mark.id);
    if (now === left) return { mark, rows: mark.rows - left };
    left = now;
  }
}

/** How many of some ids, in their order, are smaller than one. */
function countBelow(ids: readonly bigint[], id: bigint): number {
  let [from, to] = [0, ids.length];
  while (from < to) {
    const middle = (from + to) >> 1;
    if (ids[middle]! < id) from = middle + 1;
    else to = middle;
  }
  return from;
}

/** All that match, sorted by amount. */
async function sorted(parts: Deps, request: Request, wanted: Wanted): Promise<Found> {
  const { page, take, sortOrder } = request;
  // Where nearly all match, a few more than can be sorted say enough.
  const lines = isPlain(wanted) ? SORTED + UNSETTLED + 1 : parts.looked;
  const { looked, found, ids } = await readBets(parts.db, {
    ...wanted,
    byAmount: true,
    isDescending: sortOrder === 'desc',
    take,
    lines,
    countsLines: true,
    most: SORTED + 1,
    offset: Math.min((page - 1) * take, SORTED),
  });
  if (looked === lines || found > SORTED) throw listErrors.SORT_TOO_LONG({ most: SORTED });
  return { total: found, ids };
}

async function matching(parts: Deps, request: Request, wanted: Wanted): Promise<Found> {
  const { db, looked } = parts;
  const { source, range, filter } = wanted;
  const known = await sizeOf(parts, wanted);
  const search = {
    look: createLook(parts, request, { ...wanted, known }),
    probe: probeOf(source),
    looked,
    known,
    estimate: {
      // What nobody knew the size of was at least counted so far.
      rows: async () => Math.max(SHORT + 1, await estimateBets(db, source, range)),
      matches: () => estimateBets(db, source, range, filter),
    },
  };
  const { total, rows } = await findMatching(search, request);
  return { total, ids: rows };
}

const scopeOf = (source: Source): number => (source.of === 'user' ? source.userId : EVERYBODY);

const probeOf = ({ of }: Source): number => (of === 'all' || of === 'user' ? PROBES[of] : PROBES.other);

/** Looks at the first bets of a source, or some more; undefined: at all of them. */
function createLook(
  { db }: Deps,
  request: Request,
  { known, ...wanted }: Wanted & { known: number | undefined },
) {
  const { page, take, sortOrder } = request;
  const offset = Math.min((page - 1) * take, REACH);
  const probe = probeOf(wanted.source);
  return async (lines: number | undefined): Promise<Look<bigint>> => {
    const isFirst = lines === undefined || lines === probe;
    const most = isFirst ? 2 * SHORT + take : Math.max(COUNTED + 1, offset + take);
    // Of many bets of all the filter is better met while they are read.
    const countsLines = lines !== undefined && (isFirst || wanted.source.of !== 'all');
    const order = { isDescending: sortOrder === 'desc', offset, take };
    const { looked, found, ids } = await readBets(db, { ...wanted, ...order, lines, countsLines, most });
    const isWhole = lines === undefined || (countsLines ? looked < lines : (known ?? lines + 1) <= lines);
    return { found, most, rows: ids, isWhole, share: Math.min(1, found / Math.max(looked, 1)) };
  };
}

/** How many bets a source has in a range, or a few more; undefined where nobody has counted. */
async function sizeOf({ db, marks }: Deps, { source, range }: Wanted): Promise<number | undefined> {
  if (source.of === 'bet' || source.of === 'round') return 0;
  if (source.of !== 'status') return marks.sizeOf(scopeOf(source), range);
  const counted = await countBets(db, { source, range, most: SHORT + 1 });
  return counted > SHORT ? undefined : counted;
}
