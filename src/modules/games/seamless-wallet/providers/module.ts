import { defineModule } from '../../../../http/module.ts';
import { deleteDue, overdueOf } from '../../../../platform/jobs/purge.ts';
import type { Metrics } from '../../../../platform/observability/metrics.ts';
import { FREE_ROUNDS } from '../../../money/bonus/grants/free-rounds.ts';
import { SESSION_EXPIRY } from '../engine/sessions.ts';
import { type CallbackDeps, callbacks } from './callbacks.ts';
import type { FreeRoundsService } from './free-rounds.ts';
import { type LaunchDeps, launchGame } from './launch.ts';
import { checkOpenRounds, compareReports, type ExpireDeps, expireRounds } from './reports/compare.ts';
import { type ApplyDeps, applyFinding, closeFinding } from './reports/decisions.ts';
import { listFindings } from './reports/list.ts';
import { watchFindings } from './reports/queries.ts';

const HOUR_MS = 3_600_000;

type Services = LaunchDeps &
  CallbackDeps &
  ApplyDeps &
  ExpireDeps & { freeRounds: FreeRoundsService; metrics: Metrics };

/** Games of providers: launches, the wallet that providers call, and the comparison of books. */
export const providerGames = defineModule<Services>({
  name: 'provider-games',
  operations: [launchGame, ...callbacks, listFindings, applyFinding, closeFinding],
  jobs: (deps) => [
    { name: 'providers.compare', everyMs: HOUR_MS, run: () => compareReports(deps) },
    {
      name: 'providers.rounds',
      everyMs: HOUR_MS,
      async run() {
        await checkOpenRounds(deps);
        await expireRounds(deps);
      },
    },
    {
      name: 'providers.sessions',
      everyMs: HOUR_MS,
      run: () => deleteDue(deps.db, SESSION_EXPIRY),
      overdue: [overdueOf(SESSION_EXPIRY)],
    },
  ],
  tasks: ({ freeRounds }) => ({ [FREE_ROUNDS]: freeRounds.run }),
  watch: watchFindings,
});
