import { defineModule } from '../../../../http/module.ts';
import type { Clock } from '../../../../platform/clock.ts';
import type { Config } from '../../../../platform/config/config.ts';
import { deleteDue, overdueOf } from '../../../../platform/jobs/purge.ts';
import type { Logs } from '../../../../platform/observability/log.ts';
import { limitRepeats } from '../../../../platform/observability/log-repeats.ts';
import type { Metrics } from '../../../../platform/observability/metrics.ts';
import { FREE_ROUNDS } from '../../../money/bonus/grants/free-rounds.ts';
import { SESSION_EXPIRY } from '../engine/sessions.ts';
import { type CallbackDeps, callbacks } from './callbacks.ts';
import { checks } from './checks.ts';
import { createGameProviders, type GameProviders } from './dialects/registry.ts';
import { createFreeRounds, type FreeRoundOptions, type FreeRoundsService } from './free-rounds.ts';
import { type LaunchDeps, launchGame } from './launch.ts';
import { checkOpenRounds, compareReports, type ExpireDeps, expireRounds } from './reports/compare.ts';
import { type ApplyDeps, applyFinding, closeFinding } from './reports/decisions.ts';
import { listFindings } from './reports/list.ts';
import { watchFindings } from './reports/queries.ts';
import { createProviderWallets, type WalletOptions } from './wallet.ts';

const HOUR_MS = 3_600_000;

type Services = LaunchDeps &
  CallbackDeps &
  ApplyDeps &
  ExpireDeps & { freeRounds: FreeRoundsService; metrics: Metrics };

/** The connections to game providers. The catalogue imports games through them. */
export const gameProviders = defineModule({
  name: 'game-providers',
  tags: {
    'Sportsbook external (auth)': "Signing the sportsbook in, and the key that verifies its players' tokens.",
    'Sportsbook external': "The sportsbook's view of players, and its transactions on their money.",
  },
  create: ({ config, log, databaseClock: clock }: { config: Config; log: Logs; databaseClock: Clock }) => ({
    gameProviders: createGameProviders({ config, log: log.named('bets'), clock }),
  }),
});

type Before = Omit<WalletOptions, 'getProvider' | 'freeRounds' | 'log'> & {
  grants: FreeRoundOptions['grants'];
  gameProviders: GameProviders;
  log: Logs;
};

/** Provider games: launches, the wallet that providers call, and the comparison with providers' reports. */
export const providerGames = defineModule({
  name: 'provider-games',
  checks,
  create({ grants, gameProviders, ...before }: Before) {
    const log = limitRepeats(before.log.named('bets'));
    const freeRounds = createFreeRounds({ db: before.db, grants, providers: () => gameProviders.all });
    return {
      providerLog: log,
      freeRounds,
      providerWallets: createProviderWallets({ ...before, freeRounds, getProvider: gameProviders.get, log }),
    };
  },
  operations: [launchGame, ...callbacks, listFindings, applyFinding, closeFinding],
  jobs: (deps: Services) => [
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
  tasks: ({ freeRounds }: Services) => ({ [FREE_ROUNDS]: freeRounds.run }),
  watch: watchFindings,
});
