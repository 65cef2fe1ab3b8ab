import { ONE, type Units } from '../../../platform/money.ts';
import { affiliateLevelAt, hundredths } from '../../base/site-config/rewards/rules.ts';

const DAY_MS = 86_400_000;

/** The least that is ever paid out: a cent. */
const LEAST_CLAIM: Units = ONE / 100n;

/** The longest report of a partner. */
const REPORT_DAYS = 366;

/** What a code looks like; how long it may be is a setting. */
const CODE_FORM = /^[A-Za-z0-9_-]{1,64}$/;

/** Codes are not case-sensitive: the key of a code; undefined for a text that can be none. */
export const keyOf = (code: string): string | undefined =>
  CODE_FORM.test(code) ? code.toLowerCase() : undefined;

type Level = { readonly id: number; readonly minWageredUsdAmount: string };

/** The level of an affiliate, and the next one; null: there is no higher one. */
export function standingOf<L extends Level>(
  levels: readonly L[],
  by: { wageredUsd: Units; floorId: number | null },
): { current: L; next: L | null } {
  const current = affiliateLevelAt(levels, by);
  return { current, next: levels.find(({ id }) => id > current.id) ?? null };
}

/** What can be claimed: what days that are over long enough have brought, less what was claimed. Never negative. */
export const claimableOf = (sums: { earnedUsd: Units; unripeUsd: Units; claimedUsd: Units }): Units => {
  const left = sums.earnedUsd - sums.unripeUsd - sums.claimedUsd;
  return left > 0n ? left : 0n;
};

/** The least amount of a claim, whatever the setting says. */
export const leastClaim = (minClaimUsd: Units): Units =>
  minClaimUsd > LEAST_CLAIM ? minClaimUsd : LEAST_CLAIM;

/** Why a claim is refused; undefined: it is not. */
export function refusalOfClaim(claim: {
  claimableUsd: Units;
  minClaimUsd: Units;
  referralCount: number;
  required: number;
}): 'NOTHING_TO_CLAIM' | 'LOCKED' | undefined {
  if (claim.claimableUsd < leastClaim(claim.minClaimUsd)) return 'NOTHING_TO_CLAIM';
  return claim.referralCount < claim.required ? 'LOCKED' : undefined;
}

/** Commission on a deposit in dollars; `percent` such as "7.5". */
export const depositCommission = (usdAmount: Units, percent: string): Units =>
  (usdAmount * hundredths(percent)) / 10_000n;

/** The UTC day of a moment, such as "2026-11-21". */
export const dayOf = (at: Date): string => at.toISOString().slice(0, 10);

/** The UTC day so many days before a moment. */
export const dayBefore = (at: Date, days: number): string => dayOf(new Date(at.getTime() - days * DAY_MS));

/**
 * The first day whose earnings cannot be claimed yet: days before today − holdDays are ripe. Without a time to hold them every day
 * is: undefined.
 */
export const firstUnripeDay = (now: Date, holdDays: number): string | undefined =>
  holdDays === 0 ? undefined : dayBefore(now, holdDays);

/** Active is who bet on one of the last `activeDays` days or today: the first of these days. */
export const firstActiveDay = (now: Date, activeDays: number): string => dayBefore(now, activeDays);

/**
 * The whole UTC days of a report: from the day of `start` to the day of `end`, both included. Absent: up to today, and as many days
 * as a report may have. What is wrong with them, if something is.
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
