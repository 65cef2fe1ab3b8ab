import { defineModule } from '../../../http/module.ts';
import { whileStarting } from '../../../platform/database/while-starting.ts';
import { deleteDue, overdueOf } from '../../../platform/jobs/purge.ts';
import type { Log } from '../../../platform/observability/log.ts';
import type { Metrics } from '../../../platform/observability/metrics.ts';
import { getConsents, storeConsents } from './consents.ts';
import { creditBonus, creditFunds, listBonuses } from './credit.ts';
import type { CrmDeps } from './key.ts';
import { REDELIVER } from './outbound/deliver.ts';
import { FUNDS_EXPIRY } from './queries.ts';
import type { Crm } from './service.ts';
import { authenticateSession, getUserBlocks, getUserDetails } from './users.ts';

type Deps = CrmDeps & { crm: Crm; log: Log; metrics: Metrics };

/** How often messages of elapsed minutes are created. */
const MINUTES_MS = 10_000;
const HOUR_MS = 3_600_000;

export const crm = defineModule<Deps>({
  name: 'crm',
  operations: [
    authenticateSession,
    getUserDetails,
    getUserBlocks,
    getConsents,
    storeConsents,
    listBonuses,
    creditBonus,
    creditFunds,
  ],
  jobs: ({ db, crm }) => [
    {
      name: 'crm.purge',
      everyMs: HOUR_MS,
      run: () => deleteDue(db, FUNDS_EXPIRY),
      overdue: [overdueOf(FUNDS_EXPIRY)],
    },
    ...(crm.hasUrl
      ? [
          { name: 'crm.minutes', everyMs: MINUTES_MS, run: () => crm.minutes.createMessages() },
          {
            name: 'crm.deliver',
            everyMs: 250,
            quietMs: 1000,
            isDue: crm.delivery.isDue,
            run: crm.delivery.run,
          },
        ]
      : [{ name: 'crm.end', everyMs: HOUR_MS, run: () => crm.end() }]),
  ],
  tasks: ({ crm }) => ({ [REDELIVER]: crm.redeliver }),
  subscriptions: ({ crm }) => (crm.hasUrl ? [crm.subscription] : []),
  consumers: ({ crm }) => (crm.hasUrl ? [crm.minutes.consumer] : []),
  watch: ({ crm, metrics }) => {
    metrics.watchAll(
      {
        croupier_crm_messages_waiting: 'Messages not yet delivered to the CRM',
        croupier_crm_oldest_waiting_seconds: 'How long the oldest message has waited for the CRM',
      },
      async () => {
        const { waiting, oldestSeconds } = await crm.backlog();
        return { croupier_crm_messages_waiting: waiting, croupier_crm_oldest_waiting_seconds: oldestSeconds };
      },
    );
  },
  start: ({ crm, log, config }) =>
    whileStarting({ what: 'crm', log, timeoutMs: config.DATABASE_START_TIMEOUT_MS }, async () => crm.start()),
});
