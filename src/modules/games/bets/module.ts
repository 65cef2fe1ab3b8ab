import { defineModule } from '../../../http/module.ts';
import type { Config } from '../../../platform/config/config.ts';
import type { Db } from '../../../platform/database/db.ts';
import type { Metrics } from '../../../platform/observability/metrics.ts';
import { marksJob } from '../../money/ledger/marked-list.ts';
import type { IdsTaken } from '../../money/ledger/safe-watermark.ts';
import { checks } from './checks.ts';
import { watchConsumers } from './consumers.ts';
import {
  getHouseBet,
  getProviderBet,
  listBets,
  listLiveBets,
  listLiveBetsPublicly,
  listOwnLiveBets,
} from './list.ts';
import { rollBackBet } from './roll-back.ts';
import { searchBets, searchBetsByQuery, searchBetsInBackoffice } from './search.ts';
import { type BetDeps, type BetOptions, createBets } from './service.ts';

type Before = Pick<BetOptions, 'lastPlayed' | 'scenery'> & {
  db: Db;
  reads: Db;
  config: Config;
  catalogue: { beside: BetOptions['beside'] };
};
type Services = BetDeps & { idsTaken: IdsTaken; metrics: Metrics };

export const bets = defineModule({
  name: 'bets',
  tags: {
    Bets: "A player's own bets, their details and live feeds. In the backoffice: search of all bets.",
    'Admin Bets': 'Search and rollback of bets.',
  },
  checks,
  create: ({ catalogue, config, ...before }: Before) => ({
    bets: createBets({
      ...before,
      beside: catalogue.beside,
      highRollerUsd: config.LIVE_BETS_HIGH_ROLLER_USD,
      luckyMultiplier: config.LIVE_BETS_LUCKY_MULTIPLIER,
    }),
  }),
  operations: [
    listBets,
    getHouseBet,
    getProviderBet,
    listLiveBets,
    listLiveBetsPublicly,
    listOwnLiveBets,
    searchBets,
    rollBackBet,
  ],
  backoffice: { operations: [searchBetsInBackoffice, searchBetsByQuery], without: '/admin', tag: 'Bets' },
  jobs: ({ bets, idsTaken }: Services) => [marksJob('bets.marks', bets, idsTaken)],
  watch: ({ db, metrics }: Services) => watchConsumers(db, metrics),
});
