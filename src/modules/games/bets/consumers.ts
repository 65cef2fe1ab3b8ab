import { sql } from 'kysely';
import { type Db, type Tx, transaction } from '../../../platform/database/db.ts';
import type { Metrics } from '../../../platform/observability/metrics.ts';
import { type LockedCursor, lockCursor, moveCursor, reset } from './consume.ts';
import { effectsAfter } from './effects.ts';

/** Progress of a consumer. `lagBets` is the number of effects not applied yet, exact up to COUNTED_EXACTLY and estimated above it. */
export type ConsumerStatus = LockedCursor & {
  name: string;
  updatedAt: Date;
  lagBets: number;
  /** Age of the oldest effect not applied yet. */
  lagSeconds: number;
};

const COUNTED_EXACTLY = 10_000;
/** Maximum time between the reservation of ids and the commit of a transaction. */
const SLACK_MS = 60_000;

/** Returns all bet consumers with their lag. */
export async function listConsumers(db: Db): Promise<ConsumerStatus[]> {
  const next = (most: number) =>
    effectsAfter(sql`c.position`, {
      more: sql`, updated_at`,
      rest: (position) => sql`order by ${position} limit ${sql.lit(most)}`,
    });
  const marked = (where = sql`true`) =>
    sql`coalesce((select max(rows) from bet_marks where user_id = 0 and ${where}), 0)`;
  const { rows } = await sql<ConsumerStatus>`
    select c.name, c.position, c.generation, c.version, c.paused_at as "pausedAt", c.pays_out as "paysOut", c.replay_from as "replayFrom",
      c.updated_at as "updatedAt", coalesce(extract(epoch from now() - first.at), 0)::float8 as "lagSeconds",
      (case when counted.n <= ${COUNTED_EXACTLY} then counted.n
        else greatest(counted.n, ${marked()} - ${marked(sql`id <= c.position`)}) end)::float8 as "lagBets"
    from cursors c
    cross join lateral (
      select count(*) as n from (
        select from ${next(COUNTED_EXACTLY + 1)} effects limit ${COUNTED_EXACTLY + 1}
      ) capped) counted
    left join lateral (
      select case when sign < 0 then updated_at else at end as at from ${next(1)} effects order by position, sign limit 1) first on true
    where c.follows = 'bets' order by c.name`.execute(db);
  return rows;
}

/** Stops a consumer after its current batch. Its results stay exact, but do not include the effects after its cursor. */
export const pause = (db: Db, name: string): Promise<void> =>
  change(db, name, (cursor) => ({ ...cursor, pausedAt: cursor.pausedAt ?? new Date() }));

export const resume = (db: Db, name: string): Promise<void> =>
  change(db, name, (cursor) => ({ ...cursor, pausedAt: null }));

/**
 * Resets a consumer to repair wrong sums: it then consumes every bet again. Throws 409 BETS_DETACHED. Also throws if the consumer's results
 * were paid out.
 */
export const rebuild = (db: Db, name: string): Promise<void> =>
  change(db, name, (cursor, tx) => {
    assertRepeatable(cursor, name);
    return reset(tx, cursor);
  });

/**
 * Reverses all effects after a position, batch by batch, and applies them again. Sums stay exact in the meantime. `from` is a position or a
 * time; with a time, the replay starts slightly earlier. Returns the position from which it starts. Throws if the consumer has applied no
 * effects after that position, or if its results were paid out.
 */
export async function replay(db: Db, name: string, from: bigint | Date): Promise<bigint> {
  const start = from instanceof Date ? await positionBefore(db, from) : from;
  await change(db, name, (cursor) => {
    assertRepeatable(cursor, name);
    if (start >= cursor.position)
      throw new RangeError(
        `the cursor of ${name} is at ${cursor.position}: nothing after ${start} was applied`,
      );
    const { replayFrom: earlier } = cursor;
    return { ...cursor, replayFrom: earlier !== null && earlier < start ? earlier : start };
  });
  return start;
}

async function positionBefore(db: Db, at: Date): Promise<bigint> {
  const { rows } = await sql<{ id: bigint }>`
    select id from bet_marks where user_id = 0 and latest < ${new Date(at.getTime() - SLACK_MS)}
    order by latest desc limit 1`.execute(db);
  return rows[0] ? rows[0].id - 1n : 0n;
}

/** Results that were paid out cannot be reversed and applied again. */
function assertRepeatable({ paysOut }: LockedCursor, name: string): void {
  if (paysOut)
    throw new RangeError(`${name} cannot be replayed or rebuilt: its results were paid out or sent`);
}

type Change = (cursor: LockedCursor, tx: Tx) => LockedCursor | Promise<LockedCursor>;

const change = (db: Db, name: string, to: Change): Promise<void> =>
  transaction(db, async (tx) => {
    await assertConsumer(tx, name);
    await moveCursor(tx, name, await to(await lockCursor(tx, name), tx));
  });

async function assertConsumer(tx: Tx, name: string): Promise<void> {
  const rows = await tx
    .selectFrom('cursors')
    .select('name')
    .where('follows', '=', 'bets')
    .orderBy('name')
    .execute();
  const names = rows.map((row) => row.name);
  if (!names.includes(name)) throw new RangeError(`unknown consumer ${name}; consumers: ${names.join(', ')}`);
}

/** Every process reports the lag of all consumers, regardless of which process runs them. */
export function watchConsumers(db: Db, metrics: Metrics): void {
  const figures = {
    croupier_consumer_lag_bets: 'Bets, reversals and corrections that a consumer has not applied',
    croupier_consumer_lag_seconds: 'Age of the oldest one that a consumer has not applied',
    croupier_consumer_paused: '1 while a consumer is paused',
  };
  metrics.watchEach('consumer', figures, async () =>
    (await listConsumers(db)).map(({ name, lagBets, lagSeconds, pausedAt }) => ({
      label: name,
      figures: {
        croupier_consumer_lag_bets: lagBets,
        croupier_consumer_lag_seconds: lagSeconds,
        croupier_consumer_paused: pausedAt ? 1 : 0,
      },
    })),
  );
}
