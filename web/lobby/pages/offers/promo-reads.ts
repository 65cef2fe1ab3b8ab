import type { PromoGrant } from '../../../../client/call.ts';
import { useRead } from '../../../kit/query.ts';

export const OFFERS = 'GET /promo';
export const GRANTS = 'GET /promo/my';
/** Reads that a claimed or forfeited bonus changes. */
export const CHANGED = [
  OFFERS,
  GRANTS,
  'GET /notifications',
  'GET /payments/withdraw/eligibility',
  'GET /accounting/balances',
] as const;

/** The player's active and waiting grants. */
export function useOpenGrants() {
  const active = useRead(GRANTS, { query: { status: 'ACTIVE', take: 20 } });
  const pending = useRead(GRANTS, { query: { status: 'PENDING', take: 20 } });
  return [...(active.data?.data ?? []), ...(pending.data?.data ?? [])];
}

/** True for free spins that can be played. Only they are activated while they wait for their result. */
export const areFreeSpins = ({ status, activatedAt }: PromoGrant): boolean =>
  status === 'PENDING' && activatedAt !== null;

/** The number of a grant's free spins. Only the notification contains it. */
export function useSpins(grantId: string, isEnabled: boolean): number | undefined {
  const { data = [] } = useRead('GET /notifications', {}, { isEnabled, staleMs: 60_000 });
  const spins = data.find(
    ({ payload }) => payload?.code === 'promo.free-spins' && payload.grantId === grantId,
  )?.payload?.spins;
  return typeof spins === 'number' ? spins : undefined;
}
