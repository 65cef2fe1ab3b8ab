import { roundDown, type Units } from '../../../platform/money.ts';
import { periodEnd } from '../../../platform/periods.ts';
import { type Rakeback, type VipLevel, vipTermsOf } from '../../base/site-config/rewards/rules.ts';

export const PERIODS = ['instant', 'daily', 'weekly', 'monthly'] as const;
export type Period = (typeof PERIODS)[number];
/** Periods that have to end before their rakeback can be claimed. */
export type LongPeriod = Exclude<Period, 'instant'>;

const CALENDAR = { daily: 'DAY', weekly: 'WEEK', monthly: 'MONTH' } as const;
const DAY_MS = 86_400_000;

/** What can be claimed of what periods that are over have left: whole units of the currency, and nothing while claimed bets are owed back. */
export const claimableOf = (rest: Units, decimals: number): Units =>
  rest > 0n ? roundDown(rest, decimals) : 0n;

/** When the period that holds a moment is over: at 00:00 UTC, on Monday, on the 1st. */
export const unlocksAt = (period: LongPeriod, at: Date): Date => periodEnd(CALENDAR[period], at);

/** When what is left of the period that began then is lost; null: never. */
export const expiresAt = (period: LongPeriod, start: Date | null, expiryDays: number | null): Date | null =>
  start === null || expiryDays === null
    ? null
    : new Date(periodEnd(CALENDAR[period], start).getTime() + expiryDays * DAY_MS);

type Rates = { vip: { ladder: readonly VipLevel[] }; rakeback: Rakeback };

/** A base rate with the boost of a level, in whole basis points. */
export const boostedBp = (baseBp: number, boostPercent: number): number =>
  Math.floor((baseBp * (100 + boostPercent)) / 100);

/** Percent of the house edge at a level. */
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
