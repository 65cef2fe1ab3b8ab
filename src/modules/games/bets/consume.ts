import { type RawBuilder, sql } from 'kysely';
import { type Db, type DbOrTx, type Tx, transaction } from '../../../platform/db.ts';
import type { Job } from '../../../platform/jobs.ts';
import type { IdsTaken } from '../../money/ledger/ids-taken.ts';
import { createSafeWatermark } from '../../money/ledger/safe-watermark.ts';
import { type Cursor, effectsAfter, type Limits, type Slice, sliceAfter, sliceBefore } from './effects.ts';
import { betErrors } from './errors.ts';

/**
 * What consumes the effects of bets (effects.ts), each exactly once, in the order of their positions. A bet that the cursor passed
 * while it was open comes with its settlement; one that was rolled back while it was open never comes.
 */
export type Consumer = {
  /** The name of its cursor. */
  name: string;
  /** The version of what it makes of bets. A newer one resets the consumer; a process that has an older one does nothing. */
  version?: number;
  /** How often the worker looks for news: every second, unless said otherwise. */
  everyMs?: number;
  /** Applies the effects of a slice, in the transaction that moves the cursor. Rows that it writes are of the slice's generation. */
  apply: (tx: Tx, slice: Slice & { generation: number }) => Promise<void>;
};

/** Is told how many effects a consumer has applied or reversed. */
export type OnConsumed = (name: string, effects: number) => void;

const BATCH = 5000;
/** Staff may resume, replay or rebuild a consumer while no bets are made, so its cursor is read this often. */
const CURSOR_READ_EVERY_MS = 5000;
/** A rebuild takes many turns, so that the worker can stop between two of them. */
const TURN_MS = 2000;

export function createConsumer(db: Db, consumer: Consumer, onConsumed: OnConsumed = () => {}) {
  const safeWatermark = createSafeWatermark(db);
  /** The row of the cursor when nothing was left to consume. */
  let idle: string | undefined;

  /** Consumes the next batch; answers how many effects it had. 0: there are none yet below the safe watermark. */
  const consume = async (batch = BATCH): Promise<number> => {
    if (!(await hasEffects(db, consumer))) return 0;
    const below = await safeWatermark();
    const consumed = await transaction(db, (tx) => consumeBatch(tx, consumer, { below, batch }));
    onConsumed(consumer.name, consumed);
    return consumed;
  };

  return {
    name: consumer.name,
    everyMs: consumer.everyMs ?? 1000,
    consume,
    /** Whether anything is left to consume. */
    hasNews: async (wereIdsTaken = true): Promise<boolean> => {
      // Without new ids nothing new can follow a cursor that has not moved: the lists of bets need not be asked.
      const cursor = await readCursor(db, consumer.name);
      if (!wereIdsTaken && cursor === idle) return false;
      const found = await hasEffects(db, consumer);
      idle = found ? undefined : cursor;
      return found;
    },
    /** Batch after batch until nothing is left, or for the time of a turn. */
    async catchUp(): Promise<void> {
      const until = performance.now() + TURN_MS;
      while ((await consume()) >= BATCH && performance.now() < until);
    },
  };
}

/** A consumer as its area hands it out (`consumers` in area.ts). */
export type BetConsumer = ReturnType<typeof createConsumer>;

/** The job of a consumer. */
export const consumerJob = ({ name, everyMs, hasNews, catchUp }: BetConsumer, ids: IdsTaken): Job => ({
  name: `${name}.consume`,
  everyMs,
  isDue: ids.since(hasNews, CURSOR_READ_EVERY_MS),
  run: () => catchUp(),
});

/** Sums and cursor move together: whatever ends the process, an effect is in both or in neither. */
export async function consumeBatch(
  tx: Tx,
  { name, version, apply }: Consumer,
  limits: Limits,
): Promise<number> {
  const known = await lockCursor(tx, name);
  if (known.pausedAt || (version !== undefined && known.version > version)) return 0;
  const isNew = version !== undefined && known.version < version;
  const cursor = isNew ? { ...resetOf(known), version } : known;
  if (isNew) await moveCursor(tx, name, cursor);
  const { replayFrom: from } = cursor;
  if (from !== null && from < cursor.position) {
    const { slice, found } = await sliceBefore(tx, cursor.position, { from, batch: limits.batch });
    await apply(tx, { ...slice, generation: cursor.generation });
    const isDone = slice.after === from;
    await moveCursor(tx, name, { ...cursor, position: slice.after, replayFrom: isDone ? null : from });
    return found;
  }
  const next = await sliceAfter(tx, cursor.position, limits);
  if (!next) return 0;
  await apply(tx, { ...next.slice, generation: cursor.generation });
  await moveCursor(tx, name, { ...cursor, position: next.slice.upTo });
  return next.found;
}

/** The whole row of a cursor, read under its lock. `paysOut`: what the consumer has built was paid out, or told others, so it goes forward alone. */
export type LockedCursor = Cursor & {
  version: number;
  pausedAt: Date | null;
  replayFrom: bigint | null;
  paysOut: boolean;
};

/** The cursor of a consumer that starts from the first bet again: what it has built no longer counts. Throws 409 BETS_DETACHED. */
export async function reset(tx: Tx, cursor: LockedCursor): Promise<LockedCursor> {
  await assertAllAttached(tx);
  return resetOf(cursor);
}

const resetOf = (cursor: LockedCursor): LockedCursor => ({
  ...cursor,
  position: 0n,
  generation: cursor.generation + 1,
  replayFrom: null,
});

/** Sums that are built from the first bet on would miss the bets of detached months. */
async function assertAllAttached(tx: Tx): Promise<void> {
  const { rows } = await sql<{ part: string }>`
    select part from parts_away where list = 'bets' and rows > 0 order by below limit 1`.execute(tx);
  const [first] = rows;
  if (first) throw betErrors.BETS_DETACHED({ part: first.part });
}

/** Locks the cursor until the transaction ends: one consumer or rebuild at a time. */
export const lockCursor = (tx: Tx, name: string): Promise<LockedCursor> =>
  tx
    .selectFrom('cursors')
    .select(['position', 'generation', 'version', 'pays_out as paysOut'])
    .select(['paused_at as pausedAt', 'replay_from as replayFrom'])
    .where('name', '=', name)
    .forUpdate()
    .executeTakeFirstOrThrow();

/** The cursor must be locked. */
export async function moveCursor(tx: Tx, name: string, cursor: LockedCursor): Promise<void> {
  const { position, generation, version, pausedAt, replayFrom } = cursor;
  await tx
    .updateTable('cursors')
    .set({ position, generation, version, paused_at: pausedAt, replay_from: replayFrom })
    .set({ updated_at: sql<Date>`now()` })
    .where('name', '=', name)
    .execute();
}

/** The whole row of the cursor as text, to compare. */
async function readCursor(db: DbOrTx, name: string): Promise<string> {
  const { rows } = await sql<{ cursor: string }>`
    select cursors::text as cursor from cursors where name = ${name}`.execute(db);
  return rows[0]!.cursor;
}

/** Whether there is an effect after the cursor, or a reset or replay to do. Without an order every bet might be looked at. */
async function hasEffects(db: DbOrTx, { name, version = 0 }: Consumer): Promise<boolean> {
  const first = (position: RawBuilder<unknown>) => sql`order by ${position} limit 1`;
  const { rows } = await sql<{ found: boolean }>`
    select c.paused_at is null and (c.version < ${version}::int4 or coalesce(c.replay_from < c.position, false)
      or exists (select from ${effectsAfter(sql`c.position`, { rest: first })} effects)) as found
    from cursors c where c.name = ${name}`.execute(db);
  return rows[0]!.found;
}
