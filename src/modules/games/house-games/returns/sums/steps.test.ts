/** Rounds with many steps, limited by maxProfit. The player chooses when to stop, which must not bias the counted amounts. */
import { describe, expect, test } from 'vitest';
import { ONE } from '../../../../../platform/money.ts';
import { type Next, payoutsOf } from '../../../betting/rules.ts';
import { stream } from '../../../fairness/hash.ts';
import { autoSpinMines, minesMultiplier } from '../../mines/rules.ts';
import { playMonkeyRun, stepMultiplier } from '../../monkey-run/rules.ts';
import { PICK_SCALE } from '../../rules.ts';
import { judge } from '../alerts/rules.ts';
import { addSums, bandOf, NORMAL, noSums, sumsOf } from './rules.ts';

const rtpBp = 9900;
const STAKE = 1000n * ONE;
const MAX_PROFIT = 100_000n * ONE;
const terms = { betUsd: STAKE, stake: STAKE, rate: ONE, decimals: 8, maxProfitUsd: MAX_PROFIT };

type Ended = { outcome: object; paid: bigint };
type Way = {
  game: string;
  inputs: object;
  places: number;
  traps: number;
  /** The step at which the player stops or the round ends. */
  steps: number;
  pays: (step: number) => bigint;
  outcome: (tried: number, isLost: boolean, multiplier: number) => object;
  play: (next: Next) => Ended;
};

const grid = { gridCellsCount: 25, bombsCount: 3 };
const cells = { ...grid, cellIndices: Array.from({ length: 19 }, (_, cell) => cell) };
const mines: Way = {
  game: 'mines',
  inputs: cells,
  places: 25,
  traps: 3,
  steps: 19,
  pays: (k) => minesMultiplier(grid, k, rtpBp),
  outcome: (opened, _, multiplier) => ({ bombs: [], opened, multiplier }),
  play: (next) => {
    const { outcome, multiplier, scale } = autoSpinMines(cells, { terms, rtpBp }, next);
    return { outcome, paid: payoutsOf({ ...terms, multiplier, scale }).payoutUsd };
  },
};
/** The player moves to the last of 15 tiles, although maxProfit is reached at the eleventh. */
const hard = { difficulty: 'HARD', steps: [15] } as const;
const monkeyRun: Way = {
  game: 'monkey-run',
  inputs: hard,
  places: 20,
  traps: 5,
  steps: 11,
  pays: (k) => stepMultiplier('HARD', k, rtpBp),
  outcome: (tried, isLost, multiplier) => ({ step: isLost ? tried - 1 : tried, didWin: !isLost, multiplier }),
  play: (next) => {
    const round = { ...terms, rtpBp, state: { difficulty: 'HARD', steps: [], step: 0 } as const };
    const { end } = playMonkeyRun({ ...round, state: { ...round.state, steps: [] } }, 15, next);
    if (!end || end === 'void') throw new Error('the round goes on');
    return { outcome: end.outcome, paid: end.paid.payoutUsd };
  },
};

const counted = ({ game, inputs }: Way, { outcome, paid }: Ended) =>
  sumsOf({ game, inputs, outcome, rtpBp, paid, bets: 1, stake: STAKE, maxProfit: MAX_PROFIT });

/** All possible ends of a round, with their probabilities. */
function endsOf(way: Way) {
  const { places, traps, steps } = way;
  const ends: { chance: number; sums: ReturnType<typeof sumsOf> }[] = [];
  let reached = 1;
  for (let step = 1; step <= steps; step++) {
    const safe = (places - traps - step + 1) / (places - step + 1);
    const lost = { outcome: way.outcome(step, true, 0), paid: 0n };
    ends.push({ chance: reached * (1 - safe), sums: counted(way, lost) });
    reached *= safe;
  }
  const multiplier = way.pays(steps);
  const outcome = way.outcome(steps, false, Number(multiplier) / Number(PICK_SCALE));
  const paid = payoutsOf({ ...terms, multiplier, scale: PICK_SCALE }).payoutUsd;
  return [...ends, { chance: reached, sums: counted(way, { outcome, paid }) }];
}

describe.each([mines, monkeyRun])('$game to step $steps, where maxProfit limits the win', (way) => {
  const ends = endsOf(way);
  const mean = (of: (sums: ReturnType<typeof sumsOf>) => number) =>
    ends.reduce((sum, { chance, sums }) => sum + chance * of(sums), 0);

  test('computes the theoretical RTP and counts no outcome separately', () => {
    expect(ends).toHaveLength(way.steps + 1);
    expect(mean(() => 1)).toBeCloseTo(1, 12);
    for (const { sums } of ends) expect(sums).toMatchObject({ bets: 1n, apartBets: 0n, expected: 990 });
    // The multiplier is rounded down to ten-thousandths. The exact multiplier for mines is 113.85.
    if (way === mines) expect(mean((sums) => sums.counted)).toBeCloseTo(990, 9);
    const roundedOff = 990 - mean((sums) => sums.counted);
    expect(roundedOff).toBeGreaterThan(-1e-9);
    expect(roundedOff).toBeLessThan(1e-3);
  });

  test('keeps the amount actually paid, which results in a lower RTP', () => {
    const last = ends.at(-1)!.sums;
    expect(last.paid).toBe(STAKE + MAX_PROFIT);
    expect(last.counted).toBeGreaterThan(110_000);
    expect(mean((sums) => Number(sums.paid) / 1e8)).toBeLessThan(900);
  });

  test('computes a mean variance equal to that of the counted amounts', () => {
    const exact = mean((sums) => sums.counted ** 2) - mean((sums) => sums.counted) ** 2;
    expect(mean((sums) => sums.variance) / exact).toBeCloseTo(1, 3);
  });

  test('raises no alert in repeated sets of 3,000 rounds', () => {
    const verdicts = Array.from({ length: 10 }, (_, set) => {
      let sums = noSums();
      for (let nonce = 0; nonce < 3000; nonce++)
        sums = addSums(sums, counted(way, way.play(stream('of-steps', `client-${set}`, nonce))));
      expect(sums).toMatchObject({ bets: 3000n, apartBets: 0n });
      expect(bandOf(sums, NORMAL)!.actual).toBeGreaterThan(0);
      return judge(way.game, sums);
    });
    expect(verdicts).not.toContain('FAR');
    expect(verdicts.filter((verdict) => verdict === 'INSIDE').length).toBeGreaterThanOrEqual(8);
  }, 240_000);
});
