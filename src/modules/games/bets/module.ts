import { defineModule } from '../../../http/module.ts';
import type { Metrics } from '../../../platform/observability/metrics.ts';
import { marksJob } from '../../money/ledger/marked-list.ts';
import type { IdsTaken } from '../../money/ledger/safe-watermark.ts';
import { watchConsumers } from './consumers.ts';
import { getHouseBet, getProviderBet, listBets, listLiveBets, listOwnLiveBets } from './list.ts';
import { rollBackBet } from './roll-back.ts';
import { searchBets, searchBetsByQuery, searchBetsInBackoffice } from './search.ts';
import type { BetDeps } from './service.ts';

export const bets = defineModule<BetDeps & { idsTaken: IdsTaken; metrics: Metrics }>({
  name: 'bets',
  operations: [listBets, getHouseBet, getProviderBet, listLiveBets, listOwnLiveBets, searchBets, rollBackBet],
  backoffice: { operations: [searchBetsInBackoffice, searchBetsByQuery], without: '/admin', tag: 'Bets' },
  jobs: ({ bets, idsTaken }) => [marksJob('bets.marks', bets, idsTaken)],
  watch: ({ db, metrics }) => watchConsumers(db, metrics),
});
