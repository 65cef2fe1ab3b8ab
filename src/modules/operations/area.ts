import type { Foundation } from '../../app/foundation.ts';
import { areaOf } from '../../http/module.ts';
import { bind } from '../../http/operation.ts';
import { whileStarting } from '../../platform/database/while-starting.ts';
import type { Accounts } from '../accounts/area.ts';
import type { Backoffice } from '../backoffice/area.ts';
import type { Base } from '../base/area.ts';
import type { Compliance } from '../compliance/area.ts';
import type { Engagement } from '../engagement/area.ts';
import type { Games } from '../games/area.ts';
import type { Money } from '../money/area.ts';
import { readBackupAge } from './backups/queries.ts';
import { debug } from './debug/module.ts';
import { createFeed } from './feed/service.ts';
import { health } from './health/module.ts';
import { createCore } from './health/service.ts';
import { logLevels } from './log-levels/module.ts';
import { createLogLevels } from './log-levels/service.ts';
import { createPartitions, partitionJobs } from './partitions/service.ts';
import { queueDebug } from './queue-debug/module.ts';
import { createQueueDebug } from './queue-debug/service.ts';
import { createRelay, relayJobs } from './relay/service.ts';

type Before = Foundation & Base & Compliance & Accounts & Money & Games & Engagement & Backoffice;

export type Operations = ReturnType<typeof createOperations>;

/** The services of this area: health, log levels, partitions, the event relay and the realtime feed. */
export function createOperations(before: Before) {
  const {
    db,
    database,
    config,
    log,
    databaseClock,
    availability,
    broker,
    watermark,
    bets,
    speedRoulette,
    chat,
  } = before;
  const core = createCore({ db, config, databaseClock, availability, log: log.named('db') });
  core.report('watermark', watermark.health, { isForReady: true });
  return {
    core,
    logLevels: createLogLevels({ db, log, databaseClock }),
    partitions: createPartitions({ db, database, log: log.named('db'), config }),
    relay: createRelay({ db, broker, log: log.named('broker') }),
    feed: createFeed({ db, bets, speedRoulette, chat, config, databaseClock }),
    queueDebug: createQueueDebug({ broker }),
  };
}

export const operations = areaOf<Before & Operations>([health, logLevels], {
  routes: (s) =>
    s.config.isDevelopment ? [...bind(debug.operations, s), ...bind(queueDebug.operations, s)] : [],
  jobs: (s) => [...partitionJobs(s.partitions), ...relayJobs(s.relay, s.idsTaken)],
  watch: (s) => {
    s.metrics.watch('croupier_backup_age_seconds', 'Time since the newest backup was finished', () =>
      readBackupAge(s.db),
    );
    s.metrics.watch(
      'croupier_outbox_lag_seconds',
      'Age of the oldest event that the broker has not received',
      s.relay.lag,
    );
  },
  start: (s) =>
    whileStarting({ what: 'partitions', log: s.log, timeoutMs: s.config.DATABASE_START_TIMEOUT_MS }, () =>
      s.partitions.ensure(),
    ),
});
