import { roundDown, type Units } from '../../../platform/money.ts';
import { periodEnd } from '../../../platform/periods.ts';
import { type Rakeback, type VipLevel, vipTermsOf } from '../../base/site-config/rewards/rules.ts';

export const PERIODS = ['instant', 'daily', 'weekly', 'monthly'] as const;
export type Period = (typeof PERIODS)[number];
/** Periods that must end before their rakeback can be claimed. */
export type LongPeriod = Exclude<Period, 'instant'>;

const CALENDAR = { daily: 'DAY', weekly: 'WEEK', monthly: 'MONTH' } as const;
const DAY_MS = 86_400_000;

/**
 * Returns the remaining amount of finished periods, rounded down to whole units of the currency. Returns 0 while the player owes rakeback.
 */
export const claimableOf = (rest: Units, decimals: number): Units =>
  rest > 0n ? roundDown(rest, decimals) : 0n;

/** Returns the end of the period that contains `at`: 00:00 UTC of the next day, next Monday, or the 1st of the next month. */
export const unlocksAt = (period: LongPeriod, at: Date): Date => periodEnd(CALENDAR[period], at);

/** Returns when the remaining amount of a period expires, or null if it never expires. */
export const expiresAt = (period: LongPeriod, start: Date | null, expiryDays: number | null): Date | null =>
  start === null || expiryDays === null
    ? null
    : new Date(periodEnd(CALENDAR[period], start).getTime() + expiryDays * DAY_MS);

type Rates = { vip: { ladder: readonly VipLevel[] }; rakeback: Rakeback };

/** Adds the boost of a level to a base rate and rounds down to whole basis points. */
export const boostedBp = (baseBp: number, boostPercent: number): number =>
  Math.floor((baseBp * (100 + boostPercent)) / 100);

/** Returns a level's rates in percent of the house edge. */
export function ratesAt({ vip, rakeback }: Rates, level: number): Record<Period, number> {
  const { boostPercent } = vipTermsOf(vip.ladder, level);
  const rateOf = (period: Period) => boostedBp(rakeback[`${period}Bp`], boostPercent) / 100;
  return {
    instant: rateOf('instant'),
    daily: rateOf('daily'),
    weekly: rateOf('weekly'),
    monthly: rateOf('monthly'),
  };
}
