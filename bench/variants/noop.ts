import type { DiceAnswer, DiceInput } from './bet.ts';

/**
 * Costs what HTTP, sign-in, validation and serialisation cost: an answer of the right form with neither database nor
 * HMAC behind it.
 */
export function createNoop() {
  let bets = 0;
  return (_userId: number, { currencyId, betAmount, threshold, above }: DiceInput): DiceAnswer => ({
    currencyId,
    betAmount,
    payout: '0.0198',
    createdAt: new Date().toISOString(),
    above,
    threshold,
    betId: String(1_000_000 + bets++),
    randomValue: 71.25,
    didWin: true,
    multiplier: 1.98,
  });
}
