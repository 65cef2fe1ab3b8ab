import { type RawBuilder, type Selectable, sql } from 'kysely';
import type { DbOrTx, Tx } from '../../../platform/database/db.ts';
import type { StaffValues } from '../../../platform/database/tables.ts';
import { newId } from '../../../platform/ids.ts';
import type { Units } from '../../../platform/money.ts';
import type { StaffValue } from './rules.ts';

export type ValueRow = Selectable<StaffValues>;

/** How long a proposal waits for a second person. Amounts are also added up over this period. */
const HOURS = sql.lit(24);
const SINCE = sql`now() - make_interval(hours => ${HOURS})`;

const openProposals = (db: DbOrTx, operation: string, inputs: readonly StaffValue['input'][]) =>
  db
    .selectFrom('staff_values')
    .selectAll()
    .where('operation', '=', operation)
    .where(sql<boolean>`md5(input::text) = any(array[${sql.join(inputs.map(hashOf))}])`)
    .where('carried_out_at', 'is', null)
    .where('expires_at', '>', sql<Date>`now()`)
    .orderBy('created_at')
    .orderBy('id');

const hashOf = (input: StaffValue['input']) => sql`md5(${JSON.stringify(input)}::jsonb::text)`;

/**
 * Returns open proposals for the same action, oldest first. Locks the rows, so that two people cannot carry out the same proposal
 * concurrently.
 */
export const findProposals = (tx: Tx, { operation, input }: StaffValue): Promise<ValueRow[]> =>
  openProposals(tx, operation, [input]).forUpdate().execute();

/** Returns open proposals of these actions, oldest first, without locking them. */
export const readProposals = async (
  db: DbOrTx,
  operation: string,
  inputs: readonly StaffValue['input'][],
): Promise<ValueRow[]> => (inputs.length === 0 ? [] : openProposals(db, operation, inputs).execute());

/**
 * Returns the USD value that a staff member and their connected accounts have moved within 24 hours, both without a second person
 * (`aloneUsd`) and in total (`allUsd`). The person must be locked first (lockPeople). Checks the connections only of accounts that have
 * moved something, because `users` has no index on `opened_by`.
 */
export async function sumsOfActor(tx: Tx, actorId: number): Promise<{ aloneUsd: Units; allUsd: Units }> {
  const { rows } = await sql<{ alone: string; all: string }>`
    with recursive recent as materialized (
      select actor_id, agreed_by, usd_amount, expires_at from staff_values where carried_out_at > ${SINCE}
    ), opener (of, id) as (
      select id, id from (
        values (${actorId}::int4) union select actor_id from recent union select agreed_by from recent where agreed_by is not null) a (id)
      union
      select o.of, u.opened_by from opener o join users u on u.id = o.id where u.opened_by is not null
    ), own (id) as (
      select id from opener where of = ${actorId} union select of from opener where id = ${actorId}
    )
    select coalesce(sum(usd_amount) filter (where expires_at is null), 0)::text as alone, coalesce(sum(usd_amount), 0)::text as all
    from recent where actor_id in (select id from own) or agreed_by in (select id from own)`.execute(tx);
  return { aloneUsd: BigInt(rows[0]!.alone), allUsd: BigInt(rows[0]!.all) };
}

/** Returns, for each player, the USD value that staff have moved within 24 hours without a second person. The players must be locked. */
export async function sumsOfRecipients(tx: Tx, userIds: readonly number[]): Promise<Units[]> {
  if (userIds.length === 0) return [];
  const { rows } = await sql<{ userId: number; usd: string }>`
    select user_id as "userId", sum(usd_amount)::text as usd from staff_value_recipients
    where user_id = any(${userIds}::int4[]) and alone_at > ${SINCE} group by 1`.execute(tx);
  const byId = new Map(rows.map(({ userId, usd }) => [userId, BigInt(usd)]));
  return userIds.map((id) => byId.get(id) ?? 0n);
}

type State = { expires_at: RawBuilder<Date> } | { carried_out_at: RawBuilder<Date> };

/** Stores an action that waits for a second person's approval. */
export const insertProposal = (
  tx: Tx,
  value: StaffValue,
  { actorId, id, expiresAt }: { actorId: number; id: string; expiresAt: string },
): Promise<ValueRow> =>
  insert(tx, value, { id, actorId, state: { expires_at: sql<Date>`${expiresAt}::timestamptz` } });

/** Returns the time at which a proposal that is made now will expire. */
export async function endOfProposal(tx: Tx): Promise<Date> {
  const { rows } = await sql<{ at: Date }>`select now() + make_interval(hours => ${HOURS}) as at`.execute(tx);
  return rows[0]!.at;
}

/** Stores an action that one person carried out without a second person's approval. */
export const insertAlone = (tx: Tx, value: StaffValue, actorId: number): Promise<ValueRow> =>
  insert(tx, value, { id: newId(), actorId, state: { carried_out_at: sql<Date>`now()` } });

async function insert(
  tx: Tx,
  { operation, input, usdAmount, recipients, reason }: StaffValue,
  { id, actorId, state }: { id: string; actorId: number; state: State },
): Promise<ValueRow> {
  const row = await tx
    .insertInto('staff_values')
    .values({
      id,
      operation,
      input: JSON.stringify(input),
      usd_amount: usdAmount,
      reason: reason ?? null,
      actor_id: actorId,
      ...state,
    })
    .returningAll()
    .executeTakeFirstOrThrow();
  if (recipients.length > 0)
    await tx
      .insertInto('staff_value_recipients')
      .values(
        recipients.map((recipient) => ({
          value_id: row.id,
          user_id: recipient.userId,
          usd_amount: recipient.usdAmount,
          alone_at: row.carried_out_at,
        })),
      )
      .execute();
  return row;
}

/**
 * Marks a proposal as carried out, and stores the higher of its proposed and current values. `usdAmount` is null if the value has no upper
 * limit.
 */
export async function markAgreed(
  tx: Tx,
  id: string,
  { actorId, usdAmount }: { actorId: number; usdAmount: Units | null },
): Promise<void> {
  await tx
    .updateTable('staff_values')
    .set({
      agreed_by: actorId,
      carried_out_at: sql<Date>`now()`,
      usd_amount:
        usdAmount === null
          ? null
          : sql`case when usd_amount is null then null else greatest(usd_amount, ${usdAmount}) end`,
    })
    .where('id', '=', id)
    .execute();
}
