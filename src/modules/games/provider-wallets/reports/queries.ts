import { sql } from 'kysely';
import { type Db, type DbOrTx, run, type Tx } from '../../../../platform/db.ts';
import { textArray } from '../../../../platform/pg-arrays.ts';
import { insertFindings, type NewFinding } from '../queries.ts';
import type { OwnRound, OwnTransaction, Window } from './comparison/rules.ts';

/** Transactions of a provider by their ids, and all that were booked within a window. */
export async function readOwn(
  db: Db,
  providerId: number,
  { ids, window: { from, to } }: { ids: readonly string[]; window: Window },
): Promise<OwnTransaction[]> {
  const { rows } = await sql<OwnTransaction>`
    with wanted as (
      select id from provider_transactions
      where provider_id = ${providerId} and transaction_id = any(${textArray(ids)}::text[])
      union
      select id from provider_transactions
      where provider_id = ${providerId} and created_at >= ${from} and created_at < ${to})
    select t.transaction_id as "transactionId", t.type, t.user_id::text as "playerId", t.currency_id as "currencyId", t.amount,
      t.status, t.refusal, t.reference, t.created_at as at, r.round_ref as round, coalesce(b.status = 'UNDONE', false) as "hasEffect"
    from wanted join provider_transactions t on t.id = wanted.id
    left join provider_rounds r on r.id = t.round_id
    left join provider_transactions b
      on t.type = 'ROLLBACK' and b.provider_id = t.provider_id and b.transaction_id = t.reference`.execute(
    db,
  );
  return rows;
}

/** Rounds by players and names. */
export async function readOwnRounds(
  db: Db,
  providerId: number,
  names: readonly { playerId: string; ref: string }[],
): Promise<OwnRound[]> {
  const players = textArray(names.map(({ playerId }) => playerId));
  const refs = textArray(names.map(({ ref }) => ref));
  const { rows } = await sql<OwnRound>`
    select r.user_id::text as "playerId", r.round_ref as ref, r.status, r.updated_at as "updatedAt"
    from unnest(${players}::text[], ${refs}::text[]) w(player_id, ref)
    join provider_rounds r on r.round_ref = w.ref and r.user_id::text = w.player_id and r.provider_id = ${providerId}`.execute(
    db,
  );
  return rows;
}

/** Which of these transactions were taken back since a time. */
export async function undoneSince(
  db: Db,
  providerId: number,
  { ids, since }: { ids: readonly string[]; since: Date },
): Promise<Set<string>> {
  const rows = await db
    .selectFrom('provider_transactions')
    .select('reference')
    .where('provider_id', '=', providerId)
    .where('type', '=', 'ROLLBACK')
    .where('created_at', '>=', since)
    .where('reference', 'in', ids)
    .execute();
  return new Set(rows.map(({ reference }) => reference!));
}

export type Watermark = { providerId: number; now: Date; watermark: Date };

/** Up to when the books of these providers were compared, to the millisecond; of a new one from `firstMs` ago on. */
export async function readWatermarks(
  db: Db,
  ids: readonly number[],
  firstMs: number,
): Promise<Map<number, Watermark>> {
  const { rows } = await sql<Watermark>`
    with known as (select provider_id, watermark from provider_reports where provider_id = any(${ids}::int4[])),
    made as (
      insert into provider_reports (provider_id, watermark)
      select id, date_trunc('milliseconds', now()) - interval '1 ms' * ${firstMs} from unnest(${ids}::int4[]) w(id)
      where id not in (select provider_id from known) on conflict do nothing returning provider_id, watermark)
    select provider_id as "providerId", watermark, now() as now from (table known union all table made) all_of_them`.execute(
    db,
  );
  return new Map(rows.map((row) => [row.providerId, row]));
}

/** Moves a watermark on. False: somebody else has moved it. */
export async function moveWatermark(
  tx: Tx,
  { providerId, watermark }: Pick<Watermark, 'providerId' | 'watermark'>,
  to: Date,
): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('provider_reports')
    .set({ watermark: to })
    .where('provider_id', '=', providerId)
    .where('watermark', '=', watermark)
    .executeTakeFirst();
  return numUpdatedRows === 1n;
}

/** Writes what was not found before; answers how much that is. */
export async function addFindings(tx: Tx, findings: readonly NewFinding[]): Promise<number> {
  if (findings.length === 0) return 0;
  const statement = insertFindings(findings);
  const added = await run(tx, { ...statement, text: `${statement.text} returning id` });
  return added.length;
}

/** How many findings of each provider are open. */
export async function countOpen(db: DbOrTx): Promise<{ slug: string; open: number }[]> {
  const { rows } = await sql<{ slug: string; open: number }>`
    select p.slug, coalesce(f.open, 0)::int as open from game_providers p left join (
      select provider_id, count(*) as open from provider_findings where status = 'OPEN' group by 1
    ) f on f.provider_id = p.id where p.id <> 0`.execute(db);
  return rows;
}

export type OpenRound = { id: bigint; userId: number; ref: string; currencyId: string; updatedAt: Date };

const ASKED = { afterHours: 24, everyHours: 24, most: 500 };
const EXPIRED = { afterDays: 30, most: 200 };
const columns = [
  'id',
  'user_id as userId',
  'round_ref as ref',
  'currency_id as currencyId',
  'updated_at as updatedAt',
] as const;

/** Rounds that are open for more than a day, in which nothing was booked for an hour, and about which the provider was not asked for a day. */
export const roundsToAsk = (db: Db, providerId: number): Promise<OpenRound[]> =>
  db
    .selectFrom('provider_rounds')
    .select(columns)
    .where('provider_id', '=', providerId)
    .where('status', '=', 'OPEN')
    .where('created_at', '<', sql<Date>`now() - interval '1 hour' * ${ASKED.afterHours}`)
    .where('updated_at', '<', sql<Date>`now() - interval '1 hour'`)
    .where((eb) =>
      eb.or([
        eb('asked_at', 'is', null),
        eb('asked_at', '<', sql<Date>`now() - interval '1 hour' * ${ASKED.everyHours}`),
      ]),
    )
    .orderBy('created_at')
    .limit(ASKED.most)
    .execute();

export async function markAsked(tx: Tx, ids: readonly bigint[]): Promise<void> {
  await sql`update provider_rounds set asked_at = now() where id = any(${ids}::int8[])`.execute(tx);
}

/** Rounds that are open for more than 30 days. */
export const roundsToExpire = (db: Db, providerId: number): Promise<OpenRound[]> =>
  db
    .selectFrom('provider_rounds')
    .select(columns)
    .where('provider_id', '=', providerId)
    .where('status', '=', 'OPEN')
    .where('created_at', '<', sql<Date>`now() - interval '1 day' * ${EXPIRED.afterDays}`)
    .orderBy('created_at')
    .limit(EXPIRED.most)
    .execute();

/** Whether no other transaction of a round is known to be missing: then the round has ended with this one. */
export async function isLastMissing(
  tx: Tx,
  { id, provider_id }: { id: bigint; provider_id: number },
  { playerId, round }: { playerId: string; round?: string | undefined },
): Promise<boolean> {
  const { rows } = await sql`
    select from provider_findings where provider_id = ${provider_id} and kind = 'MISSING_HERE' and status = 'OPEN' and id <> ${id}
      and facts->'theirs'->>'round' = ${round ?? null} and facts->'theirs'->>'playerId' = ${playerId} limit 1`.execute(
    tx,
  );
  return rows.length === 0;
}

/** Removes launches that ended more than 30 days ago, the oldest ones first; answers how many there were. All live equally long. */
export async function purgeSessions(db: Db, most: number): Promise<number> {
  const { numAffectedRows = 0n } = await sql`
    delete from provider_sessions where id in (
      select id from (select id, expires_at from provider_sessions order by id limit ${most}) oldest
      where expires_at < now() - interval '30 days')`.execute(db);
  return Number(numAffectedRows);
}
