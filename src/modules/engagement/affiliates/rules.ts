import { ONE, type Units } from '../../../platform/money.ts';
import { affiliateLevelAt, hundredths } from '../../base/site-config/rewards/rules.ts';

const DAY_MS = 86_400_000;

/** The lowest possible minimum claim: one cent. */
const LEAST_CLAIM: Units = ONE / 100n;

/** The maximum number of days in a partner's report. */
const REPORT_DAYS = 366;

/** The format of a code. The permitted length is a setting. */
const CODE_FORM = /^[A-Za-z0-9_-]{1,64}$/;

/** Returns the key of a code, which ignores case, or undefined if the string is not a valid code. */
export const keyOf = (code: string): string | undefined =>
  CODE_FORM.test(code) ? code.toLowerCase() : undefined;

type Level = { readonly id: number; readonly minWageredUsdAmount: string };

/** Returns an affiliate's level and the next level, which is null at the highest level. */
export function standingOf<L extends Level>(
  levels: readonly L[],
  by: { wageredUsd: Units; floorId: number | null },
): { current: L; next: L | null } {
  const current = affiliateLevelAt(levels, by);
  return { current, next: levels.find(({ id }) => id > current.id) ?? null };
}

/** Returns the claimable amount, which is never negative: earnings whose hold period is over, minus claims. */
export const claimableOf = (sums: { earnedUsd: Units; unripeUsd: Units; claimedUsd: Units }): Units => {
  const left = sums.earnedUsd - sums.unripeUsd - sums.claimedUsd;
  return left > 0n ? left : 0n;
};

/** Returns the minimum claim: the configured amount, but at least a cent. */
export const leastClaim = (minClaimUsd: Units): Units =>
  minClaimUsd > LEAST_CLAIM ? minClaimUsd : LEAST_CLAIM;

/** Returns the reason why a claim is rejected, or undefined if it is accepted. */
export function refusalOfClaim(claim: {
  claimableUsd: Units;
  minClaimUsd: Units;
  referralCount: number;
  required: number;
}): 'NOTHING_TO_CLAIM' | 'LOCKED' | undefined {
  if (claim.claimableUsd < leastClaim(claim.minClaimUsd)) return 'NOTHING_TO_CLAIM';
  return claim.referralCount < claim.required ? 'LOCKED' : undefined;
}

/** Returns the commission on a deposit. `percent` is a string such as "7.5". */
export const depositCommission = (usdAmount: Units, percent: string): Units =>
  (usdAmount * hundredths(percent)) / 10_000n;

/** Returns the UTC day, such as "2026-11-21". */
export const dayOf = (at: Date): string => at.toISOString().slice(0, 10);

/** Returns the UTC day that is this number of days earlier. */
export const dayBefore = (at: Date, days: number): string => dayOf(new Date(at.getTime() - days * DAY_MS));

/**
 * Returns the first day whose earnings cannot be claimed yet, or undefined if there is no hold period, because then all earnings can be
 * claimed.
 */
export const firstUnripeDay = (now: Date, holdDays: number): string | undefined =>
  holdDays === 0 ? undefined : dayBefore(now, holdDays);

/** Returns the first day on which a bet makes a referral active: `activeDays` days ago. */
export const firstActiveDay = (now: Date, activeDays: number): string => dayBefore(now, activeDays);

/**
 * Returns the UTC days of a report, from the day of `start` to the day of `end`, both included, or an error if they are invalid. By
 * default, `end` is today and `start` is chosen for the longest permitted report.
 */
export function reportDays(
  { start, end }: { start?: Date | undefined; end?: Date | undefined },
  now: Date,
): { from: string; to: string } | { problem: string } {
  const last = end ?? now;
  const first = start ?? new Date(last.getTime() - (REPORT_DAYS - 1) * DAY_MS);
  const days = { from: dayOf(first), to: dayOf(last) };
  const count = (Date.parse(days.to) - Date.parse(days.from)) / DAY_MS + 1;
  if (count < 1) return { problem: 'is after endDate' };
  return count > REPORT_DAYS ? { problem: `is more than ${REPORT_DAYS} days before endDate` } : days;
}
