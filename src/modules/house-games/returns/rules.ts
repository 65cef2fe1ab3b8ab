import { DICE_RESULTS, DICE_SCALE, type DiceInputs, diceOdds } from '../dice/rules.ts';

/**
 * What theory says of settled bets (games.md, sections 14 and 15). Statistics are doubles: they move no money. `stake` is all that was
 * staked on the bet, in US dollars.
 */
export type PlayedBet = { game: string; rtpBp: number; stake: number; inputs: unknown; outcome: unknown };

/** stake × return and stake² × variance of a unit, in dollars; `most`: the highest payout that was to be won. */
export type Theory = { expected: number; variance: number; most: number };

type Result = { chance: number; multiplier: number };

const THEORIES: Readonly<Record<string, (bet: PlayedBet) => Theory | undefined>> = {
  dice,
};

/** Undefined for games and inputs of which nothing is known. */
export function theoryOf(bet: PlayedBet): Theory | undefined {
  const theory = Object.hasOwn(THEORIES, bet.game) ? THEORIES[bet.game]! : undefined;
  try {
    const { expected, variance, most } = theory?.(bet) ?? {};
    if (expected === undefined || variance === undefined || most === undefined) return undefined;
    return Number.isFinite(expected + variance) ? { expected, variance, most } : undefined;
  } catch {
    // One bet whose inputs cannot be read must not stop the count of all others.
    return undefined;
  }
}

/** W of 10,001 results win. */
function dice({ inputs, rtpBp, stake }: PlayedBet): Theory | undefined {
  const odds = diceOdds(inputs as DiceInputs, { rtpBp, maxMultiplier: Number.POSITIVE_INFINITY });
  if (!odds) return undefined;
  const multiplier = Number(odds.multiplier) / Number(DICE_SCALE);
  return oneStep(stake, [{ chance: odds.winning / DICE_RESULTS, multiplier }]);
}

/** v = Σ chance × multiplier² − r²; what is not listed pays nothing. */
function oneStep(stake: number, results: readonly Result[]): Theory {
  let [r, squares, most] = [0, 0, 0];
  for (const { chance, multiplier } of results) {
    r += chance * multiplier;
    squares += chance * multiplier ** 2;
    most = Math.max(most, multiplier);
  }
  return { expected: stake * r, variance: stake ** 2 * (squares - r ** 2), most: stake * most };
}
