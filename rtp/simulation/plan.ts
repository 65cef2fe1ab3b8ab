import type { ReturningGame } from '../games.ts';
import type { Case } from './case.ts';
import { casesOf } from './cases.ts';
import type { Task } from './streams.ts';

/** Maximum number of streams per seed pair, as for a real player. */
const MOST_STREAMS = 10_000;
/** Minimum number of tasks per case, so that progress is visible and the curves have points. */
const LEAST_PARTS = 20;

/** A case with its tasks. */
export type PlannedCase = { of: Case; tasks: readonly Task[] };

type Simulation = { run: string; games: readonly ReturningGame[]; rounds: number; perStream?: 1 | 8 };

/**
 * Divides `rounds` of each game equally among its cases. The division depends only on the arguments, so a seed gives the same result on any
 * machine.
 */
export function planCases({ run, games, rounds, perStream = 1 }: Simulation): PlannedCase[] {
  return games.flatMap((game) => {
    const cases = casesOf(game);
    const share = Math.ceil(rounds / cases.length / perStream);
    const size = Math.min(MOST_STREAMS, Math.ceil(share / LEAST_PARTS));
    return cases.map((of) => ({
      of,
      tasks: Array.from({ length: Math.ceil(share / size) }, (_, part): Task => {
        const streams = Math.min(size, share - part * size);
        return { run, game, caseName: of.name, part, streams, perStream };
      }),
    }));
  });
}

export const roundsOf = ({ streams, perStream }: Task): number => streams * perStream;
