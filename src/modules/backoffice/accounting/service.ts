import type { z } from 'zod';
import { type EstimatedPage, estimated } from '../../../http/schemas.ts';
import { iso } from '../../../platform/clock.ts';
import type { Db } from '../../../platform/database/db.ts';
import { errors } from '../../../platform/errors.ts';
import { readList } from '../../../platform/list/list.ts';
import { EVERYBODY } from '../../../platform/list/marked-list.ts';
import { createMarks, type Marks } from '../../../platform/list/marks.ts';
import type { Found } from '../../../platform/list/page.ts';
import { currencyToUsdDown, formatUnits, type Rate } from '../../../platform/money.ts';
import type { Bets } from '../../games/bets/service.ts';
import type { Currencies } from '../../money/currencies/service.ts';
import { MOVEMENTS, summarizePostings } from '../../money/ledger/marked-list.ts';
import { type Movement, movementTable, worthOf } from '../../money/ledger/movements.ts';
import type { Wallet } from '../../money/wallet/service.ts';
import { readFilter, type Wanted } from './filter.ts';
import { referenceOf, typeOf } from './rules.ts';
import type { Transaction, TransactionSearch } from './schemas.ts';

export type AccountingDeps = {
  db: Db;
  reads: Db;
  wallet: Pick<Wallet, 'balances' | 'vaultBalances' | 'totals'>;
  accounting: Accounting;
};

export const accountingErrors = errors({
  SORT_NEEDS_USER: [400, 'Add userId or username to the filter to sort by amount or usdAmount.'],
});

export type StatementRequest = z.output<typeof TransactionSearch>;
type Row = z.input<typeof Transaction>;
type Rates = ReadonlyMap<string, Rate>;
type StatementDeps = {
  /** The database from which the statement is read. Its data may be slightly out of date. */
  db: Db;
  currencies: Pick<Currencies, 'ids' | 'rateOf'>;
  bets: Pick<Bets, 'ownerOf'>;
  marks: Marks;
  /** The maximum number of postings that are read to fill one page of a filtered list. */
  looked?: number;
};

type Accounting = ReturnType<typeof createAccounting>;

/** Creates the statement and its marks. Marks make it possible to find pages quickly even deep in the list. */
export function createAccounting({
  db,
  reads,
  ...others
}: { db: Db; reads: Db } & Pick<StatementDeps, 'currencies' | 'bets'>) {
  const marks = createMarks(db, MOVEMENTS, reads);
  return {
    transactions: createStatement({ ...others, db: reads, marks }),
    hasMarksToSet: marks.hasNews,
    async setMarks(): Promise<void> {
      if (await marks.extend(EVERYBODY)) await summarizePostings(db);
    },
  };
}

/**
 * Lists movements. Pages of the full statement and of one user's statement are located exactly, by means of marks. With other filters, a
 * limited number of postings is read, in list order, from the source with the fewest postings.
 */
export function createStatement(deps: StatementDeps) {
  const { db, marks, looked } = deps;

  const find = async (
    request: StatementRequest,
    wanted: Wanted | undefined,
    rates: Rates,
  ): Promise<Found<Movement>> => {
    const { sortBy, where } = request;
    if (sortBy !== 'createdAt' && where?.userId === undefined && where?.username === undefined)
      throw accountingErrors.SORT_NEEDS_USER();
    if (!wanted) return { total: 0, rows: [] };
    const by = sortBy === 'createdAt' ? undefined : worthOf(sortBy === 'usdAmount' ? rates : undefined);
    return readList(db, { ...wanted, table: movementTable, by, marks, looked }, request);
  };

  return async (request: StatementRequest): Promise<EstimatedPage<Row>> => {
    const rates: Rates = new Map(deps.currencies.ids().map((id) => [id, deps.currencies.rateOf(id).rate]));
    const wanted = await readFilter(deps, request.where ?? {}, rates);
    const { rows, ...found } = await find(request, wanted, rates);
    return estimated(
      rows.map((row) => toRow(row, rates)),
      request,
      found,
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
