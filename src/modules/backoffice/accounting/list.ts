import type { z } from 'zod';
import { type Page, paginated } from '../../../http/schemas.ts';
import { iso } from '../../../platform/clock.ts';
import type { Db } from '../../../platform/db.ts';
import { createEngine, type Found } from '../../../platform/list/engine.ts';
import { EVERYBODY } from '../../../platform/list/marked-list.ts';
import type { Marks } from '../../../platform/list/marks.ts';
import { rankedPage } from '../../../platform/list/ranked.ts';
import { currencyToUsdDown, formatUnits, type Rate } from '../../../platform/money.ts';
import type { Bets } from '../../games/bets/service.ts';
import type { Currencies } from '../../money/currencies/service.ts';
import { type Movement, movementTable, worthOf } from '../../money/ledger/movements.ts';
import type { Source } from '../../money/ledger/sources.ts';
import { accountingErrors } from './errors.ts';
import { isPlain, readFilter, type Wanted } from './filter.ts';
import { referenceOf, typeOf } from './rules.ts';
import type { Transaction, TransactionSearch } from './schemas.ts';

type Request = z.output<typeof TransactionSearch>;
type Row = z.input<typeof Transaction>;
type Rates = ReadonlyMap<string, Rate>;
type Deps = {
  db: Db;
  currencies: Pick<Currencies, 'ids' | 'rateOf'>;
  bets: Pick<Bets, 'ownerOf'>;
  marks: Marks;
  /** Postings that are looked at to fill a page of a filter. */
  looked: number;
};

/**
 * The one searchable statement. Pages of the whole and of one user's are found by marks, exactly; with a filter postings are looked
 * at in the order of the list, from the source that has fewest of them, and never more than a bound.
 */
export function createStatement(deps: Deps) {
  const { db, marks } = deps;
  const engine = createEngine({ ...deps, table: movementTable });

  const ranked = async (request: Request, source: Source): Promise<Found<Movement>> => {
    const scope = source.of === 'user' ? source.userId : EVERYBODY;
    const all = await marks.total(scope);
    return rankedPage(marks, request, {
      scope,
      all,
      isBounded: true,
      read: async ({ from, below, skip, take }) => {
        // Each posting is a movement at least.
        const rows = skip + take;
        const place = { range: { from, below }, offset: skip, take, rows, most: rows };
        const query = { ...place, source, filter: {}, isDescending: false, countsRows: false };
        return (await engine.read(db, query)).rows;
      },
    });
  };

  const find = async (request: Request, wanted: Wanted | undefined, rates: Rates) => {
    const { sortBy, where } = request;
    if (sortBy !== 'createdAt' && where?.userId === undefined && where?.username === undefined)
      throw accountingErrors.SORT_NEEDS_USER();
    if (!wanted) return { total: 0, rows: [] };
    if (sortBy !== 'createdAt')
      return engine.sorted(request, wanted, { by: worthOf(sortBy === 'usdAmount' ? rates : undefined) });
    return isPlain(wanted) ? ranked(request, wanted.source) : engine.matching(request, wanted);
  };

  return async (request: Request): Promise<Page<Row>> => {
    const rates: Rates = new Map(deps.currencies.ids().map((id) => [id, deps.currencies.rateOf(id).rate]));
    const wanted = await readFilter(deps, request.where ?? {}, rates);
    const { total, rows } = await find(request, wanted, rates);
    return paginated(
      rows.map((row) => toRow(row, rates)),
      request,
      total,
    );
  };
}

function toRow(movement: Movement, rates: Rates): Row {
  const { postingId, isIn, kind, userId, currencyId, account, amount, balanceAfter, actorId } = movement;
  return {
    id: `${postingId}-${isIn ? 'IN' : 'OUT'}`,
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
