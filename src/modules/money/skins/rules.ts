import { isNumeral } from '../../../platform/exact-json.ts';
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
 * Every allowed transition. Webhooks may be lost or arrive out of order, so a transition may skip statuses. SUCCESS, FAIL and
 * HOLD_RETURNED are final.
 */
const TRANSITIONS: Readonly<Record<SkinStatus, readonly SkinStatus[]>> = {
  PENDING: ['IN_HOLD', 'HOLD_APPROVED', 'SUCCESS', 'FAIL', 'HOLD_RETURNED'],
  IN_HOLD: ['HOLD_APPROVED', 'SUCCESS', 'FAIL', 'HOLD_RETURNED'],
  HOLD_APPROVED: ['SUCCESS', 'HOLD_RETURNED'],
  SUCCESS: [],
  FAIL: [],
  HOLD_RETURNED: [],
};

/**
 * Returns the status after a report, or undefined if the status stays the same. If a trade fails after its advance was approved, the items
 * count as returned.
 */
export function nextStatus(status: SkinStatus, reported: SkinStatus): SkinStatus | undefined {
  const to = status === 'HOLD_APPROVED' && reported === 'FAIL' ? 'HOLD_RETURNED' : reported;
  return TRANSITIONS[status].includes(to) ? to : undefined;
}

/** Returns true if a report contradicts the final status about whether we own the items. */
export const isContradiction = (end: SkinStatus, reported: SkinStatus): boolean =>
  (end === 'SUCCESS' && (reported === 'FAIL' || reported === 'HOLD_RETURNED')) ||
  ((end === 'FAIL' || end === 'HOLD_RETURNED') && reported === 'SUCCESS');

/** Returns the posting that a status requires: a credit, a reversal or none (undefined). */
export function movementAt(
  status: SkinStatus,
  { isCredited, mayAdvance }: { isCredited: boolean; mayAdvance: boolean },
): 'credit' | 'reverse' | undefined {
  if (status === 'SUCCESS') return isCredited ? undefined : 'credit';
  if (status === 'HOLD_APPROVED') return !isCredited && mayAdvance ? 'credit' : undefined;
  if (status === 'FAIL' || status === 'HOLD_RETURNED') return isCredited ? 'reverse' : undefined;
  return undefined;
}

const LOW_UP_TO = 30;
const MEDIUM_UP_TO = 70;

/** Returns a player's risk, derived from the marketplace's `score` (0 to 100). An unreadable score is treated as a high risk. */
export function riskOf(userRisk: Readonly<Record<string, unknown>>): Risk {
  const { score: given } = userRisk;
  const text = isNumeral(given) ? given.rawJSON : given;
  const score = typeof text === 'string' && /^\d/.test(text) ? Number(text) : text;
  if (typeof score !== 'number' || !(score >= 0 && score <= MEDIUM_UP_TO)) return 'HIGH';
  return score <= LOW_UP_TO ? 'LOW' : 'MEDIUM';
}

/** The maximum total of a player's open advances in US dollars. We bear the risk until the hold ends. */
const ADVANCE_LIMITS: Readonly<Record<Risk, Units>> = { LOW: units('500'), MEDIUM: units('100'), HIGH: 0n };

/** Returns true if this amount may be credited before the hold ends. An unknown risk is treated as high. */
export const isAdvanceWithin = (
  risk: Risk | null,
  { outstandingUsd, usdAmount }: { outstandingUsd: Units; usdAmount: Units },
): boolean => outstandingUsd + usdAmount <= ADVANCE_LIMITS[risk ?? 'HIGH'];

/** The period in which the game platform allows a trade to be reversed. */
const HOLD_MS = 8 * 86_400_000;

/** Returns the end of a hold if the marketplace does not report one. */
export const holdEnd = (from: Date): Date => new Date(from.getTime() + HOLD_MS);
