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
 * Where a status may go. Notices are lost and overtake each other: a later one stands for those that it has overtaken. SUCCESS,
 * FAIL and HOLD_RETURNED are the end.
 */
const FORWARD: Readonly<Record<SkinStatus, readonly SkinStatus[]>> = {
  PENDING: ['IN_HOLD', 'HOLD_APPROVED', 'SUCCESS', 'FAIL', 'HOLD_RETURNED'],
  IN_HOLD: ['HOLD_APPROVED', 'SUCCESS', 'FAIL', 'HOLD_RETURNED'],
  HOLD_APPROVED: ['SUCCESS', 'HOLD_RETURNED'],
  SUCCESS: [],
  FAIL: [],
  HOLD_RETURNED: [],
};

/** The status after a notice; undefined: it changes nothing. Items that fail after an advance was approved are returned. */
export function nextStatus(status: SkinStatus, said: SkinStatus): SkinStatus | undefined {
  const to = status === 'HOLD_APPROVED' && said === 'FAIL' ? 'HOLD_RETURNED' : said;
  return FORWARD[status].includes(to) ? to : undefined;
}

/** Whether two ends cannot both be true: one says that the items are ours, the other that they are not. */
export const isContradiction = (end: SkinStatus, said: SkinStatus): boolean =>
  (end === 'SUCCESS' && (said === 'FAIL' || said === 'HOLD_RETURNED')) ||
  ((end === 'FAIL' || end === 'HOLD_RETURNED') && said === 'SUCCESS');

/** What reaching a status means to the money. */
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

/** What the marketplace thinks of a player: `score` from 0 to 100. What cannot be read is a high risk. */
export function riskOf(userRisk: Readonly<Record<string, unknown>>): Risk {
  const { score } = userRisk;
  if (typeof score !== 'number' || !(score >= 0 && score <= MEDIUM_UP_TO)) return 'HIGH';
  return score <= LOW_UP_TO ? 'LOW' : 'MEDIUM';
}

/** The most that a player may have in advance at a time, dollars: until the hold is over the risk is ours. */
const ADVANCE_LIMITS: Readonly<Record<Risk, Units>> = { LOW: units('500'), MEDIUM: units('100'), HIGH: 0n };

/** Whether so many dollars may be credited before the hold is over. A risk that nobody has named is high. */
export const isAdvanceWithin = (
  risk: Risk | null,
  { outstandingUsd, usdAmount }: { outstandingUsd: Units; usdAmount: Units },
): boolean => outstandingUsd + usdAmount <= ADVANCE_LIMITS[risk ?? 'HIGH'];

/** The game platform lets trades be reversed for so long. */
const HOLD_MS = 8 * 86_400_000;

/** When a hold ends that the marketplace names no end of. */
export const holdEnd = (from: Date): Date => new Date(from.getTime() + HOLD_MS);

/** Whether a browser may be sent there afterwards: an http(s) page of ours, no password in it. */
export function isPageOf(origins: readonly string[], address: string): boolean {
  // Not everybody reads a backslash or a blank as browsers do: whose page it is would depend on the reader.
  if (!/^[\x21-\x5b\x5d-\x7e]+$/.test(address)) return false;
  const url = URL.parse(address);
  return url !== null && origins.includes(url.origin) && url.username === '' && url.password === '';
}
