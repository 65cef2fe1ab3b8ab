import { units } from '../../../../src/platform/money.ts';

/** A bet that has ended. Both amounts are in US dollars, as in the request. */
export type Ended = {
  betAmount: string;
  payout: string;
  multiplier: number;
  betId?: string | undefined;
  /** The number that Dice rolled. */
  randomValue?: number;
  /** The multiplier that Limbo reached. */
  randomMultiplier?: number;
};

/** How an outcome is shown and heard. Nothing celebrates a payout that is not above the bet amount. */
export type Level = 'loss' | 'return' | 'win' | 'big';

const BIG_MULTIPLIER = 20;
const BIG_USD = units('50');

export function levelOf({ payout, betAmount, multiplier }: Ended): Level {
  const paid = units(payout);
  if (paid === 0n) return 'loss';
  if (paid <= units(betAmount)) return 'return';
  return multiplier >= BIG_MULTIPLIER && paid >= BIG_USD ? 'big' : 'win';
}
