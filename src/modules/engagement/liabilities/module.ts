import { sql } from 'kysely';
import { defineModule } from '../../../http/module.ts';
import { type Db, type Tx, transaction } from '../../../platform/database/db.ts';
import { type Units, usdToCurrencyDown } from '../../../platform/money.ts';
import type { SiteConfig } from '../../base/site-config/service.ts';
import type { Currencies } from '../../money/currencies/service.ts';
import { claimableCommission } from '../affiliates/accounts.ts';
import { unpaidRewards } from '../challenges/decide.ts';
import { unpaidPrizes } from '../leaderboards/prizes.ts';
import { claimableRakeback } from '../rakeback/balances.ts';

type LiabilityDeps = {
  db: Db;
  currencies: Pick<Currencies, 'rateOf' | 'toUsd'>;
  siteConfig: Pick<SiteConfig, 'get'>;
};

export const liabilities = defineModule({
  name: 'liabilities',
  checks: {
    N10: {
      'liabilities are stored for a day that was not counted': `
        select day, kind, currency_id, amount from liability_days where day not in (select day from liability_counts)`,
    },
  },
  // The job runs every five minutes, so that a new day is counted soon after it begins.
  jobs: (deps: LiabilityDeps) => [{ name: 'liabilities.count', everyMs: 300_000, run: () => countDay(deps) }],
});

/** Money owed to players in one currency. One of the two amounts is converted from the other at the current rate. */
type Liability = { kind: string; currencyId: string; amount: Units; usdAmount: Units };

const COMMISSION_CURRENCY = 'USDT';
/** Dollar amounts are converted with all decimals, because these figures are never paid out. */
const DECIMALS = 8;

/**
 * Stores the amounts that players are owed outside the ledger, once per UTC day. Past amounts cannot be computed later, so the job runs
 * when a day begins. The amounts are read outside the transaction, because a long write transaction would delay the consumers of bets.
 */
export async function countDay(deps: LiabilityDeps): Promise<void> {
  const { rows } = await sql<{ day: string; at: Date; isCounted: boolean }>`
    select day::text, now() as at, exists (select from liability_counts c where c.day = today.day) as "isCounted"
    from (select (now() at time zone 'UTC')::date as day) today`.execute(deps.db);
  const { day, at, isCounted } = rows[0]!;
  if (isCounted) return;
  const liabilities = await readAll(deps, at);
  await transaction(deps.db, (tx) => write(tx, day, liabilities));
}

async function readAll({ db, currencies, siteConfig }: LiabilityDeps, at: Date): Promise<Liability[]> {
  const inUnits = (kind: string, owed: ReadonlyMap<string, Units>) =>
    [...owed].map(([currencyId, amount]) => ({
      kind,
      currencyId,
      amount,
      usdAmount: currencies.toUsd(currencyId, amount),
    }));
  const inDollars = (kind: string, owed: ReadonlyMap<string, Units>) =>
    [...owed].map(([currencyId, usdAmount]) => ({
      kind,
      currencyId,
      amount: fromUsd(currencies, currencyId, usdAmount),
      usdAmount,
    }));
  const commission = await claimableCommission(db, siteConfig, at);
  return [
    ...inUnits('rakeback', await claimableRakeback(db, siteConfig)),
    ...inDollars('affiliate', new Map([[COMMISSION_CURRENCY, commission]])),
    ...inDollars('leaderboard', await unpaidPrizes(db)),
    ...inUnits('challenge', await unpaidRewards(db)),
  ];
}

/** Converts US dollars to a currency. Returns 0 if the currency has no exchange rate. */
function fromUsd(currencies: LiabilityDeps['currencies'], currencyId: string, usd: Units): Units {
  const { rate } = currencies.rateOf(currencyId);
  return rate > 0n ? usdToCurrencyDown(usd, rate, DECIMALS) : 0n;
}

async function write(tx: Tx, day: string, liabilities: readonly Liability[]): Promise<void> {
  const counted = await tx
    .insertInto('liability_counts')
    .values({ day: sql<Date>`${day}::date` })
    .onConflict((oc) => oc.doNothing())
    .executeTakeFirst();
  const rows = liabilities.filter(({ amount, usdAmount }) => amount > 0n || usdAmount > 0n);
  if (counted.numInsertedOrUpdatedRows === 0n || rows.length === 0) return;
  await tx
    .insertInto('liability_days')
    .values(
      rows.map(({ kind, currencyId, amount, usdAmount }) => ({
        day: sql<Date>`${day}::date`,
        kind,
        currency_id: currencyId,
        amount: String(amount),
        usd_amount: String(usdAmount),
      })),
    )
    .execute();
}
