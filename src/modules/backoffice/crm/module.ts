import { defineModule } from '../../../http/module.ts';
import type { Clock } from '../../../platform/clock.ts';
import { whileStarting } from '../../../platform/database/while-starting.ts';
import { deleteDue, overdueOf } from '../../../platform/jobs/purge.ts';
import type { Log } from '../../../platform/observability/log.ts';
import type { Metrics } from '../../../platform/observability/metrics.ts';
import { getConsents, storeConsents } from './consents.ts';
import { creditBonus, creditFunds, crmMessages, listBonuses } from './credit.ts';
import type { CrmDeps } from './key.ts';
import { REDELIVER } from './outbound/deliver.ts';
import { FUNDS_EXPIRY } from './queries.ts';
import { type Crm, type CrmOptions, createCrm } from './service.ts';
import { authenticateSession, getUserBlocks, getUserDetails } from './users.ts';

type Deps = CrmDeps & { crm: Crm; log: Log; metrics: Metrics };

/** Interval at which the messages of past minutes are created. */
const MINUTES_MS = 10_000;
const HOUR_MS = 3_600_000;

export const crm = defineModule({
  name: 'crm',
  tags: {
    'external-auth for a marketing integration': 'The owner of a session, for pages of the CRM.',
    'marketing integration': 'Reads player data and credits bonuses and cash, with the key of the CRM.',
  },
  messages: crmMessages,
  create: (before: Omit<CrmOptions, 'clock'> & { databaseClock: Clock }) => ({
    crm: createCrm({ ...before, clock: before.databaseClock }),
  }),
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
  jobs: ({ db, crm }: Deps) => [
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
  tasks: ({ crm }: Deps) => ({ [REDELIVER]: crm.redeliver }),
  subscriptions: ({ crm }: Deps) => (crm.hasUrl ? [crm.subscription] : []),
  consumers: ({ crm }: Deps) => (crm.hasUrl ? [crm.minutes.consumer] : []),
  watch: ({ crm, metrics }: Deps) => {
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
  start: ({ crm, log, config }: Deps) =>
    whileStarting({ what: 'crm', log, timeoutMs: config.DATABASE_START_TIMEOUT_MS }, async () => crm.start()),
});
