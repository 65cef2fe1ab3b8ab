import type { Area, Foundation } from '../../foundation.ts';
import type { Accounts } from '../accounts/area.ts';
import type { Backoffice } from '../backoffice/area.ts';
import type { Base } from '../base/area.ts';
import type { Compliance } from '../compliance/area.ts';
import type { Engagement } from '../engagement/area.ts';
import type { Games } from '../games/area.ts';
import type { Money } from '../money/area.ts';
import { debugRoutes } from './debug/routes.ts';
import { createDebug } from './debug/service.ts';
import { createFeed } from './feed/service.ts';
import { coreRoutes, healthRoute } from './health/routes.ts';
import { createCore } from './health/service.ts';
import { createLogLevels } from './log-levels/service.ts';
import { logLevelStaffRoutes } from './log-levels/staff.routes.ts';
import { partitionJobs } from './partitions/jobs.ts';
import { createPartitions } from './partitions/service.ts';
import { queueDebugRoutes } from './queue-debug/routes.ts';
import { createQueueDebug } from './queue-debug/service.ts';
import { relayJobs } from './relay/jobs.ts';
import { createRelay } from './relay/service.ts';

type Before = Foundation & Base & Compliance & Accounts & Money & Games & Engagement & Backoffice;

export type Operations = ReturnType<typeof createOperations>;

/** What keeps the platform running and shows how it does: health, partitions, the relay of events, the feed of the sockets. */
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
    debug: createDebug(before),
    queueDebug: createQueueDebug({ broker }),
  };
}

export const operations: Area<Before & Operations> = {
  routes: (s) => [
    ...coreRoutes(s.core),
    ...logLevelStaffRoutes(s.logLevels),
    ...(s.config.isDevelopment ? [...debugRoutes(s.debug), ...queueDebugRoutes(s.queueDebug)] : []),
  ],
  backofficeRoutes: (s) => [healthRoute(s.core, 'Health')],
  jobs: (s) => [...partitionJobs(s.partitions), ...relayJobs(s.relay, s.idsTaken)],
  watch: (s) => {
    s.metrics.watch('outbox_lag_seconds', 'Age of the oldest event that the broker has not got', s.relay.lag);
  },
  start: (s) => Promise.all([s.core.start(), s.logLevels.start(), s.partitions.ensure()]),
  close: (s) => s.logLevels.close(),
};
