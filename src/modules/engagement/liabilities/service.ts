import { sql } from 'kysely';
import { type Db, type Tx, transaction } from '../../../platform/db.ts';
import { type Units, usdToCurrencyDown } from '../../../platform/money.ts';
import type { SiteConfig } from '../../base/site-config/service.ts';
import type { Currencies } from '../../money/currencies/service.ts';
import { owedCommission } from '../affiliates/owed.ts';
import { owedRewards } from '../challenges/owed.ts';
import { owedPrizes } from '../leaderboards/owed.ts';
import { owedRakeback } from '../rakeback/owed.ts';

type LiabilityDeps = {
  db: Db;
  currencies: Pick<Currencies, 'rateOf' | 'toUsd'>;
  siteConfig: Pick<SiteConfig, 'get'>;
};

/** `usdAmount`: what the amount is worth, or the other way round, at the rate of now. */
type Liability = { kind: string; currencyId: string; amount: Units; usdAmount: Units };

/** What commission is paid in. */
const COMMISSION_CURRENCY = 'USDT';
/** Dollars are turned into all the decimals of a unit: nobody is paid by this. */
const DECIMALS = 8;

/** What is owed to players and not in the ledger yet: it is known of the present alone, so it is counted when a day begins. */
export const createLiabilities = (deps: LiabilityDeps) => ({
  /** Counts the day that has begun, unless it was counted. Reads before it writes: a transaction that writes for long holds up who follows bets. */
  async countDay(): Promise<void> {
    const { rows } = await sql<{ day: string; at: Date; isCounted: boolean }>`
      select day::text, now() as at, exists (select from liability_counts c where c.day = today.day) as "isCounted"
      from (select (now() at time zone 'UTC')::date as day) today`.execute(deps.db);
    const { day, at, isCounted } = rows[0]!;
    if (isCounted) return;
    const liabilities = await readAll(deps, at);
    await transaction(deps.db, (tx) => write(tx, day, liabilities));
  },
});

async function readAll({ db, currencies, siteConfig }: LiabilityDeps, now: Date): Promise<Liability[]> {
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
      amount: worthOf(currencies, currencyId, usdAmount),
      usdAmount,
    }));
  const commission = await owedCommission(db, siteConfig, now);
  return [
    ...inUnits('rakeback', await owedRakeback(db, siteConfig)),
    ...inDollars('affiliate', new Map([[COMMISSION_CURRENCY, commission]])),
    ...inDollars('leaderboard', await owedPrizes(db)),
    ...inUnits('challenge', await owedRewards(db)),
  ];
}

/** 0 as long as the currency has no rate. */
function worthOf(currencies: LiabilityDeps['currencies'], currencyId: string, usd: Units): Units {
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
