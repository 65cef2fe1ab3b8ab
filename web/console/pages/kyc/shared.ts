import type { KycAdminDetail } from '../../../../client/call.ts';

export const LIST = 'GET /admin/kyc';
export const ONE = 'GET /admin/kyc/{userId}';
export const TIERS = ['BASIC', 'IDENTITY', 'ADDRESS', 'SOURCE_OF_FUNDS'] as const;

/** Returns true if a tier waits for a decision. */
export const isWaiting = ({ status }: KycAdminDetail['tiers'][number]): boolean =>
  status === 'PENDING' || status === 'ON_HOLD';

/**
 * Returns the tier that a decision is most likely about: the only one that waits, or else the next one to approve. Undefined if staff have to
 * choose, because several tiers wait, or none waits and the decision is no approval.
 */
export function likelyTier({ tiers, level }: Pick<KycAdminDetail, 'tiers' | 'level'>, isApproval: boolean) {
  const waiting = tiers.filter(isWaiting);
  if (waiting.length > 0) return waiting.length === 1 ? waiting[0]?.tier : undefined;
  return isApproval ? TIERS[level] : undefined;
}
