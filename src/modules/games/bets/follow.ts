import { type RawBuilder, sql } from 'kysely';
import { type Db, type DbOrTx, type Tx, transaction } from '../../../platform/db.ts';
import { createSafeWatermark } from '../../money/ledger/safe-watermark.ts';
import { type Cursor, effectsAfter, type Range, type Slice, sliceAfter, sliceBefore } from './effects.ts';
import { betErrors } from './errors.ts';

/**
 * Following settled bets and their reversals (effects.ts), each exactly once, in the order of their places. A bet that was passed
 * while it was open comes with its settlement; one that was rolled back while it was open never comes.
 */
export type Reader = {
  /** The name of its cursor. */
  name: string;
  /** The version of what it makes of bets: a newer one begins anew, an older one leaves everything as it is. */
  version?: number;
  /** Takes in the effects of a slice, in the transaction that moves the cursor: what is built is of the slice's generation. */
  add: (tx: Tx, slice: Slice & { generation: number }) => Promise<void>;
};

/** `onTaken` hears of what was taken in, or back. */
export type Following = { onTaken?: (name: string, bets: number) => void };

const BATCH = 5000;
/** Somebody may resume, replay or rebuild a consumer while no bets are made: it is looked for so often. */
export const ASKED_FOR_MS = 5000;
/** A rebuild takes many turns: the worker gets room to end between two of them. */
const TURN_MS = 2000;

export function createFollower(db: Db, reader: Reader, { onTaken = () => {} }: Following = {}) {
  const safeWatermark = createSafeWatermark(db);
  /** The row of the cursor when nothing was left to consume. */
  let quiet: string | undefined;

  /** Takes in, or back, the next `batch` bets; answers how many. 0 says that there is nothing yet that may be taken. */
  const consume = async (batch = BATCH): Promise<number> => {
    if (!(await hasNews(db, reader))) return 0;
    const below = await safeWatermark();
    const taken = await transaction(db, (tx) => takeIn(tx, reader, { below, batch }));
    onTaken(reader.name, taken);
    return taken;
  };

  return {
    consume,
    /** Whether anything is left that may be taken. */
    hasNews: async (wereIdsTaken = true): Promise<boolean> => {
      // Without new ids there is nothing new behind a cursor that stands as it did: the lists of bets need not be asked.
      const cursor = await readCursor(db, reader.name);
      if (!wereIdsTaken && cursor === quiet) return false;
      const found = await hasNews(db, reader);
      quiet = found ? undefined : cursor;
      return found;
    },
    /** Batch after batch until nothing is left, or for the time of a turn. */
    async catchUp(): Promise<void> {
      const until = performance.now() + TURN_MS;
      while ((await consume()) >= BATCH && performance.now() < until);
    },
  };
}

/** Sums and cursor move together: whatever ends the process, a bet is in both or in neither. */
export async function takeIn(tx: Tx, { name, version, add }: Reader, range: Range): Promise<number> {
  const known = await lockCursor(tx, name);
  if (known.pausedAt || (version !== undefined && known.version > version)) return 0;
  const isNew = version !== undefined && known.version < version;
  const cursor = isNew ? { ...begunAnew(known), version } : known;
  if (isNew) await moveCursor(tx, name, cursor);
  const { replayFrom: from } = cursor;
  if (from !== null && from < cursor.position) {
    const { slice, found } = await sliceBefore(tx, cursor.position, { from, batch: range.batch });
    await add(tx, { ...slice, generation: cursor.generation });
    const isDone = slice.after === from;
    await moveCursor(tx, name, { ...cursor, position: slice.after, replayFrom: isDone ? null : from });
    return found;
  }
  const next = await sliceAfter(tx, cursor.position, range);
  if (!next) return 0;
  await add(tx, { ...next.slice, generation: cursor.generation });
  await moveCursor(tx, name, { ...cursor, position: next.slice.upTo });
  return next.found;
}

/** A cursor with what stands beside it. */
export type Locked = Cursor & { version: number; pausedAt: Date | null; replayFrom: bigint | null };

/** Throws where what was detached would be lost: sums are built from bets. */
export async function assertAllThere(tx: Tx): Promise<void> {
  const { rows } = await sql<{ part: string }>`
    select part from parts_away where list = 'bets' and rows > 0 order by below limit 1`.execute(tx);
  const [first] = rows;
  if (first) throw betErrors.BETS_DETACHED({ part: first.part });
}

export const begunAnew = (cursor: Locked): Locked => ({
  ...cursor,
  position: 0n,
  generation: cursor.generation + 1,
  replayFrom: null,
});

/** Locks the cursor until the transaction ends: one consumer or rebuild at a time. */
export const lockCursor = (tx: Tx, name: string): Promise<Locked> =>
  tx
    .selectFrom('cursors')
    .select(['position', 'generation', 'version', 'paused_at as pausedAt', 'replay_from as replayFrom'])
    .where('name', '=', name)
    .forUpdate()
    .executeTakeFirstOrThrow();

/** The cursor must be locked. */
export async function moveCursor(tx: Tx, name: string, cursor: Locked): Promise<void> {
  const { position, generation, version, pausedAt, replayFrom } = cursor;
  await tx
    .updateTable('cursors')
    .set({ position, generation, version, paused_at: pausedAt, replay_from: replayFrom })
    .set({ updated_at: sql<Date>`now()` })
    .where('name', '=', name)
    .execute();
}

/** All that stands in the row of the cursor. */
async function readCursor(db: DbOrTx, name: string): Promise<string> {
  const { rows } = await sql<{ cursor: string }>`
    select cursors::text as cursor from cursors where name = ${name}`.execute(db);
  return rows[0]!.cursor;
}

/** Whether there is any effect behind the cursor, or something to be done anew. Without an order every bet might be looked at. */
async function hasNews(db: DbOrTx, { name, version = 0 }: Reader): Promise<boolean> {
  const first = (place: RawBuilder<unknown>) => sql`order by ${place} limit 1`;
  const { rows } = await sql<{ found: boolean }>`
    select c.paused_at is null and (c.version < ${version}::int4 or coalesce(c.replay_from < c.position, false)
      or exists (select from ${effectsAfter(sql`c.position`, { rest: first })} behind)) as found
    from cursors c where c.name = ${name}`.execute(db);
  return rows[0]!.found;
}
