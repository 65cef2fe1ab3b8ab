import type { Job } from '../../../../platform/jobs.ts';
import type { SpeedRoulette } from './service.ts';

/** Most of a turn is sleep until the end of a phase. */
const TURN_MS = 10_000;
/** While nothing is missing. A chain that is short has a thousand rounds left. */
const CHAINS_LEAST_MS = 5000;

/**
 * The rounds run in one process: the worker that holds the job's lock takes a turn. Others ask for the lock
 * several times a second, so that rounds go on within a second when it dies.
 */
export function speedRouletteJobs(speedRoulette: SpeedRoulette): Job[] {
  let isKept = false;
  let keptAt = 0;
  return [
    {
      name: 'speed-roulette.rounds',
      everyMs: 200,
      run: (closing) => speedRoulette.turn(TURN_MS, closing),
    },
    {
      name: 'speed-roulette.chains',
      everyMs: 1000,
      isDue: () => !isKept || performance.now() - keptAt >= CHAINS_LEAST_MS,
      run: async () => {
        keptAt = performance.now();
        isKept = await speedRoulette.keepChains();
      },
    },
  ];
}
