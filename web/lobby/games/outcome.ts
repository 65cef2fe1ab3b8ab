import { units } from '../../../src/platform/money.ts';
import { words } from '../words.ts';

/** Both amounts are in US dollars, as in the request. */
type Outcome = { payout: string; betAmount: string };

/** Describes the result of a bet. A payout below the stake does not count as a win. */
export function paidWords({ payout, betAmount }: Outcome): string {
  const { lost, back, even, won } = words.play.paid;
  if (units(payout) === 0n) return lost;
  const [paid, stake] = [`${payout} USD`, `${betAmount} USD`];
  if (units(payout) === units(betAmount)) return even(stake);
  return units(payout) < units(betAmount) ? back(paid, stake) : won(paid);
}
