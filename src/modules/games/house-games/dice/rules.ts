import type { Risk } from '../../../money/bonus/rules.ts';
import { hundredths, type Next } from '../../betting/rules.ts';
import { pick } from '../../fairness/rules.ts';
import { type Replayed, replayed, type StoredBet } from '../rules.ts';

/** A bet that the roll (0.00 to 100.00) is above or below the threshold. */
export type DiceInputs = { threshold: number; above: boolean };

/** `winning` of the 10,001 possible results win, and a win pays multiplier / DICE_SCALE times the stake. */
export type DiceOdds = { winning: number; multiplier: bigint };

export const DICE_SCALE = 10_000n;

export const DICE_RESULTS = 10_001;
const MOST_WINNING = 9800;
const LEAST_MULTIPLIER = 10_100n;

/**
 * Returns the odds of a bet, or undefined if the bet is not allowed. A bet is not allowed if the threshold has more than two decimals, if
 * no result or more than 9800 results win, or if the multiplier is below 1.01 or above the configured one. The multiplier in
 * ten-thousandths is floor(rtpBp × 10,000 / winning), regardless of whether the bet wins. `maxMultiplier` is as configured (9900 is 9900
 * times the stake).
 */
export function diceOdds(
  inputs: DiceInputs,
  settings: { rtpBp: number; maxMultiplier: number },
): DiceOdds | undefined {
  const threshold = hundredths(inputs.threshold);
  if (threshold === undefined) return undefined;
  const winning = inputs.above ? DICE_RESULTS - 1 - threshold : threshold;
  if (winning < 1 || winning > MOST_WINNING) return undefined;
  const multiplier = (BigInt(settings.rtpBp) * DICE_SCALE) / BigInt(winning);
  if (multiplier < LEAST_MULTIPLIER) return undefined;
  if (Number(multiplier) / Number(DICE_SCALE) > settings.maxMultiplier) return undefined;
  return { winning, multiplier };
}

/**
 * Returns the outcome of an accepted bet, given the first number of its stream. `roll` is in hundredths, 0 to 10,000 (displayed divided by
 * 100). A roll equal to the threshold loses in both directions.
 */
export function rollDice({ threshold, above }: DiceInputs, u0: number): { roll: number; didWin: boolean } {
  const roll = pick(u0, DICE_RESULTS);
  const limit = Math.round(threshold * 100);
  return { roll, didWin: above ? roll > limit : roll < limit };
}

/** The stored and displayed outcome. `multiplier` is the multiplier on offer, even for a lost bet. */
export type DiceOutcome = { randomValue: number; didWin: boolean; multiplier: number };

/** Plays an allowed bet with the first number of its stream. The returned multiplier is 0n for a loss. */
export function playDice(inputs: DiceInputs, odds: DiceOdds, u0: number) {
  const { roll, didWin } = rollDice(inputs, u0);
  const outcome: DiceOutcome = {
    randomValue: roll / 100,
    didWin,
    multiplier: Number(odds.multiplier) / Number(DICE_SCALE),
  };
  return { outcome, multiplier: didWin ? odds.multiplier : 0n, scale: DICE_SCALE };
}

/** Returns the risk of a bet in millionths and ten-thousandths, as in `risk/rules.ts`. DICE_SCALE is in ten-thousandths as well. */
export const diceRisk = ({ winning, multiplier }: DiceOdds): Risk => ({
  chancePpm: Number((BigInt(winning) * 1_000_000n) / BigInt(DICE_RESULTS)),
  multiplierE4: Number(multiplier),
});

/** Replays a stored bet. Returns undefined if no maximum multiplier would allow the bet. The bet's own maximum is not stored. */
export function replayDice({ inputs, rtpBp }: StoredBet, next: Next): Replayed | undefined {
  const dice = inputs as DiceInputs;
  if (typeof dice.above !== 'boolean') return undefined;
  const odds = diceOdds(dice, { rtpBp, maxMultiplier: Number.POSITIVE_INFINITY });
  return odds && replayed(playDice(dice, odds, next()));
}
