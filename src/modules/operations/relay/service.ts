import { sql } from 'kysely';
import type { Broker } from '../../../platform/broker/broker.ts';
import type { Db } from '../../../platform/database/db.ts';
import { AppError } from '../../../platform/errors.ts';
import type { Log } from '../../../platform/observability/log.ts';
import { createSafeWatermark, reservedBelow } from '../../money/ledger/safe-watermark.ts';

export type Relay = ReturnType<typeof createRelay>;

/** The broker message about an event. The message has the event's name as its pattern and the event's id as its id. */
type EventMessage = {
  at: string;
  /** The player to whom the event belongs, or null if it does not belong to one player. */
  userId: number | null;
  room: string;
  data: unknown;
};

const BATCH = 500;
/** A run ends after this time, so that the worker can stop between two runs. */
const TURN_MS = 2000;

/**
 * Publishes all events to RabbitMQ, in the order of their ids, at least once. It reads only up to the safe watermark, below which no
 * event can be added later. The cursor is moved after the broker has confirmed the events. Only one process may run this at a time.
 */
export function createRelay({ db, broker, log }: { db: Db; broker: Broker; log: Log }) {
  const safeWatermark = createSafeWatermark(db);
  let isAway = false;

  /** Publishes the next events and returns their number. */
  const relay = async (batch: number): Promise<number> => {
    const position = await readPosition(db);
    if (position === OFF) await movePosition(db, OFF, (await reservedBelow(db)) - 1n);
    if (position === OFF || !(await hasEventsBehind(db, position))) return 0;
    const events = await nextEvents(db, { position, below: await safeWatermark(), batch });
    const last = events.at(-1);
    if (!last) return 0;
    await broker.publishAll(events.map(messageOf));
    // If another process took over in the meantime, it has published these events too and continues from its own cursor.
    return (await movePosition(db, position, last.id)) ? events.length : 0;
  };
  return {
    lag: () => lagOf(db),
    /** Returns true if events are waiting to be published, or if the relay was turned off. */
    hasNews: async () => {
      const position = await readPosition(db);
      return position === OFF || hasEventsBehind(db, position);
    },
    /** Stops the relay in an installation without RabbitMQ. If RabbitMQ is configured later, it gets the events from then on. */
    turnOff: async (): Promise<void> => {
      await db.updateTable('cursors').set({ position: OFF }).where('name', '=', CURSOR).execute();
    },
    /** Publishes batch after batch until no events are left or the run's time limit is reached. An outage of the broker is logged once. */
    async turn(): Promise<void> {
      const until = performance.now() + TURN_MS;
      try {
        while ((await relay(BATCH)) === BATCH && performance.now() < until);
        if (isAway) log.info({}, 'events reach the broker again');
        isAway = false;
      } catch (error) {
        if (!(error instanceof AppError)) throw error;
        if (!isAway) log.warn({ code: error.code }, 'events wait for the broker');
        isAway = true;
      }
    },
  };
}

const messageOf = ({ id, user_id, room, name, data, created_at }: EventRow) => ({
  id: String(id),
  pattern: name,
  data: {
    at: created_at.toISOString(),
    userId: user_id === 0 ? null : user_id,
    room,
    data,
  } satisfies EventMessage,
});

/** The name of the cursor. Events with ids up to the cursor's position have been published. */
const CURSOR = 'events-relay';
/**
 * The position of the cursor while RabbitMQ is not configured. It is after every event, so a relay of version 0.1.0 publishes nothing either.
 */
const OFF = 9_223_372_036_854_775_807n;
const POSITION = sql`(select position from cursors where name = ${CURSOR})`;

type EventRow = {
  id: bigint;
  user_id: number;
  room: string;
  name: string;
  data: unknown;
  created_at: Date;
};

async function readPosition(db: Db): Promise<bigint> {
  const { position } = await db
    .selectFrom('cursors')
    .select('position')
    .where('name', '=', CURSOR)
    .executeTakeFirstOrThrow();
  return position;
}

/** Moves the cursor. Returns false if another process has moved it in the meantime. */
async function movePosition(db: Db, from: bigint, to: bigint): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('cursors')
    .set({ position: to, updated_at: sql<Date>`now()` })
    .where('name', '=', CURSOR)
    .where('position', '=', from)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

async function hasEventsBehind(db: Db, position: bigint): Promise<boolean> {
  const { rows } = await sql<{ found: boolean }>`
    select exists (select from events where id > ${position}) as found`.execute(db);
  return rows[0]!.found;
}

const nextEvents = (
  db: Db,
  { position, below, batch }: { position: bigint; below: bigint; batch: number },
): Promise<EventRow[]> =>
  db
    .selectFrom('events')
    .select(['id', 'user_id', 'room', 'name', 'data', 'created_at'])
    .where('id', '>', position)
    .where('id', '<', below)
    .orderBy('id')
    .limit(batch)
    .execute();

/** Returns how many seconds the oldest unpublished event has waited, or 0 if there is no such event or no RabbitMQ. */
async function lagOf(db: Db): Promise<number> {
  const { rows } = await sql<{ seconds: number }>`
    select extract(epoch from now() - created_at)::float8 as seconds from events
    where id > ${POSITION} order by id limit 1`.execute(db);
  return Math.max(0, rows[0]?.seconds ?? 0);
}
