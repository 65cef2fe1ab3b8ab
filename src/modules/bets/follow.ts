import { type RawBuilder, sql } from 'kysely';
import { type Db, type DbOrTx, type Tx, transaction } from '../../platform/db.ts';
import { createHorizon } from '../ledger/horizon.ts';

/**
 * Following settled bets, each exactly once, in the order of their places: the id of a bet that was settled when it was made, the
 * settlement_id of one that was settled later. A bet that was passed while it was open comes with its settlement; one that was
 * rolled back never comes. Both lists are read by an index of their own.
 */
export type Cursor = { position: bigint; generation: number };

/** The next `batch` settled bets with places below `below`. */
export type Range = { below: bigint; batch: number };

/** Whoever follows: the name of his cursor, and how he takes in a range of bets in the transaction that moves it. */
export type Reader = {
  name: string;
  /** The version of what he makes of bets: a newer one begins anew, an older one leaves everything as it is. */
  generation?: number;
  /** Answers how many bets were taken, and the last one's place. */
  add: (tx: Tx, cursor: Cursor, range: Range) => Promise<{ taken: number; last: bigint }>;
};

const BATCH = 5000;
/** A rebuild takes many turns: the worker gets room to end between two of them. */
const TURN_MS = 2000;

export function createFollower(db: Db, reader: Reader) {
  const horizon = createHorizon(db);

  /** Takes in the next `batch` bets; answers how many. 0 says that there is nothing yet that may be taken. */
  const consume = async (batch = BATCH): Promise<number> => {
    if (!(await hasNews(db, reader))) return 0;
    const below = await horizon();
    return transaction(db, (tx) => takeIn(tx, reader, { below, batch }));
  };

  return {
    consume,
    /** Batch after batch until nothing is left, or for the time of a turn. */
    async catchUp(): Promise<void> {
      const until = performance.now() + TURN_MS;
      while ((await consume()) >= BATCH && performance.now() < until);
    },
  };
}

/** Sums and cursor move together: whatever ends the process, a bet is in both or in neither. */
export async function takeIn(tx: Tx, { name, generation, add }: Reader, range: Range): Promise<number> {
  const known = await lockCursor(tx, name);
  if (generation !== undefined && known.generation > generation) return 0;
  const isNew = generation !== undefined && known.generation < generation;
  const cursor = isNew ? { position: 0n, generation } : known;
  const { taken, last } = await add(tx, cursor, range);
  if (taken > 0 || isNew) await moveCursor(tx, name, { ...cursor, position: last });
  return taken;
}

/** Locks the cursor until the transaction ends: one consumer or rebuild at a time. */
export const lockCursor = (tx: Tx, name: string): Promise<Cursor> =>
  tx
    .selectFrom('cursors')
    .select(['position', 'generation'])
    .where('name', '=', name)
    .forUpdate()
    .executeTakeFirstOrThrow();

export async function moveCursor(tx: Tx, name: string, cursor: Cursor): Promise<void> {
  await tx
    .updateTable('cursors')
    .set({ ...cursor, updated_at: sql<Date>`now()` })
    .where('name', '=', name)
    .execute();
}

const positionOf = (name: string) => sql`(select position from cursors where name = ${sql.lit(name)})`;
export const generationOf = (name: string) =>
  sql`(select generation from cursors where name = ${sql.lit(name)})`;

const COLUMNS = sql`user_id, game_id, amount, payout, usd_amount, usd_payout`;

/** All settled bets with a place behind the cursor that `which` lets through, as a table for FROM. */
export const settledBehind = (name: string, which: RawBuilder<unknown>) => sql`(
  select id as place, ${COLUMNS} from bets
  where id > ${positionOf(name)} and settlement_id is null and status = 'SETTLED' and ${which}
  union all
  select settlement_id, ${COLUMNS} from bets
  where settlement_id > ${positionOf(name)} and status = 'SETTLED' and ${which})`;

/**
 * The next settled bets in the order of their places, as a table for FROM. Bets that share a place come together, even beyond the
 * batch: the cursor could not stop between them.
 */
export const nextSettled = (
  { position }: Pick<Cursor, 'position'>,
  { below, batch, which = sql`true` }: Range & { which?: RawBuilder<unknown> },
  more = sql``,
) => {
  const atMost = sql`fetch first (${batch}::int8) rows with ties`;
  return sql`(
  select * from (
    (select id as place, ${COLUMNS}${more} from bets
     where id > ${position} and id < ${below} and settlement_id is null and status = 'SETTLED' and ${which}
     order by id ${atMost})
    union all
    (select settlement_id, ${COLUMNS}${more} from bets
     where settlement_id > ${position} and settlement_id < ${below} and status = 'SETTLED' and ${which}
     order by settlement_id ${atMost})
  ) both_lists order by place ${atMost})`;
};

/** Whether there is any settled bet behind the cursor, or everything to be done anew. */
async function hasNews(db: DbOrTx, { name, generation = 0 }: Reader): Promise<boolean> {
  const { rows } = await sql<{ found: boolean }>`
    select ${generationOf(name)} < ${generation}::int4
      or exists (select from ${settledBehind(name, sql`true`)} behind) as found`.execute(db);
  return rows[0]!.found;
}
