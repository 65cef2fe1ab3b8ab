import { defineModule } from '../../../http/module.ts';
import type { Clock } from '../../../platform/clock.ts';
import type { Config } from '../../../platform/config/config.ts';
import type { Db } from '../../../platform/database/db.ts';
import { whileStarting } from '../../../platform/database/while-starting.ts';
import { deleteDue, overdueOf } from '../../../platform/jobs/purge.ts';
import { createOutbound } from '../../../platform/net/outbound.ts';
import type { Log, Logs } from '../../../platform/observability/log.ts';
import type { Metrics } from '../../../platform/observability/metrics.ts';
import type { OnConsumed } from '../../games/bets/consume.ts';
import type { Currencies } from '../../money/currencies/service.ts';
import type { IdsTaken } from '../../money/ledger/safe-watermark.ts';
import { getConsents, storeConsents } from './consents.ts';
import { creditBonus, creditFunds, crmMessages, listBonuses } from './credit.ts';
import type { CrmDeps } from './key.ts';
import { createDelivery, createRedelivery, REDELIVER } from './outbound/deliver.ts';
import { createEventMessages } from './outbound/events.ts';
import { createMinutes } from './outbound/minutes.ts';
import { backlog, begin, end } from './outbound/queries.ts';
import { FUNDS_EXPIRY } from './queries.ts';
import { authenticateSession, getUserBlocks, getUserDetails } from './users.ts';

type Crm = ReturnType<typeof createCrm>;

type CrmOptions = {
  db: Db;
  config: Config;
  log: Logs;
  clock: Clock;
  currencies: Pick<Currencies, 'ids' | 'rateOf'>;
  onConsumed: OnConsumed;
};

/** Sends players' events to the CRM if CRM_URL is set. */
function createCrm(deps: CrmOptions) {
  const { db, config } = deps;
  const origin = new URL(config.SITE_URL).host;
  const log = deps.log.named('crm');
  const outbound = createOutbound({ name: 'crm', baseUrl: config.CRM_URL ?? '', log });
  return {
    hasUrl: config.CRM_URL !== undefined,
    /** Starts to create messages. Must be called before the first event that is to be sent. */
    start: () => (config.CRM_URL === undefined ? undefined : begin(db)),
    events: createEventMessages({ ...deps, log, origin }),
    minutes: createMinutes({ ...deps, origin }),
    delivery: createDelivery({ ...deps, log, outbound, secret: config.CRM_SECRET }),
    redeliver: createRedelivery(db),
    backlog: () => backlog(db),
    /** Stops collecting messages. */
    end: () => end(db),
  };
}

type Deps = CrmDeps & { crm: Crm; idsTaken: IdsTaken; log: Log; metrics: Metrics };

/** The maximum interval between two checks for events. Every event reserves an id, so there are no new events without new ids. */
const LEAST_MS = 10_000;
/** The interval at which messages about past minutes are created. */
const MINUTES_MS = 10_000;
const HOUR_MS = 3_600_000;

export const crm = defineModule({
  name: 'crm',
  tags: {
    'external-auth for a marketing integration': 'The owner of a session, for pages of the CRM.',
    'marketing integration': 'Reads player data and credits bonuses and cash, with the key of the CRM.',
  },
  messages: crmMessages,
  checks: {
    N10: {
      'a CRM cash credit does not match exactly one ledger entry': `
        select encode(c.hash, 'hex') as hash, coalesce(c.entry_id, m.entry_id) as entry_id, c.user_id, c.key, m.lines, m.user_id as paid_to
        from (select c.*, e.key from crm_credits c left join ledger_entries e on e.id = c.entry_id where c.entry_id is not null) c
        full join (
          select entry_id, count(*) as lines, min(user_id) as user_id, bool_and(debit = 103 and credit = 1) as is_right
          from ledger_lines where kind = 'crm.funds' group by 1) m using (entry_id)
        where c.hash is null or c.key is distinct from 'crm:' || encode(c.hash, 'hex')
          or entry_id >= archived_below('ledger_lines') and (m.lines, m.user_id, m.is_right) is distinct from (1, c.user_id, true)`,
      'CRM grants do not match CRM credits': `
        select g.id, g.user_id, g.source, encode(c.hash, 'hex') as hash, c.user_id as credited_to
        from (select * from crm_credits where grant_id is not null) c
        full join (select * from promo_grants where source = 'CRM') g on g.id = c.grant_id
        where (g.user_id, g.source_key) is distinct from (c.user_id, g.promo_id || ':crm:' || encode(c.hash, 'hex'))`,
    },
  },
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
  jobs: ({ db, crm, idsTaken }: Deps) => [
    {
      name: 'crm.purge',
      everyMs: HOUR_MS,
      run: () => deleteDue(db, FUNDS_EXPIRY),
      overdue: [overdueOf(FUNDS_EXPIRY)],
    },
    ...(crm.hasUrl
      ? [
          {
            name: 'crm.events',
            everyMs: 250,
            quietMs: 1000,
            isDue: idsTaken.since(crm.events.hasNews, LEAST_MS),
            run: (closing?: AbortSignal) => crm.events.createMessages(closing).finally(crm.delivery.wake),
          },
          {
            name: 'crm.minutes',
            everyMs: MINUTES_MS,
            isDue: crm.minutes.isDue,
            run: () => crm.minutes.createMessages().finally(crm.delivery.wake),
          },
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
