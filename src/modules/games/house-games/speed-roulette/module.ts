import { defineModule } from '../../../../http/module.ts';
import type { Job } from '../../../../platform/jobs/jobs.ts';
import type { Logs } from '../../../../platform/observability/log.ts';
import type { BetGrants } from '../../betting/lane.ts';
import type { HouseGameDeps } from '../settings.ts';
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
  checks: {
    N4: {
      'the status of a bet does not match its shared round': `
        select b.id, b.status, b.round_id, r.phase from bets b join games g on g.id = b.game_id
        left join speed_rounds r on r.id = b.round_id
        where (b.round_id is not null or g.slug = 'speed-roulette') and (r.id is null or b.created_at >= r.started_at + r.betting_ms * interval '1 millisecond'
          or not case when b.reversal_id is null then b.status else 'SETTLED' end = any(case when r.phase in ('BETTING', 'WAITING') then '{CREATED}'::text[]
            when r.phase = 'VOID' then '{ROLLBACK,ERROR}'::text[] || case when r.settled_at is null then '{CREATED}'::text[] end
            else '{SETTLED,ERROR}'::text[] || case when r.settled_at is null then '{CREATED}'::text[] end end))`,
    },
  },
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
