import { defineModule } from '../../../http/module.ts';
import type { Broker } from '../../../platform/broker/broker.ts';
import type { Config } from '../../../platform/config/config.ts';
import type { Db } from '../../../platform/database/db.ts';
import type { Logs } from '../../../platform/observability/log.ts';
import type { Metrics } from '../../../platform/observability/metrics.ts';
import type { IdsTaken } from '../../money/ledger/safe-watermark.ts';
import { createRelay, type Relay } from './service.ts';

/**
 * The maximum interval between two runs. Every event reserves an id, so there are no new events without new ids. The job still runs at this
 * interval, because an operator may have set the cursor back.
 */
const LEAST_MS = 10_000;

const HOUR_MS = 3_600_000;

type Services = {
  relay: Relay;
  idsTaken: IdsTaken;
  config: Pick<Config, 'BROKER_URL'>;
  metrics: Pick<Metrics, 'watch'>;
};

export const relay = defineModule({
  name: 'relay',
  checks: {
    N8: {
      // If no worker has ever run, nothing is published, so no event is late. In a database copy, an event is late if it was emitted more
      // than a minute before the end of the copied data, because publishing stopped then.
      'an event was not published within a minute': `select e.id, e.name, e.created_at, c.position from cursors c
        join events e on e.id > c.position
        where c.name = 'events-relay' and c.position > 0 and e.created_at < coalesce(nullif(current_setting('croupier.as_of', true), '')::timestamptz, now()) - interval '1 minute'`,
    },
  },
  create: ({ db, broker, log }: { db: Db; broker: Broker; log: Logs }) => ({
    relay: createRelay({ db, broker, log: log.named('broker') }),
  }),
  jobs: ({ relay, idsTaken, config }: Services) =>
    config.BROKER_URL === undefined
      ? [{ name: 'events.relay-off', everyMs: HOUR_MS, run: () => relay.turnOff() }]
      : [
          {
            name: 'events.relay',
            everyMs: 200,
            quietMs: 1000,
            isDue: idsTaken.since(relay.hasNews, LEAST_MS),
            run: () => relay.turn(),
          },
        ],
  watch: ({ metrics, relay }: Services) =>
    metrics.watch('croupier_outbox_lag_seconds', 'Age of the oldest event not sent to RabbitMQ', relay.lag),
});
