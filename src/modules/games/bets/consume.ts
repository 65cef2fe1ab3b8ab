import { type RawBuilder, sql } from 'kysely';
import type { Consumer as BetConsumer } from '../../../http/module.ts';
import { type Db, type DbOrTx, type Tx, transaction } from '../../../platform/database/db.ts';
import type { Job } from '../../../platform/jobs/jobs.ts';
import { createSafeWatermark, type IdsTaken } from '../../money/ledger/safe-watermark.ts';
import { type Cursor, effectsAfter, type Limits, type Slice, sliceAfter, sliceBefore } from './effects.ts';
import { betErrors } from './schemas.ts';

/**
 * A consumer of the effects of bets (effects.ts). It receives each effect exactly once, in order of sequence position. If a bet was open
 * when the cursor passed it, its effect is consumed when the bet is settled. A bet that was rolled back while open has no effect.
 */
export type Consumer = {
  /** Name of the consumer's cursor. */
  name: string;
  /** Version of the calculation. A newer version resets the consumer; a process with an older version does nothing. */
  version?: number;
  /** How often the worker checks for new effects. Default: one second. */
  everyMs?: number;
  /** Applies the effects of a slice in the transaction that moves the cursor. The rows that it writes have the slice's generation. */
  apply: (tx: Tx, slice: Slice & { generation: number }) => Promise<void>;
};

/** Called with the number of effects that a consumer has applied or reversed. */
export type OnConsumed = (name: string, effects: number) => void;

const BATCH = 5000;
/** The cursor is read this often even without new bets, because staff may resume, replay or rebuild a consumer at any time. */
const CURSOR_READ_EVERY_MS = 5000;
/** A run starts no further batch after this time. A rebuild takes many runs, and the worker can stop between two of them. */
const RUN_MS = 2000;

export function createConsumer(db: Db, consumer: Consumer, onConsumed: OnConsumed = () => {}) {
  const safeWatermark = createSafeWatermark(db);
  /** The cursor's row at the time of the last check that found nothing to consume. */
  let idle: string | undefined;

  /** Consumes the next batch. Returns its number of effects, or 0 if there are none below the safe watermark. */
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
    /** Returns true if there are effects to consume. */
    hasNews: async (wereIdsTaken = true): Promise<boolean> => {
      // If no new ids were reserved and the cursor has not moved, there are no new effects, so the bets need not be queried.
      const cursor = await readCursor(db, consumer.name);
      if (!wereIdsTaken && cursor === idle) return false;
      const found = await hasEffects(db, consumer);
      idle = found ? undefined : cursor;
      return found;
    },
    /** Consumes batches until no effects are left, but stops after RUN_MS. */
    async catchUp(): Promise<void> {
      const until = performance.now() + RUN_MS;
      while ((await consume()) >= BATCH && performance.now() < until);
    },
  };
}

/** The worker's job for a consumer. */
export const consumerJob = ({ name, everyMs, hasNews, catchUp }: BetConsumer, ids: IdsTaken): Job => ({
  name: `${name}.consume`,
  everyMs,
  isDue: ids.since(hasNews, CURSOR_READ_EVERY_MS),
  run: () => catchUp(),
});

/** Updates sums and cursor in one transaction, so that a crash cannot leave them inconsistent. */
export async function consumeBatch(
  tx: Tx,
  { name, version, apply }: Consumer,
  limits: Limits,
): Promise<number> {
  const locked = await lockCursor(tx, name);
  if (locked.pausedAt || (version !== undefined && locked.version > version)) return 0;
  const isNew = version !== undefined && locked.version < version;
  const cursor = isNew ? { ...resetOf(locked), version } : locked;
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

/**
 * A cursor's row, read under its lock. `paysOut` is true if the results were paid out or sent to others. Such a consumer can be neither
 * replayed nor rebuilt.
 */
export type LockedCursor = Cursor & {
  version: number;
  pausedAt: Date | null;
  replayFrom: bigint | null;
  paysOut: boolean;
};

/** Returns a cursor that restarts the consumer from the first bet, which invalidates its previous results. Throws 409 BETS_DETACHED. */
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

/** Throws 409 BETS_DETACHED if a month with bets is detached, because a rebuild could not read these bets. */
async function assertAllAttached(tx: Tx): Promise<void> {
  const { rows } = await sql<{ part: string }>`
    select part from parts_away where list = 'bets' and rows > 0 order by below limit 1`.execute(tx);
  const [first] = rows;
  if (first) throw betErrors.BETS_DETACHED({ part: first.part });
}

/** Locks the cursor until the transaction ends, so that one consumer or rebuild runs at a time. */
export const lockCursor = (tx: Tx, name: string): Promise<LockedCursor> =>
  tx
    .selectFrom('cursors')
    .select(['position', 'generation', 'version', 'pays_out as paysOut'])
    .select(['paused_at as pausedAt', 'replay_from as replayFrom'])
    .where('name', '=', name)
    .forUpdate()
    .executeTakeFirstOrThrow();

/** Writes the cursor, which must be locked. */
export async function moveCursor(tx: Tx, name: string, cursor: LockedCursor): Promise<void> {
  const { position, generation, version, pausedAt, replayFrom } = cursor;
  await tx
    .updateTable('cursors')
    .set({ position, generation, version, paused_at: pausedAt, replay_from: replayFrom })
    .set({ updated_at: sql<Date>`now()` })
    .where('name', '=', name)
    .execute();
}

/** Returns the cursor's row as a string, for comparison. */
async function readCursor(db: DbOrTx, name: string): Promise<string> {
  const { rows } = await sql<{ cursor: string }>`
    select cursors::text as cursor from cursors where name = ${name}`.execute(db);
  return rows[0]!.cursor;
}

/**
 * Returns true if there is an effect after the cursor, or if a reset or replay is due. Without the ORDER BY, PostgreSQL might scan every
 * bet.
 */
async function hasEffects(db: DbOrTx, { name, version = 0 }: Consumer): Promise<boolean> {
  const first = (position: RawBuilder<unknown>) => sql`order by ${position} limit 1`;
  const { rows } = await sql<{ found: boolean }>`
    select c.paused_at is null and (c.version < ${version}::int4 or coalesce(c.replay_from < c.position, false)
      or exists (select from ${effectsAfter(sql`c.position`, { rest: first })} effects)) as found
    from cursors c where c.name = ${name}`.execute(db);
  return rows[0]!.found;
}
