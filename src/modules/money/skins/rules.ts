import { type Units, units } from '../../../platform/money.ts';

export const SKIN_STATUSES = [
  'PENDING',
  'IN_HOLD',
  'SUCCESS',
  'FAIL',
  'HOLD_APPROVED',
  'HOLD_RETURNED',
] as const;
export type SkinStatus = (typeof SKIN_STATUSES)[number];
export type Risk = 'LOW' | 'MEDIUM' | 'HIGH';

/**
 * Every allowed transition. Webhooks get lost and overtake each other: a later status stands for those that were skipped. SUCCESS,
 * FAIL and HOLD_RETURNED are final.
 */
const TRANSITIONS: Readonly<Record<SkinStatus, readonly SkinStatus[]>> = {
  PENDING: ['IN_HOLD', 'HOLD_APPROVED', 'SUCCESS', 'FAIL', 'HOLD_RETURNED'],
  IN_HOLD: ['HOLD_APPROVED', 'SUCCESS', 'FAIL', 'HOLD_RETURNED'],
  HOLD_APPROVED: ['SUCCESS', 'HOLD_RETURNED'],
  SUCCESS: [],
  FAIL: [],
  HOLD_RETURNED: [],
};

/** The status after a report; undefined: it stays. Items that fail after an advance was approved are returned. */
export function nextStatus(status: SkinStatus, reported: SkinStatus): SkinStatus | undefined {
  const to = status === 'HOLD_APPROVED' && reported === 'FAIL' ? 'HOLD_RETURNED' : reported;
  return TRANSITIONS[status].includes(to) ? to : undefined;
}

/** Whether a report contradicts a final status: according to one the items are ours, according to the other they are not. */
export const isContradiction = (end: SkinStatus, reported: SkinStatus): boolean =>
  (end === 'SUCCESS' && (reported === 'FAIL' || reported === 'HOLD_RETURNED')) ||
  ((end === 'FAIL' || end === 'HOLD_RETURNED') && reported === 'SUCCESS');

/** What happens to the money when a deposit reaches a status. */
export function movementAt(
  status: SkinStatus,
  { isCredited, mayAdvance }: { isCredited: boolean; mayAdvance: boolean },
): 'credit' | 'takeBack' | undefined {
  if (status === 'SUCCESS') return isCredited ? undefined : 'credit';
  if (status === 'HOLD_APPROVED') return !isCredited && mayAdvance ? 'credit' : undefined;
  if (status === 'FAIL' || status === 'HOLD_RETURNED') return isCredited ? 'takeBack' : undefined;
  return undefined;
}

const LOW_UP_TO = 30;
const MEDIUM_UP_TO = 70;

/** The risk of a player by the marketplace's `score`, 0 to 100. A score that cannot be read is a high risk. */
export function riskOf(userRisk: Readonly<Record<string, unknown>>): Risk {
  const { score } = userRisk;
  if (typeof score !== 'number' || !(score >= 0 && score <= MEDIUM_UP_TO)) return 'HIGH';
  return score <= LOW_UP_TO ? 'LOW' : 'MEDIUM';
}

/** The most dollars that a player may have in advance at a time: until the hold is over the risk is ours. */
const ADVANCE_LIMITS: Readonly<Record<Risk, Units>> = { LOW: units('500'), MEDIUM: units('100'), HIGH: 0n };

/** Whether so many dollars may be credited before the hold is over. An unknown risk counts as high. */
export const isAdvanceWithin = (
  risk: Risk | null,
  { outstandingUsd, usdAmount }: { outstandingUsd: Units; usdAmount: Units },
): boolean => outstandingUsd + usdAmount <= ADVANCE_LIMITS[risk ?? 'HIGH'];

/** How long the game platform allows a trade to be reversed. */
const HOLD_MS = 8 * 86_400_000;

/** When a hold ends for which the marketplace names no end. */
export const holdEnd = (from: Date): Date => new Date(from.getTime() + HOLD_MS);

/** Whether a browser may be redirected there: a page of ours, without a user name or password in the address. */
export function isPageOf(origins: readonly string[], address: string): boolean {
  // Backslashes and blanks are parsed differently by browsers and servers: they could disagree about the origin.
  if (!/^[\x21-\x5b\x5d-\x7e]+$/.test(address)) return false;
  const url = URL.parse(address);
  return url !== null && origins.includes(url.origin) && url.username === '' && url.password === '';
}
