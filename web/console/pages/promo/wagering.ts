import type { PromoAdmin } from '../../../../client/call.ts';
import { number } from '../../../kit/intl.ts';

const WAGERED = {
  CASH: 'the amount',
  FREE_SPINS: 'the winnings',
  BONUS: 'the bonus',
  FREE_BET: 'the winnings',
};

type Wagered = Pick<PromoAdmin, 'reward' | 'wagerMultiplier' | 'wagerBase'>;

/** The amount to be wagered, as a multiple. */
export function wageringOf({ reward: { kind }, wagerMultiplier: times, wagerBase }: Wagered): string {
  if (times === 0) return 'No wagering';
  const base =
    kind === 'BONUS' && wagerBase === 'DEPOSIT_AND_BONUS' ? 'the deposit and the bonus' : WAGERED[kind];
  return `${number(times)} × ${base}`;
}
