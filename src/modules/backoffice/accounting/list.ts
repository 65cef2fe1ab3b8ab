import type { z } from 'zod';
import { type Page, paginated } from '../../../http/schemas.ts';
import { iso } from '../../../platform/clock.ts';
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
import { currencyToUsdDown, formatUnits, type Rate } from '../../../platform/money.ts';
import type { Bets } from '../../games/bets/service.ts';
import type { Currencies } from '../../money/currencies/service.ts';
import { EVERYBODY } from '../../money/ledger/marked-list.ts';
import type { Marks } from '../../money/ledger/marks.ts';
import { estimateLines, type Movement, readMovements } from '../../money/ledger/movements.ts';
import type { Source } from '../../money/ledger/sources.ts';
import { accountingErrors } from './errors.ts';
import { isPlain, readFilter, type Wanted } from './filter.ts';
import { referenceOf, typeOf } from './rules.ts';
import type { Transaction, TransactionSearch } from './schemas.ts';

type Request = z.output<typeof TransactionSearch>;
type Row = z.input<typeof Transaction>;
type Rates = ReadonlyMap<string, Rate>;
type Found = { total: number; rows: Movement[] };
type Deps = {
  db: Db;
  currencies: Pick<Currencies, 'ids' | 'rateOf'>;
  bets: Pick<Bets, 'ownerOf'>;
  marks: Marks;
  /** Lines that are looked at to fill a page of a filter. */
  looked: number;
};

/**
 * The one searchable statement. Pages of the whole and of one user's are found by marks, exactly; with a filter lines are looked
 * at in the order of the list, from the source that has fewest of them, and never more than a bound.
 */
export function createStatement(parts: Deps) {
  return async (request: Request): Promise<Page<Row>> => {
    const rates: Rates = new Map(parts.currencies.ids().map((id) => [id, parts.currencies.rateOf(id).rate]));
    const wanted = await readFilter(parts, request.where ?? {}, rates);
    const { total, rows } = await find(parts, request, { wanted, rates });
    return paginated(
      rows.map((row) => toRow(row, rates)),
      request,
      total,
    );
  };
}

async function find(
  parts: Deps,
  request: Request,
  { wanted, rates }: { wanted: Wanted | undefined; rates: Rates },
): Promise<Found> {
  const isByAmount = request.sortBy !== 'createdAt';
  if (isByAmount && request.where?.userId === undefined && request.where?.username === undefined)
    throw accountingErrors.SORT_NEEDS_USER();
  if (!wanted) return { total: 0, rows: [] };
  if (isByAmount)
    return sorted(parts, request, { wanted, rates: request.sortBy === 'usdAmount' ? rates : undefined });
  if (isPlain(wanted)) return ranked(parts, request, wanted.source);
  return matching(parts, request, wanted);
}

/** Every place is known: it is counted from the oldest movement on, which nothing that comes later changes. */
async function ranked({ db, marks }: Deps, request: Request, source: Source): Promise<Found> {
  const scope = source.of === 'user' ? source.userId : EVERYBODY;
  const total = await marks.total(scope);
  const begin = (request.page - 1) * request.take;
  if (begin >= total) return { total, rows: [] };
  const take = Math.min(request.take, total - begin);
  const isDescending = request.sortOrder === 'desc';
  const oldest = isDescending ? total - begin - take : begin;
  const [before, after] = await Promise.all([marks.before(scope, oldest), marks.after(scope, oldest + take)]);
  const skip = oldest - before.rows;
  const { rows } = await readMovements(db, {
    source,
    filter: {},
    range: { from: before.id, below: after?.id },
    isDescending: false,
    // Each line is a movement at least.
    lines: skip + take,
    countsLines: false,
    most: skip + take,
    offset: skip,
    take,
  });
  return { total, rows: isDescending ? rows.reverse() : rows };
}

/** All that match, sorted by amount. Throws 400 SORT_TOO_LONG. */
async function sorted(
  { db, looked: most }: Deps,
  request: Request,
  { wanted, rates }: { wanted: Wanted; rates: Rates | undefined },
): Promise<Found> {
  const { page, take, sortOrder } = request;
  const { looked, found, rows } = await readMovements(db, {
    ...wanted,
    byAmount: { rates },
    isDescending: sortOrder === 'desc',
    take,
    lines: most,
    countsLines: true,
    most: SORTED + 1,
    offset: Math.min((page - 1) * take, SORTED),
  });
  if (looked === most || found > SORTED) throw listErrors.SORT_TOO_LONG({ most: SORTED });
  return { total: found, rows };
}

/** Throws 400 PAGE_TOO_DEEP, FILTER_TOO_WIDE. */
async function matching(parts: Deps, request: Request, wanted: Wanted): Promise<Found> {
  const { db, looked } = parts;
  const { source, range, filter } = wanted;
  const search = {
    look: createLook(parts, request, wanted),
    probe: probeOf(source),
    looked,
    known: await sizeOf(parts, wanted),
    estimate: {
      rows: () => estimateLines(db, source, range),
      matches: () => estimateLines(db, source, range, filter),
    },
  };
  return findMatching(search, request);
}

const probeOf = ({ of }: Source): number => (of === 'all' || of === 'user' ? PROBES[of] : PROBES.other);

/** Looks at the first lines of a source, or some more; undefined: at all of them. */
function createLook({ db, marks }: Deps, request: Request, { source, range, filter }: Wanted) {
  const { page, take, sortOrder } = request;
  const isDescending = sortOrder === 'desc';
  const offset = Math.min((page - 1) * take, REACH);
  return async (lines: number | undefined): Promise<Look<Movement>> => {
    const isCut = source.of === 'all' && lines !== undefined;
    const near = isCut
      ? await marks.near(range, { rows: lines, isDescending })
      : { range, isWhole: lines === undefined };
    const isFirst = lines === undefined || lines === probeOf(source);
    const most = isFirst ? 2 * SHORT + take : Math.max(COUNTED + 1, offset + take);
    // Of many lines of all the filter is better met while they are read.
    const countsLines = lines !== undefined && (isFirst || !isCut);
    const query = { source, filter, range: near.range, lines, countsLines };
    const { looked, found, rows } = await readMovements(db, { ...query, isDescending, most, offset, take });
    const isWhole = near.isWhole || (!isCut && looked < lines!);
    return { found, most, rows, isWhole, share: Math.min(1, found / Math.max(looked, 1)) };
  };
}

/** How many movements the lines of a source make, or a few more than are there in a range; undefined where nobody has counted. */
async function sizeOf({ marks }: Deps, { source, range }: Wanted): Promise<number | undefined> {
  if (source.of === 'line' || source.of === 'keys') return 0;
  if (source.of !== 'all' && source.of !== 'user') return undefined;
  return marks.sizeOf(source.of === 'user' ? source.userId : EVERYBODY, range);
}

function toRow(movement: Movement, rates: Rates): Row {
  const { lineId, isIn, kind, userId, currencyId, account, amount, balanceAfter, actorId } = movement;
  return {
    id: `${lineId}-${isIn ? 'IN' : 'OUT'}`,
    type: typeOf(kind),
    direction: isIn ? 'IN' : 'OUT',
    userId,
    currencyId,
    amount: formatUnits(amount),
    usdAmount: formatUnits(currencyToUsdDown(amount, rates.get(currencyId) ?? 0n)),
    balanceBefore: formatUnits(isIn ? balanceAfter - amount : balanceAfter + amount),
    balanceAfter: formatUnits(balanceAfter),
    wallet: account.toUpperCase() as Row['wallet'],
    ...referenceOf(movement),
    actorId: actorId === userId ? null : actorId,
    note: movement.memo,
    createdAt: iso(movement.at),
  };
}
