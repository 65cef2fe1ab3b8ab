import type { Broker } from '../../../platform/broker/broker.ts';
import type { Clock } from '../../../platform/clock.ts';
import type { Config } from '../../../platform/config/config.ts';
import type { Db } from '../../../platform/database/db.ts';
import { createOutbound } from '../../../platform/net/outbound.ts';
import type { Logs } from '../../../platform/observability/log.ts';
import type { OnConsumed } from '../../games/bets/consume.ts';
import type { Currencies } from '../../money/currencies/service.ts';
import { createDelivery, createRedelivery } from './outbound/deliver.ts';
import { createEventHandler } from './outbound/events.ts';
import { createMinutes } from './outbound/minutes.ts';
import { backlog, begin, end } from './outbound/queries.ts';
import { NAMES } from './outbound/rules.ts';

export type Crm = ReturnType<typeof createCrm>;

export type CrmOptions = {
  db: Db;
  config: Config;
  log: Logs;
  clock: Clock;
  broker: Pick<Broker, 'purge'>;
  currencies: Pick<Currencies, 'ids' | 'rateOf'>;
  onConsumed: OnConsumed;
};

/** The name of the queue on the broker. */
const QUEUE = 'crm';
/** Enough attempts to get through several minutes without a database. */
const MAX_ATTEMPTS = 100;

/** Sends players' events to the CRM if CRM_URL is set. */
export function createCrm(deps: CrmOptions) {
  const { db, config, broker } = deps;
  const origin = new URL(config.SITE_URL).host;
  const log = deps.log.named('crm');
  const outbound = createOutbound({ name: 'crm', baseUrl: config.CRM_URL ?? '', log });
  return {
    hasUrl: config.CRM_URL !== undefined,
    /** Starts to create messages. Must run before the first event that is to be sent. */
    start: () => (config.CRM_URL === undefined ? undefined : begin(db)),
    subscription: {
      queue: QUEUE,
      patterns: NAMES,
      maxAttempts: MAX_ATTEMPTS,
      handle: createEventHandler({ ...deps, origin }),
    },
    minutes: createMinutes({ ...deps, origin }),
    delivery: createDelivery({ ...deps, log, outbound, secret: config.CRM_SECRET }),
    redeliver: createRedelivery(db),
    backlog: () => backlog(db),

    /** Stops collecting messages. Also empties the queue, because it would otherwise stay bound to the broker without a consumer. */
    async end(): Promise<void> {
      await broker.purge(QUEUE);
      await end(db);
    },
  };
}
