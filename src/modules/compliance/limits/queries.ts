import { sql } from 'kysely';
import type { DbOrTx, Tx } from '../../../platform/database/db.ts';
import type { LimitPeriod, LimitType } from '../gate/rules.ts';
import type { LimitSource } from './rules.ts';

const EXCLUSION = [
  'id',
  'user_id as userId',
  sql<LimitSource>`source`.as('source'),
  'started_at as startedAt',
  'expires_at as expiresAt',
  'play_from as playFrom',
  'reason',
  'created_at as createdAt',
  'updated_at as updatedAt',
] as const;

/** Exclusions that prevent play at the time of the transaction. The one that ends last comes first. */
export const openExclusions = (db: DbOrTx, userId: number) =>
  db
    .selectFrom('exclusions')
    .select(EXCLUSION)
    .where('user_id', '=', userId)
    .where('lifted_at', 'is', null)
    .where('play_from', '>', sql<Date>`now()`)
    .orderBy('expires_at', 'desc')
    .orderBy('id', 'desc')
    .execute();

export type ExclusionRow = Awaited<ReturnType<typeof openExclusions>>[number];
export type NewExclusion = Pick<
  ExclusionRow,
  'userId' | 'source' | 'startedAt' | 'expiresAt' | 'playFrom' | 'reason'
> & { kind: string; by: number };

export const insertExclusion = (tx: Tx, exclusion: NewExclusion): Promise<ExclusionRow> =>
  tx
    .insertInto('exclusions')
    .values({
      user_id: exclusion.userId,
      kind: exclusion.kind,
      source: exclusion.source,
      started_at: exclusion.startedAt,
      expires_at: exclusion.expiresAt,
      play_from: exclusion.playFrom,
      reason: exclusion.reason,
      created_by: exclusion.by,
    })
    .returning(EXCLUSION)
    .executeTakeFirstOrThrow();

/** Marks exclusions as lifted. `by` is null in tests. */
export async function markLifted(
  tx: Tx,
  ids: readonly number[],
  lifted: { by: number | null; reason: string | null },
): Promise<void> {
  const now = sql<Date>`now()`;
  await tx
    .updateTable('exclusions')
    .set({
      lifted_at: now,
      updated_at: now,
      lifted_by: lifted.by,
      lift_reason: lifted.reason,
      end_told_at: now,
    })
    .where('id', 'in', ids)
    .execute();
}

/** Updates the copy of the end time, which is used by lists and profiles. */
export async function writeExcludedUntil(tx: Tx, userId: number, until: Date | null): Promise<void> {
  await tx.updateTable('users').set({ self_excluded_until: until }).where('id', '=', userId).execute();
}

/** All limits of a user, including removed ones, with their pending changes. Changes that have lapsed are not returned as pending. */
export const limitsOf = (db: DbOrTx, userId: number) =>
  db
    .selectFrom('gambling_limits as l')
    .leftJoin('gambling_limit_changes as c', (join) =>
      join
        .onRef('c.limit_id', '=', 'l.id')
        .on('c.outcome', 'is', null)
        .on('c.lapses_at', '>', sql<Date>`now()`),
    )
    .select([
      'l.id',
      'l.user_id as userId',
      sql<LimitType>`l.type`.as('type'),
      sql<LimitPeriod>`l.period`.as('period'),
      sql<LimitSource>`l.source`.as('source'),
      'l.amount',
      'l.created_at as createdAt',
      'l.updated_at as updatedAt',
      'c.id as changeId',
      'c.amount as changeAmount',
      'c.requested_at as requestedAt',
      'c.confirmable_from as confirmableFrom',
      'c.lapses_at as lapsesAt',
    ])
    .where('l.user_id', '=', userId)
    .orderBy('l.id')
    .execute();

export type LimitRow = Awaited<ReturnType<typeof limitsOf>>[number];

/** Stores the amount of a limit (null removes the limit), and returns the id of the limit. */
export async function writeLimit(
  tx: Tx,
  limit: Pick<LimitRow, 'userId' | 'type' | 'period' | 'source' | 'amount'>,
): Promise<number> {
  const { userId, type, period, source, amount } = limit;
  const { id } = await tx
    .insertInto('gambling_limits')
    .values({ user_id: userId, type, period, source, amount })
    .onConflict((oc) =>
      oc
        .columns(['user_id', 'type', 'period', 'source'])
        .doUpdateSet({ amount, updated_at: sql<Date>`now()` }),
    )
    .returning('id')
    .executeTakeFirstOrThrow();
  return id;
}

export type Outcome = 'APPLIED' | 'CONFIRMED' | 'CANCELLED' | 'LAPSED';
export type NewChange = { id: string; limitId: number; amount: bigint | null; by: number };

/** Stores a change. With `times`, the change is pending. Without them, it was applied immediately. */
export async function insertChange(
  tx: Tx,
  change: NewChange,
  times: { confirmableFrom: Date; lapsesAt: Date } | undefined,
): Promise<void> {
  const state = times
    ? { confirmable_from: times.confirmableFrom, lapses_at: times.lapsesAt }
    : { outcome: 'APPLIED', closed_at: sql<Date>`now()` };
  const { id, limitId, amount, by } = change;
  await tx
    .insertInto('gambling_limit_changes')
    .values({ id, limit_id: limitId, amount, requested_by: by, ...state })
    .execute();
}

/**
 * Ends the pending change of a limit, if there is one. The outcome of the change is `outcome`, or LAPSED if it can no longer be confirmed.
 */
export async function closeChange(tx: Tx, limitId: number, outcome: Outcome): Promise<void> {
  await tx
    .updateTable('gambling_limit_changes')
    .set({
      outcome: sql<string>`case when lapses_at > now() then ${outcome} else 'LAPSED' end`,
      closed_at: sql<Date>`now()`,
    })
    .where('limit_id', '=', limitId)
    .where('outcome', 'is', null)
    .execute();
}

/** Returns a change that needed the user's confirmation, whatever its outcome. */
export const findChange = (db: DbOrTx, userId: number, id: string) =>
  db
    .selectFrom('gambling_limit_changes as c')
    .innerJoin('gambling_limits as l', 'l.id', 'c.limit_id')
    .select([
      'l.id as limitId',
      sql<LimitType>`l.type`.as('type'),
      sql<LimitPeriod>`l.period`.as('period'),
      'c.amount',
      sql<Outcome | null>`c.outcome`.as('outcome'),
    ])
    .select((eb) => [
      eb.ref('c.confirmable_from').$notNull().as('confirmableFrom'),
      eb.ref('c.lapses_at').$notNull().as('lapsesAt'),
    ])
    .where('c.id', '=', id)
    .where('l.user_id', '=', userId)
    .where('c.lapses_at', 'is not', null)
    .executeTakeFirst();

/** Removes all limits of a user and cancels all pending changes. */
export async function removeLimits(tx: Tx, userId: number): Promise<void> {
  const limits = await limitsOf(tx, userId);
  for (const { id } of limits) await closeChange(tx, id, 'CANCELLED');
  await tx
    .updateTable('gambling_limits')
    .set({ amount: null, updated_at: sql<Date>`now()` })
    .where('user_id', '=', userId)
    .execute();
}
