import { defineModule } from '../../../http/module.ts';
import type { Config } from '../../../platform/config/config.ts';
import type { Db, DbOptions } from '../../../platform/database/db.ts';
import type { Logs } from '../../../platform/observability/log.ts';
import { limitRepeats } from '../../../platform/observability/log-repeats.ts';
import type { Metrics } from '../../../platform/observability/metrics.ts';
import type { SiteConfig } from '../../base/site-config/service.ts';
import type { PlayerCountries } from '../../compliance/countries/service.ts';
import type { Gate } from '../../compliance/gate/service.ts';
import type { Grants } from '../../money/bonus/grants.ts';
import type { Currencies } from '../../money/currencies/service.ts';
import type { Fairness } from '../fairness/service.ts';
import { type BetQueueDeps, retryBets } from './bet-queue.ts';
import { checks } from './checks.ts';
import type { BetGrants } from './lane.ts';
import { createBetting } from './place.ts';
import { createRounds } from './rounds.ts';
import { createSeries } from './series.ts';
import { createSettlement, type Settlement } from './settlement.ts';

type Before = {
  db: Db;
  database: DbOptions;
  config: Config;
  log: Logs;
  metrics: Metrics;
  siteConfig: SiteConfig;
  gate: Gate;
  playerCountries: PlayerCountries;
  currencies: Currencies;
  grants: Grants;
  fairness: Fairness;
  catalogue: { gameOf: (gameId: number) => ReturnType<BetGrants['factsOf']> };
  games: { isOn: (slug: string) => boolean };
};

/** The settlement of bets and rounds, shared by all house games. */
export const betting = defineModule({
  name: 'betting',
  tags: { AdminBetQueue: 'Rounds that could not be settled, and trying again.' },
  checks,
  create({
    db,
    database,
    config,
    metrics,
    siteConfig,
    playerCountries,
    currencies,
    games,
    ...before
  }: Before) {
    const betGrants: BetGrants = {
      factsOf: before.catalogue.gameOf,
      lowRisk: () => siteConfig.get('COMMON').promo.lowRisk,
      settle: before.grants.settleAll,
      noteProgress: before.grants.noteProgress,
    };
    const settlement = createSettlement({
      database,
      fairness: before.fairness,
      outlook: before.gate.outlook,
      grants: betGrants,
      log: limitRepeats(before.log.named('bets')),
      metrics,
      lanes: config.BET_LANES,
      batch: config.BET_BATCH,
      queue: config.BET_QUEUE,
      queuePerPlayer: config.BET_QUEUE_PER_PLAYER,
      deadlineMs: config.BET_DEADLINE_MS,
    });
    const betting = createBetting({
      currencies,
      settlement,
      isOn: games.isOn,
      minStakeOf: siteConfig.minStakeOf,
      countriesOf: playerCountries.ofBet,
    });
    const rounds = createRounds({ db, betting });
    return { betGrants, settlement, betting, rounds, series: createSeries({ siteConfig, playerCountries }) };
  },
  operations: [retryBets],
  /** Waits for bets in progress. */
  close: ({ settlement }: BetQueueDeps & { settlement: Settlement }) => settlement.close(),
});
