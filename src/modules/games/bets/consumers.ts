import { sql } from 'kysely';
import { type Db, type Tx, transaction } from '../../../platform/db.ts';
import type { Metrics } from '../../../platform/metrics.ts';
import { effectsAfter } from './effects.ts';
import { assertAllThere, begunAnew, type Locked, lockCursor, moveCursor } from './follow.ts';

/** Where a consumer stands. `behind`: effects that it has not taken in; beyond COUNTED_EXACTLY about so many. */
export type Consumer = Locked & {
  name: string;
  updatedAt: Date;
  behind: number;
  /** Age of the oldest of them. */
  behindSeconds: number;
};

const COUNTED_EXACTLY = 10_000;
/** Transactions that were under way at a time have ids that were taken before it. */
const SLACK_MS = 60_000;

/** Everything that follows bets, with how far it is behind. */
export async function listConsumers(db: Db): Promise<Consumer[]> {
  const next = (most: number) =>
    effectsAfter(sql`c.position`, {
      more: sql`, updated_at`,
      rest: (place) => sql`order by ${place} limit ${sql.lit(most)}`,
    });
  const marked = (where = sql`true`) =>
    sql`coalesce((select max(rows) from bet_marks where user_id = 0 and ${where}), 0)`;
  const { rows } = await sql<Consumer>`
    select c.name, c.position, c.generation, c.version, c.paused_at as "pausedAt", c.replay_from as "replayFrom",
      c.updated_at as "updatedAt", coalesce(extract(epoch from now() - first.at), 0)::float8 as "behindSeconds",
      (case when counted.n <= ${COUNTED_EXACTLY} then counted.n
        else greatest(counted.n, ${marked()} - ${marked(sql`id <= c.position`)}) end)::float8 as behind
    from cursors c
    cross join lateral (
      select count(*) as n from (
        select from ${next(COUNTED_EXACTLY + 1)} behind limit ${COUNTED_EXACTLY + 1}
      ) rows_behind) counted
    left join lateral (
      select case when sign < 0 then updated_at else at end as at from ${next(1)} behind order by place limit 1) first on true
    where c.follows = 'bets' order by c.name`.execute(db);
  return rows;
}

/** Stops a consumer after the batch that it is in; what it has built stays exact for whoever reads on behind its cursor. */
export const pause = (db: Db, name: string): Promise<void> =>
  change(db, name, (cursor) => ({ ...cursor, pausedAt: cursor.pausedAt ?? new Date() }));

export const resume = (db: Db, name: string): Promise<void> =>
  change(db, name, (cursor) => ({ ...cursor, pausedAt: null }));

/**
 * Begins anew: what was built counts no longer, and every bet is taken in again. For sums that are wrong. Throws 409 BETS_DETACHED
 * where not all bets are there.
 */
export const rebuild = (db: Db, name: string): Promise<void> =>
  change(db, name, async (cursor, tx) => {
    await assertAllThere(tx);
    return begunAnew(cursor);
  });

/**
 * Takes everything behind a place back, batch by batch, and then in again: sums are exact all the time, and nothing counts twice.
 * `from`: a place, or a time; of a time it begins a little earlier. Answers the place. Throws where nothing was taken in behind it.
 */
export async function replay(db: Db, name: string, from: bigint | Date): Promise<bigint> {
  const place = from instanceof Date ? await placeBefore(db, from) : from;
  await change(db, name, (cursor) => {
    if (place >= cursor.position)
      throw new RangeError(`${name} stands at ${cursor.position}: it has taken in nothing behind ${place}`);
    const { replayFrom: asked } = cursor;
    return { ...cursor, replayFrom: asked !== null && asked < place ? asked : place };
  });
  return place;
}

async function placeBefore(db: Db, at: Date): Promise<bigint> {
  const { rows } = await sql<{ id: bigint }>`
    select id from bet_marks where user_id = 0 and latest < ${new Date(at.getTime() - SLACK_MS)}
    order by latest desc limit 1`.execute(db);
  return rows[0] ? rows[0].id - 1n : 0n;
}

type Change = (cursor: Locked, tx: Tx) => Locked | Promise<Locked>;

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

/** Figures of the consumers for whoever asks this process for metrics, whichever process drives them. */
export function watchConsumers(db: Db, metrics: Metrics): void {
  const figures = {
    consumer_lag_bets: 'Bets and reversals that a consumer has not taken in',
    consumer_lag_seconds: 'Age of the oldest of them',
    consumer_paused: '1 while a consumer is paused',
  };
  metrics.watchEach('consumer', figures, async () =>
    (await listConsumers(db)).map(({ name, behind, behindSeconds, pausedAt }) => ({
      label: name,
      figures: {
        consumer_lag_bets: behind,
        consumer_lag_seconds: behindSeconds,
        consumer_paused: pausedAt ? 1 : 0,
      },
    })),
  );
}
