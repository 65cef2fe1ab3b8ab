import type { DbOrTx } from '../../../../platform/database/db.ts';
import { commonErrors } from '../../../../platform/errors.ts';
import { currencyToUsdDown, parseUnits, type Units, units } from '../../../../platform/money.ts';
import type { StaffValue } from '../../../base/staff-value/rules.ts';
import { currencyErrors } from '../../currencies/errors.ts';
import { networkOf } from '../deposits/advance.ts';
import type { DepositRow } from '../deposits/queries.ts';
import type { PaymentDeps } from '../deps.ts';
import { reviewErrors } from '../errors.ts';
import type { ReviewRow } from './queries.ts';
import { type Action, type ReviewFacts, refusalOf, type Thresholds } from './rules.ts';

type Deps = Pick<PaymentDeps, 'currencies' | 'siteConfig'>;

/** The coins that a decision is about: those that arrived, or the listed coins to which the provider converted them. */
export type Coins = { currencyId: string; networkId: string; amount: Units };

export function coinsOf(row: DepositRow): Coins {
  const { outcome_currency, outcome_network, outcome_amount } = row;
  if (row.reported_currency !== null && outcome_currency !== null)
    return { currencyId: outcome_currency, networkId: outcome_network ?? '', amount: outcome_amount ?? 0n };
  return { currencyId: row.currency_id, networkId: row.network_id, amount: row.amount };
}

export function factsOf({ currencies }: Pick<Deps, 'currencies'>, row: DepositRow): ReviewFacts {
  const isListed = row.reported_currency === null && networkOf({ currencies }, coinsOf(row)) !== undefined;
  return {
    status: row.status,
    hasOwner: row.user_id !== null,
    isConfirmed: row.confirmed_at !== null && row.output_key !== null,
    isListed,
    hasOutcome: row.outcome_currency !== null && networkOf({ currencies }, coinsOf(row)) !== undefined,
    hasFinding: row.has_finding,
    usdAmount: isListed ? worthOf({ currencies }, coinsOf(row)) : null,
  };
}

/** Returns the value of coins at the current rate, or null if the rate is stale or missing. */
function worthOf({ currencies }: Pick<Deps, 'currencies'>, { currencyId, amount }: Coins): Units | null {
  const { rate, stale } = currencies.rateOf(currencyId);
  return stale || rate === 0n ? null : currencyToUsdDown(amount, rate);
}

/** Returns the current thresholds. The approval threshold is the lowest of the last 24 hours, so raising it has no immediate effect. */
export async function thresholdsOf(
  { siteConfig }: Pick<Deps, 'siteConfig'>,
  db: DbOrTx,
): Promise<Thresholds> {
  return {
    approvalUsd: await siteConfig.lowestOfDay(db, 'depositReviewApprovalUsd'),
    writeOffBelowUsd: units(siteConfig.get('WITHDRAWALS').depositWriteOffBelowUsd),
  };
}

/** Throws 409 DEPOSIT_NOT_REVIEWABLE or DEPOSIT_OWNER_REQUIRED if an action is not possible. */
export function assertPossible(action: Action, facts: ReviewFacts, thresholds: Thresholds): void {
  const refusal = refusalOf(action, facts, thresholds);
  if (refusal) throw reviewErrors[refusal]({ action, status: facts.status });
}

/** Returns the amount of a decision. Throws 400 AMOUNT_OUT_OF_RANGE if it is missing or malformed. */
export function amountOf({ currencyId, amount: reported }: Coins, given: string | undefined): Units {
  const amount = given === undefined ? reported : parseUnits(given);
  if (amount === undefined || amount <= 0n)
    throw commonErrors.AMOUNT_OUT_OF_RANGE({ currencyId, decimals: 8 });
  return amount;
}

/** Returns the value of a credit. Throws 409 RATE_STALE. */
export function creditUsd(deps: Pick<Deps, 'currencies'>, coins: Coins): Units {
  const usd = worthOf(deps, coins);
  if (usd === null) throw currencyErrors.RATE_STALE({ currencyId: coins.currencyId });
  return usd;
}

/**
 * Returns the amount by which a decision exceeds the coins that arrived. This excess is recorded as value that the two staff members
 * created.
 */
export function excessOf(deps: Pick<Deps, 'currencies'>, row: DepositRow, review: ReviewRow): StaffValue {
  const coins = coinsOf(row);
  const excess = (review.amount ?? 0n) - coins.amount;
  const usdAmount = excess > 0n ? worthOf(deps, { ...coins, amount: excess }) : 0n;
  const input = { depositId: row.id, proposalId: review.id };
  return { operation: 'deposit.review', input, usdAmount, recipients: [], reason: review.reason };
}
