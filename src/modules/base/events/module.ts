import { sql } from 'kysely';
import { defineModule } from '../../../http/module.ts';
import type { Config } from '../../../platform/config/config.ts';
import { untilNone } from '../../../platform/database/batches.ts';
import type { Db } from '../../../platform/database/db.ts';
import { DAY_SECONDS, overdueOf } from '../../../platform/jobs/purge.ts';
import { baseEvents } from './schemas.ts';

/** Events up to this id have been published to RabbitMQ and passed to the CRM, if they are configured. */
const DONE = sql`(select min(position) from cursors where name in ('events-relay', 'crm-events'))`;

/** The number of events that one statement deletes, which limits the statement's duration. */
const BATCH = 5000;

/** Deletes one batch of events older than `days`. */
const deleteOldEvents = (days: number) => sql`
  delete from events where id in (
    select id from (select id, created_at from events order by id limit ${BATCH}) oldest where created_at < now() - ${days} * interval '1 day'
      and id <= ${DONE})`;

type Deps = { db: Db; config: Pick<Config, 'EVENTS_KEEP_DAYS'> };

export const events = defineModule<Deps>({
  name: 'events',
  events: baseEvents,
  jobs: ({ db, config: { EVENTS_KEEP_DAYS: days } }) => [
    {
      name: 'events.purge',
      everyMs: 60_000,
      run: () => untilNone(db, deleteOldEvents(days)),
      overdue: [
        overdueOf({ table: 'events', after: 'created_at', keepSeconds: days * DAY_SECONDS, by: 'id' }),
      ],
    },
  ],
});
