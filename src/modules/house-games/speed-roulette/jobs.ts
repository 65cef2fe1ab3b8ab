import type { Job } from '../../../platform/jobs.ts';
import type { SpeedRoulette } from './service.ts';

/**
 * The rounds run in one process: whoever holds the job's lock takes a turn of half a second. Another worker asks for the lock
 * several times a second, so that rounds go on at once when this process dies.
 */
export const speedRouletteJobs = (speedRoulette: SpeedRoulette): Job[] => [
  { name: 'speed-roulette.rounds', everyMs: 200, run: speedRoulette.turn },
  { name: 'speed-roulette.chains', everyMs: 1000, run: speedRoulette.keepChains },
];
