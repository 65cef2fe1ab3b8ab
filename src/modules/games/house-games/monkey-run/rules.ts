import { invalidField } from '../../../../platform/errors.ts';
import { bettingErrors } from '../../betting/errors.ts';
import { type Next, payoutsOf, type Terms, type Turn } from '../../betting/rules.ts';
import { draw, range } from '../../fairness/rules.ts';
import {
  hasReachedMaxProfit,
  PICK_SCALE,
  pickMultiplier,
  picksRisk,
  type Replayed,
  type StoredBet,
} from '../rules.ts';

export const TILES = 20;
/** Number of traps by difficulty. */
export const TRAPS = { EASY: 1, MEDIUM: 3, HARD: 5, EXPERT: 10 } as const;

export type Difficulty = keyof typeof TRAPS;
export const DIFFICULTIES = Object.keys(TRAPS) as Difficulty[];

/** The player's decisions. `steps`: the target tile of each run, in order. */
export type MonkeyRunInputs = { difficulty: Difficulty; steps: number[] };

/** `traps`: in draw order; `step`: number of passed tiles; `multiplier`: 0 for a loss. */
export type MonkeyRunOutcome = {
  traps: number[];
  deadPoint: number;
  step: number;
  didWin: boolean;
  multiplier: number;
};

/** State of an open round: the passed tiles, and the runs so far. The traps are drawn again for each request. */
export type MonkeyRunState = MonkeyRunInputs & { step: number };

/** The part of an open round that the rules use. */
export type MonkeyRunRound = Terms & { rtpBp: number; state: MonkeyRunState };

/** Returns the maximum number of steps: 20 minus the number of traps. */
export function stepsOf(difficulty: Difficulty): number {
  return TILES - TRAPS[difficulty];
}

/**
 * Returns the multiplier for `step` tiles in units of 1 / PICK_SCALE: 1 for zero tiles, otherwise floor(rtpBp × C(20,s) / C(20−traps,s)).
 */
export function stepMultiplier(difficulty: Difficulty, step: number, rtpBp: number): bigint {
  return pickMultiplier({ places: TILES, traps: TRAPS[difficulty], picks: step, rtpBp });
}

/** The multipliers of all steps, as JavaScript numbers. Index 0 is the first step. */
export function stepMultipliers(difficulty: Difficulty, rtpBp: number): number[] {
  return range(1, stepsOf(difficulty)).map((step) => shown(stepMultiplier(difficulty, step, rtpBp)));
}

/**
 * Runs to the tile `makeStep` over all tiles before it. The round ends at a trap, at the last step or when nothing more can be won. Throws
 * 400 for a tile that was already passed or is beyond the last step.
 */
export function playMonkeyRun(round: MonkeyRunRound, makeStep: number, next: Next): Turn<MonkeyRunState> {
  const { state } = round;
  const { difficulty } = state;
  if (makeStep <= state.step || makeStep > stepsOf(difficulty)) {
    const message = `needs to be a tile from ${state.step + 1} to ${stepsOf(difficulty)}`;
    throw invalidField('makeStep', message);
  }
  const traps = drawTraps(difficulty, next);
  const run = runOn(
    { difficulty, from: state.step, to: makeStep },
    { terms: round, rtpBp: round.rtpBp },
    traps,
  );
  const after = { difficulty, step: run.step, steps: [...state.steps, makeStep] };
  return run.isOver ? { state: after, end: endOf(round, after, { traps, ...run }) } : { state: after };
}

/** Ends the round with the payout for the passed tiles. Throws 409 ACTION_NOT_ALLOWED before the first step. */
export function cashOutMonkeyRun(round: MonkeyRunRound, next: Next): Turn<MonkeyRunState> {
  const { state } = round;
  if (state.step === 0) throw bettingErrors.ACTION_NOT_ALLOWED();
  const traps = drawTraps(state.difficulty, next);
  return { state, end: endOf(round, state, { traps, step: state.step, didWin: true }) };
}

/** Ends an abandoned round: cashes out if at least one tile was passed, otherwise voids it. */
export function giveUpMonkeyRun(round: MonkeyRunRound, next: Next): Turn<MonkeyRunState> {
  return round.state.step > 0 ? cashOutMonkeyRun(round, next) : { state: round.state, end: 'void' };
}

/**
 * Replays a stored bet. The end of the run is read from the outcome and checked against the traps. `pay` repeats the run under the bet's
 * terms, which checks the end against maxProfit.
 */
export function replayMonkeyRun({ inputs, outcome, rtpBp }: StoredBet, next: Next): Replayed | undefined {
  const monkey = inputs as MonkeyRunInputs;
  if (!isPlayable(monkey)) return undefined;
  const { difficulty, steps } = monkey;
  const { step, didWin } = outcome as MonkeyRunOutcome;
  const traps = drawTraps(difficulty, next);
  if (!isPossible({ step, didWin }, steps, Math.min(...traps))) return undefined;
  return {
    outcome: resultOf(difficulty, { traps, step, didWin, rtpBp }).outcome,
    pay: (terms) => {
      const run = runOn({ difficulty, from: 0, to: steps.at(-1)! }, { terms, rtpBp }, traps);
      return payoutsOf({ ...terms, ...resultOf(difficulty, { traps, ...run, rtpBp }) });
    },
  };
}

/** The parameters that limit the number of steps. */
type Ground = { terms: Terms; rtpBp: number };
/** The end of a run. `didWin` is false if it ended in a trap. */
type Run = { step: number; didWin: boolean };

const shown = (multiplier: bigint) => Number(multiplier) / Number(PICK_SCALE);

/** Draws the traps among tiles 1 … 20. */
const drawTraps = (difficulty: Difficulty, next: Next): number[] =>
  draw(range(1, TILES), TRAPS[difficulty], next);

function runOn(
  { difficulty, from, to }: { difficulty: Difficulty; from: number; to: number },
  { terms, rtpBp }: Ground,
  traps: readonly number[],
): Run & { isOver: boolean } {
  for (let step = from + 1; step <= to; step++) {
    if (traps.includes(step)) return { step: step - 1, didWin: false, isOver: true };
    const multiplier = stepMultiplier(difficulty, step, rtpBp);
    if (step === stepsOf(difficulty) || hasReachedMaxProfit({ ...terms, multiplier, scale: PICK_SCALE }))
      return { step, didWin: true, isOver: true };
  }
  return { step: to, didWin: true, isOver: false };
}

type Drawn = Run & { traps: number[] };

function resultOf(difficulty: Difficulty, { traps, step, didWin, rtpBp }: Drawn & { rtpBp: number }) {
  const multiplier = didWin ? stepMultiplier(difficulty, step, rtpBp) : 0n;
  const deadPoint = Math.min(...traps);
  const outcome: MonkeyRunOutcome = { traps, deadPoint, step, didWin, multiplier: shown(multiplier) };
  return { outcome, multiplier, scale: PICK_SCALE };
}

function endOf(round: MonkeyRunRound, { difficulty, steps }: MonkeyRunInputs, drawn: Drawn) {
  const { traps, step, didWin } = drawn;
  const inputs: MonkeyRunInputs = { difficulty, steps };
  const { outcome, ...paid } = resultOf(difficulty, { traps, step, didWin, rtpBp: round.rtpBp });
  // In a lost run the player tried one tile more than the number of passed tiles.
  const picks = Math.min(didWin ? step : step + 1, stepsOf(difficulty));
  const risk = () => picksRisk({ places: TILES, traps: TRAPS[difficulty], picks, rtpBp: round.rtpBp });
  return { inputs, outcome, risk, paid: payoutsOf({ ...round, ...paid }) };
}

/**
 * Returns true if a run can end in this way. A lost run ends on the tile before the trap. A won run ends on a tile of the last move, before
 * every trap.
 */
function isPossible({ step, didWin }: Run, steps: readonly number[], deadPoint: number): boolean {
  const from = steps.at(-2) ?? 0;
  const to = steps.at(-1)!;
  if (!Number.isInteger(step) || from >= deadPoint) return false;
  return didWin === true
    ? step > from && step <= to && step < deadPoint
    : step === deadPoint - 1 && to > step;
}

function isPlayable({ difficulty, steps }: MonkeyRunInputs): boolean {
  return (
    DIFFICULTIES.includes(difficulty) &&
    Array.isArray(steps) &&
    steps.every((tile, i) => Number.isInteger(tile) && tile > (steps[i - 1] ?? 0)) &&
    steps.at(-1)! <= stepsOf(difficulty)
  );
}
