import { addWords, createWordCounter, noWords, type WordSums } from '../statistics/tests.ts';

/** Amounts are integers in ten-thousandths of the first stake, so their sums stay exact over 10^9 rounds. */
export const STAKE = 10_000;

/**
 * Totals of many rounds of one case, which can be added up. `squares`: sum of squared net results. `marks`: counts for each distribution.
 */
export type Tally = {
  rounds: number;
  staked: number;
  paid: number;
  squares: number;
  marks: number[][];
  words: WordSums;
};

/** Receives a case's results while the case runs. */
export type Recorder = {
  /** Records a finished round: its stake and payout, in units (10^-8) for a first stake of one. */
  round: (staked: bigint, paid: bigint) => void;
  /** Increments a cell of a distribution. */
  mark: (spread: number, cell: number) => void;
};

function emptyTally(cells: readonly number[]): Tally {
  const marks = cells.map((size) => new Array<number>(size).fill(0));
  return { rounds: 0, staked: 0, paid: 0, squares: 0, marks, words: noWords() };
}

export function addTallies(a: Tally, b: Tally): Tally {
  return {
    rounds: a.rounds + b.rounds,
    staked: a.staked + b.staked,
    paid: a.paid + b.paid,
    squares: a.squares + b.squares,
    marks: a.marks.map((counts, i) => counts.map((count, cell) => count + b.marks[i]![cell]!)),
    words: addWords(a.words, b.words),
  };
}

/** Counts the recorded results and every word used. Throws for a payout that `isPossible` rejects. */
export function createTally(cells: readonly number[], isPossible: (paid: number) => boolean) {
  const words = createWordCounter();
  const tally: Tally = { ...emptyTally(cells), words: words.sums };
  const recorder: Recorder = {
    round(staked, paid) {
      const [stake, payout] = [inStakes(staked), inStakes(paid)];
      if (!isPossible(payout))
        throw new Error(`a bet paid ${payout / STAKE} stakes, which is not a prize in its rules`);
      tally.rounds++;
      tally.staked += stake;
      tally.paid += payout;
      tally.squares += ((payout - stake) / STAKE) ** 2;
    },
    mark(spread, cell) {
      const counts = tally.marks[spread]!;
      if (counts[cell] === undefined) throw new Error(`spread ${spread} has no cell ${cell}`);
      counts[cell]++;
    },
  };
  return { tally, recorder, countWord: words.count };
}

const UNITS_OF_STAKE = 10_000n;

/**
 * Converts units for a stake of 10^8 into ten-thousandths of that stake. Multipliers have at most four decimals, so a payout with more is
 * wrong.
 */
function inStakes(units: bigint): number {
  if (units % UNITS_OF_STAKE !== 0n) throw new Error(`${units} units are not a multiple of 0.0001 stakes`);
  return Number(units / UNITS_OF_STAKE);
}
