import { sql } from 'kysely';
import { type Db, type Tx, transaction } from '../../../platform/db.ts';
import type { Metrics } from '../../../platform/metrics.ts';
import { type LockedCursor, lockCursor, moveCursor, reset } from './consume.ts';
import { effectsAfter } from './effects.ts';

/** Where a consumer stands. `lagBets`: effects that it has not applied; above COUNTED_EXACTLY an estimate. */
export type ConsumerStatus = LockedCursor & {
  name: string;
  updatedAt: Date;
  lagBets: number;
  /** Age of the oldest of them. */
  lagSeconds: number;
};

const COUNTED_EXACTLY = 10_000;
/** Ids that were taken before a time may belong to transactions that commit so much later. */
const SLACK_MS = 60_000;

/** All consumers of bets. */
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

/** Stops a consumer after its current batch. What it has built stays exact, together with the effects after its cursor. */
export const pause = (db: Db, name: string): Promise<void> =>
  change(db, name, (cursor) => ({ ...cursor, pausedAt: cursor.pausedAt ?? new Date() }));

export const resume = (db: Db, name: string): Promise<void> =>
  change(db, name, (cursor) => ({ ...cursor, pausedAt: null }));

/** Resets a consumer, which then consumes every bet again. For sums that are wrong. Throws 409 BETS_DETACHED, and for one that payments rest on. */
export const rebuild = (db: Db, name: string): Promise<void> =>
  change(db, name, (cursor, tx) => {
    assertRepeatable(cursor, name);
    return reset(tx, cursor);
  });

/**
 * Reverses all effects after a position, batch by batch, and applies them again: sums are exact all the time, and nothing counts
 * twice. `from`: a position, or a time, for which it starts a little earlier. Answers the position. Throws where the consumer has
 * applied nothing after it, and for one that payments rest on.
 */
export async function replay(db: Db, name: string, from: bigint | Date): Promise<bigint> {
  const start = from instanceof Date ? await positionBefore(db, from) : from;
  await change(db, name, (cursor) => {
    assertRepeatable(cursor, name);
    if (start >= cursor.position)
      throw new RangeError(`${name} stands at ${cursor.position}: it has applied nothing after ${start}`);
    const { replayFrom: asked } = cursor;
    return { ...cursor, replayFrom: asked !== null && asked < start ? asked : start };
  });
  return start;
}

async function positionBefore(db: Db, at: Date): Promise<bigint> {
  const { rows } = await sql<{ id: bigint }>`
    select id from bet_marks where user_id = 0 and latest < ${new Date(at.getTime() - SLACK_MS)}
    order by latest desc limit 1`.execute(db);
  return rows[0] ? rows[0].id - 1n : 0n;
}

/** What was paid out cannot be counted again. */
function assertRepeatable({ paysOut }: LockedCursor, name: string): void {
  if (paysOut)
    throw new RangeError(`${name} is never replayed or rebuilt: what it has counted was paid out or told`);
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
  if (!names.includes(name)) throw new RangeError(`no consumer ${name}; there are ${names.join(', ')}`);
}

/** Every process reports the consumers in its metrics, whichever process drives them. */
export function watchConsumers(db: Db, metrics: Metrics): void {
  const figures = {
    consumer_lag_bets: 'Bets, reversals and corrections that a consumer has not applied',
    consumer_lag_seconds: 'Age of the oldest of them',
    consumer_paused: '1 while a consumer is paused',
  };
  metrics.watchEach('consumer', figures, async () =>
    (await listConsumers(db)).map(({ name, lagBets, lagSeconds, pausedAt }) => ({
      label: name,
      figures: {
        consumer_lag_bets: lagBets,
        consumer_lag_seconds: lagSeconds,
        consumer_paused: pausedAt ? 1 : 0,
      },
    })),
  );
}
