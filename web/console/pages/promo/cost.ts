import type { PromoAdmin } from '../../../../client/call.ts';
import {
  currencyToUsdUp,
  formatUnits,
  mulDivDown,
  ONE,
  parseNumber,
  parseRate,
  parseUnits,
  type Units,
  units,
} from '../../../../src/platform/money.ts';

/** The part of a promotion that staff edit. */
export type Draft = Pick<
  PromoAdmin,
  | 'name'
  | 'description'
  | 'type'
  | 'reward'
  | 'wagerMultiplier'
  | 'wagerBase'
  | 'maxBetUsd'
  | 'maxWithdrawalMultiplier'
  | 'validityHours'
  | 'startAt'
  | 'endAt'
  | 'conditions'
  | 'budget'
  | 'gameNames'
>;

type Money = { amount: string; currencyId: string };

/** Upper bounds of what a promotion costs. A bound is undefined if there is none, or if it is not known yet. */
export type Cost = {
  /** One grant. Free spins count with their bets, in dollars. */
  grant?: Money | undefined;
  /** The part of a bonus that becomes cash, winnings included. */
  cash?: Money | undefined;
  /** All grants together, in dollars. Rounded up to cents for each grant. */
  totalUsd?: string | undefined;
};

const CENTS = 2;

/** Computes the bounds exactly. `usdRate`: dollars for one unit of the reward's currency. */
export function costOf({ reward, maxWithdrawalMultiplier, budget }: Draft, usdRate?: string): Cost {
  const { kind, currencyId } = reward;
  const each = unitsOf(reward);
  const times = maxWithdrawalMultiplier === null ? undefined : parseNumber(maxWithdrawalMultiplier);
  const inUsd = each === undefined || kind === 'FREE_SPINS' ? each : dollarsOf(each, usdRate);
  const grants = budget.maxGrants ?? undefined;
  const bounds = [
    grants === undefined || inUsd === undefined || !Number.isSafeInteger(grants)
      ? undefined
      : BigInt(grants) * inUsd,
    parseUnits(budget.maxTotalUsd ?? ''),
  ].filter((bound) => bound !== undefined);
  const least = bounds.reduce<Units | undefined>(
    (found, bound) => (found === undefined || bound < found ? bound : found),
    undefined,
  );
  return {
    grant: grantOf(reward),
    cash:
      kind !== 'BONUS' || each === undefined || times === undefined
        ? undefined
        : moneyOf(mulDivDown(each, times, ONE), currencyId),
    totalUsd: least === undefined ? undefined : formatUnits(least),
  };
}

/** True if the number of grants or the total is limited. */
export const isLimited = ({ maxGrants, maxTotalUsd }: Draft['budget']): boolean =>
  (maxGrants ?? undefined) !== undefined || Boolean(maxTotalUsd);

/** True if the total cost has an upper bound. A percentage without a limit has none. */
export const isBounded = ({ budget, reward }: Pick<Draft, 'budget' | 'reward'>): boolean =>
  Boolean(budget.maxTotalUsd) || (isLimited(budget) && unitsOf(reward) !== undefined);

const moneyOf = (amount: Units, currencyId: string): Money => ({ amount: formatUnits(amount), currencyId });

/** The most that one grant pays: an amount, the limit of a percentage, or the bets of free spins in dollars. */
export function grantOf(reward: Draft['reward']): Money | undefined {
  const each = unitsOf(reward);
  return each === undefined
    ? undefined
    : moneyOf(each, reward.kind === 'FREE_SPINS' ? 'USD' : reward.currencyId);
}

/** The total of several grants of the same amount. */
export const timesOf = ({ amount, currencyId }: Money, count: number): Money =>
  moneyOf(units(amount) * BigInt(count), currencyId);

function unitsOf({
  kind,
  amount,
  maxAmount,
  freeSpins,
  freeSpinValueUsd,
}: Draft['reward']): Units | undefined {
  if (kind !== 'FREE_SPINS') return parseUnits(amount ?? maxAmount ?? '');
  const value = parseUnits(freeSpinValueUsd ?? '');
  return value === undefined || !Number.isSafeInteger(freeSpins) ? undefined : BigInt(freeSpins!) * value;
}

function dollarsOf(amount: Units, usdRate: string | undefined): Units | undefined {
  const rate = usdRate === undefined ? undefined : parseRate(usdRate);
  return rate ? currencyToUsdUp(amount, rate, CENTS) : undefined;
}
