import { useRead } from '../../../kit/query.ts';
import { type Cost, costOf, type Draft } from './cost.ts';

const STALE_MS = 300_000;

/** Returns the bounds of a promotion's cost at the current rate of its currency. */
export function useCost(): (draft: Draft) => Cost {
  const { data } = useRead('GET /currency', {}, { staleMs: STALE_MS });
  return (draft) => costOf(draft, data?.find(({ id }) => id === draft.reward.currencyId)?.usdRate);
}

/** A person gets a welcome bonus or a code only once. Other promotions may be granted again. */
export const grantLabelOf = ({ type }: Pick<Draft, 'type'>): string =>
  type === 'WELCOME' || type === 'CODE' ? 'Per player, at most' : 'Per grant, at most';
