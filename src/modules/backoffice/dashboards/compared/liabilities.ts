import { sql } from 'kysely';
import { z } from 'zod';
import { operation } from '../../../../http/operation.ts';
import { CurrencyId, Decimal, object } from '../../../../http/schemas.ts';
import type { Tx } from '../../../../platform/database/db.ts';
import { formatUnits, type Units } from '../../../../platform/money.ts';
import { accountTotals } from '../../../money/ledger/account-hours.ts';
import { type Compared, comparedFrom, type DashboardDeps, readCompared } from '../request.ts';
import { compared, comparison, DashboardQuery } from '../schemas.ts';

const DashboardLiabilityRow = object('DashboardLiabilityRow', {
  currencyId: CurrencyId,
  cash: Decimal,
  vault: Decimal,
  bonus: Decimal,
  pendingWithdrawals: Decimal,
  claimableRakeback: Decimal,
  claimableAffiliate: Decimal.meta({
    description: 'Commission is paid in USDT, so the whole amount is in the USDT row.',
  }),
  unpaidPrizes: Decimal,
  totalUsd: Decimal.meta({ description: 'At current exchange rates.' }),
});
const Liabilities = compared(z.array(DashboardLiabilityRow));

export const getLiabilities = operation({
  ...comparison,
  path: '/admin/dashboard/liabilities',
  summary: 'Compare liabilities at the start and end of a period',
  description:
    'Includes test users and staff. Balances are the ledger balances at the end of the hour. Rakeback, commission and prizes are ' +
    'calculated once a day, at the start of the UTC day.',
  query: DashboardQuery,
  response: Liabilities,
  handler: (deps: DashboardDeps, { query }) => {
    const request = comparedFrom(deps, query);
    return readCompared(deps, 'liabilities', query, (tx) => readLiabilities(tx, deps, request));
  },
});

type Row = z.input<typeof Liabilities>['current'][number];
type Column = Exclude<keyof Row, 'currencyId' | 'totalUsd'>;
type Amounts = Record<Column, Units>;

const OF_ACCOUNTS = { cash: 'cash', vault: 'vault', bonus: 'bonus', hold: 'pendingWithdrawals' } as const;
const OF_KINDS = {
  rakeback: 'claimableRakeback',
  affiliate: 'claimableAffiliate',
  leaderboard: 'unpaidPrizes',
  challenge: 'unpaidPrizes',
} as const;

/** Reads liabilities at the end and at the start of a period, by currency, including test users and staff. */
async function readLiabilities(
  tx: Tx,
  deps: Pick<DashboardDeps, 'currencies'>,
  { period: { from, until }, currencyId }: Compared,
): Promise<z.input<typeof Liabilities>> {
  const owedAt = async (at: number) => rowsOf(deps, await amountsAt(tx, new Date(at)), currencyId);
  return { previous: await owedAt(from), current: await owedAt(until) };
}

async function amountsAt(tx: Tx, at: Date): Promise<Map<string, Amounts>> {
  const owed = new Map<string, Amounts>();
  const add = (currencyId: string, column: Column, amount: Units) => {
    const row = owed.get(currencyId) ?? nothing();
    row[column] += amount;
    owed.set(currencyId, row);
  };
  for (const { currencyId, account, amount } of await accountTotals(tx, at))
    if (Object.hasOwn(OF_ACCOUNTS, account))
      add(currencyId, OF_ACCOUNTS[account as keyof typeof OF_ACCOUNTS], amount);
  for (const { currencyId, kind, amount } of await readCounted(tx, at))
    add(currencyId, OF_KINDS[kind], BigInt(amount));
  return owed;
}

const nothing = (): Amounts => ({
  cash: 0n,
  vault: 0n,
  bonus: 0n,
  pendingWithdrawals: 0n,
  claimableRakeback: 0n,
  claimableAffiliate: 0n,
  unpaidPrizes: 0n,
});

/** Reads liabilities that are not yet in the ledger, as counted on the latest recorded day that is not after `at`. */
async function readCounted(tx: Tx, at: Date) {
  const { rows } = await sql<{ kind: keyof typeof OF_KINDS; currencyId: string; amount: string }>`
    select kind, currency_id as "currencyId", amount::text from liability_days
    where day = (select max(day) from liability_counts where day <= (${at}::timestamptz at time zone 'UTC')::date)`.execute(
    tx,
  );
  return rows;
}

function rowsOf(
  { currencies }: Pick<DashboardDeps, 'currencies'>,
  owed: ReadonlyMap<string, Amounts>,
  only: string | undefined,
): Row[] {
  return [...owed]
    .filter(([currencyId]) => only === undefined || currencyId === only)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([currencyId, amounts]) => {
      const total = Object.values(amounts).reduce((sum, amount) => sum + amount, 0n);
      const shown = Object.entries(amounts).map(([column, amount]) => [column, formatUnits(amount)]);
      return {
        currencyId,
        ...(Object.fromEntries(shown) as Record<Column, string>),
        totalUsd: formatUnits(currencies.toUsd(currencyId, total)),
      };
    });
}
