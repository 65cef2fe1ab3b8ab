import { defineModule } from '../../../../http/module.ts';
import type { Job } from '../../../../platform/jobs/jobs.ts';
import type { Logs } from '../../../../platform/observability/log.ts';
import type { BetGrants } from '../../betting/lane.ts';
import type { HouseGameDeps } from '../common.ts';
import { getConfig, getInfo, listChains, placeBet } from './bet.ts';
import { createSpeedRoulette, type SpeedRoulette } from './service.ts';

/** Maximum duration of a run. A run mostly waits for phases to end. */
const TURN_MS = 10_000;
/** How often to check while no new chain is needed. A chain that is nearly used up still has a thousand rounds left. */
const CHAINS_LEAST_MS = 5000;

type Before = Omit<Parameters<typeof createSpeedRoulette>[0], 'grants' | 'log'> & {
  betGrants: BetGrants;
  log: Logs;
};
type Services = HouseGameDeps & { speedRoulette: SpeedRoulette };

export const speedRoulette = defineModule({
  name: 'speed-roulette',
  create: ({ betGrants: grants, log, ...before }: Before) => ({
    speedRoulette: createSpeedRoulette({ ...before, grants, log: log.named('bets') }),
  }),
  operations: [placeBet, getConfig, getInfo, listChains],
  jobs: ({ speedRoulette }: Services) => [roundsJob(speedRoulette), chainsJob(speedRoulette)],
  close: ({ speedRoulette }: Services) => speedRoulette.close(),
});

/**
 * One process runs the rounds: the worker that holds the job's lock. The other workers try to take the lock several times a second, so if
 * that worker dies, rounds continue within a second.
 */
const roundsJob = ({ turn }: SpeedRoulette): Job => ({
  name: 'speed-roulette.rounds',
  everyMs: 200,
  run: (closing) => turn(TURN_MS, closing),
});

function chainsJob({ keepChains }: SpeedRoulette): Job {
  let isComplete = false;
  let checkedAt = 0;
  return {
    name: 'speed-roulette.chains',
    everyMs: 1000,
    isDue: () => !isComplete || performance.now() - checkedAt >= CHAINS_LEAST_MS,
    run: async () => {
      checkedAt = performance.now();
      isComplete = await keepChains();
    },
  };
}
