import { type RawBuilder, sql } from 'kysely';
import type { DbOrTx } from '../database/db.ts';
import { listErrors } from '../errors.ts';
import { plannedRows } from './conditions.ts';
import { EVERYBODY } from './marked-list.ts';
import type { Marks } from './marks.ts';
import { COUNTED, findMatching, type Look, PROBES, REACH, SHORT, SORTED } from './matching.ts';
import { type ListTable, type PageQuery, readPage, readRest, type Wanted } from './page.ts';

export type PageRequest = { page: number; take: number; sortOrder: 'asc' | 'desc' };
/** `isExact` is false if the total is an estimate or stops at an upper limit. */
export type Found<R> = { total: number; rows: R[]; isExact?: boolean };

type Deps<S, F, R, Raw> = {
  db: DbOrTx;
  table: ListTable<S, F, R, Raw>;
  marks?: Marks | undefined;
  /** Maximum number of rows scanned to fill a page of a filtered list. */
  looked: number;
};

/** Reads pages of one list. The cost of a page does not grow with the length of the list. */
export function createEngine<S, F extends object, R, Raw = R>(deps: Deps<S, F, R, Raw>) {
  const { db, table, looked } = deps;
  return {
    /** Returns the next rows of the whole list within a snapshot, without a limit. */
    async rest(
      { take, sortOrder }: PageRequest,
      wanted: Wanted<S, F>,
      by?: RawBuilder<unknown>,
    ): Promise<Found<R>> {
      const rows = await readRest(db, table, { ...wanted, isDescending: sortOrder === 'desc', take, by });
      return { total: rows.length, rows, isExact: false };
    },

    read: (tx: DbOrTx, query: PageQuery<S, F>) => readPage(tx, table, query),

    /** Scans rows in list order up to a limit. Throws 400 PAGE_TOO_DEEP or FILTER_TOO_WIDE. */
    async matching(request: PageRequest, wanted: Wanted<S, F>): Promise<Found<R>> {
      const { source, range } = wanted;
      const known = await countOf(deps, wanted);
      // A source whose count stopped early has more rows than the limit.
      const least = table.sizeOf(source).of === 'uncounted' ? SHORT + 1 : 0;
      const planned = (filter: F) => plannedRows(db, table.planned({ source, range, filter }));
      return findMatching(
        {
          look: createLook(deps, request, { wanted, known }),
          probe: probeOf(deps, source),
          looked,
          known,
          estimate: {
            rows: async () => Math.max(least, await planned({} as F)),
            matches: () => planned(wanted.filter),
          },
        },
        request,
      );
    },

    /** Returns all matches among at most `rows` rows, sorted differently from the list order. Throws 400 SORT_TOO_LONG. */
    async sorted(
      { page, take, sortOrder }: PageRequest,
      wanted: Wanted<S, F>,
      { by, rows: most = looked }: { by: RawBuilder<unknown>; rows?: number },
    ): Promise<Found<R>> {
      const { looked, found, rows } = await readPage(db, table, {
        ...wanted,
        by,
        isDescending: sortOrder === 'desc',
        take,
        rows: most,
        countsRows: true,
        most: SORTED + 1,
        offset: Math.min((page - 1) * take, SORTED),
      });
      if (looked === most || found > SORTED) throw listErrors.SORT_TOO_LONG({ most: SORTED });
      return { total: found, rows };
    },
  };
}

function probeOf<S, F, R, Raw>({ table }: Deps<S, F, R, Raw>, source: S): number {
  const size = table.sizeOf(source);
  if (size.of !== 'marked') return PROBES.other;
  return size.scope === EVERYBODY ? PROBES.all : PROBES.user;
}

/** Returns the number of rows of a source in a range, or slightly more. Undefined if it is not counted. */
async function countOf<S, F extends object, R, Raw>(
  { db, table, marks }: Deps<S, F, R, Raw>,
  { source, range }: Wanted<S, F>,
): Promise<number | undefined> {
  const size = table.sizeOf(source);
  switch (size.of) {
    case 'few':
      return 0;
    case 'marked':
      return marks?.sizeOf(size.scope, range);
    case 'unknown':
      return undefined;
    case 'uncounted': {
      const all = table.planned({ source, range, filter: {} as F });
      const { rows } = await sql<{ n: number }>`
        select count(*)::int as n from (${all} limit ${SHORT + 1}) counted`.execute(db);
      return rows[0]!.n > SHORT ? undefined : rows[0]!.n;
    }
  }
}

/** Creates a function that scans the first `rows` rows of a source, and more on demand. Undefined means all rows. */
function createLook<S, F, R, Raw>(
  deps: Deps<S, F, R, Raw>,
  { page, take, sortOrder }: PageRequest,
  { wanted, known }: { wanted: Wanted<S, F>; known: number | undefined },
) {
  const { db, table, marks } = deps;
  const isDescending = sortOrder === 'desc';
  const offset = Math.min((page - 1) * take, REACH);
  const probe = probeOf(deps, wanted.source);
  const isOfAll = probe === PROBES.all;
  return async (rows: number | undefined): Promise<Look<R>> => {
    const isCut = table.isUnordered && isOfAll && rows !== undefined;
    const near = isCut ? await marks?.near(wanted.range, { rows, isDescending }) : undefined;
    const isFirst = rows === undefined || rows === probe;
    const most = isFirst ? 2 * SHORT + take : Math.max(COUNTED + 1, offset + take);
    // For many rows of the list of all users, applying the filter during the scan is faster.
    const countsRows = rows !== undefined && (isFirst || !isOfAll);
    const range = near?.range ?? wanted.range;
    const query = { ...wanted, range, isDescending, rows, countsRows, most, offset, take };
    const read = await readPage(db, table, query);
    const isRead = rows === undefined || (countsRows ? read.looked < rows : (known ?? rows + 1) <= rows);
    const share = Math.min(1, read.found / Math.max(read.looked, 1));
    return { found: read.found, most, rows: read.rows, isWhole: near?.isWhole ?? isRead, share };
  };
}
