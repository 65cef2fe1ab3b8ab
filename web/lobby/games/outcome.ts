import { units } from '../../../src/platform/money.ts';
import { words } from '../words.ts';

type Outcome = { payout: string; betAmount: string; currencyId: string };

/** What came of a bet, in words: a payout below the stake is no win. */
export function paidWords({ payout, betAmount, currencyId }: Outcome): string {
  const { lost, back, won } = words.play.paid;
  if (units(payout) === 0n) return lost;
  const paid = `${payout} ${currencyId}`;
  return units(payout) < units(betAmount) ? back(paid, betAmount) : won(paid);
}
