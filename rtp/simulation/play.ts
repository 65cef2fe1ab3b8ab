import type { Case } from './case.ts';
import { countedStream, numbersFrom, seedsOf, type Task } from './streams.ts';
import { createTally, STAKE, type Tally } from './tally.ts';

/** Plays the rounds of a task with the shipped rules. Throws if a payout is not among the case's prizes. */
export function playTask(task: Task, { prizes, spreads, play }: Case): Tally {
  const known = prizes && new Set(prizes.map(({ pays }) => Math.round(pays * STAKE)));
  const cells = spreads.map(({ chances }) => chances.length);
  const { tally, recorder, countWord } = createTally(cells, (paid) => known?.has(paid) ?? true);
  for (const seeds of seedsOf(task)) {
    const numbers = numbersFrom(seeds);
    for (let i = 0; i < task.perStream; i++) play(countedStream(numbers, countWord), recorder);
  }
  return tally;
}
