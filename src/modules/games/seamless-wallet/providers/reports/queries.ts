import { sql } from 'kysely';
import { textArray } from '../../../../../platform/database/arrays.ts';
import { type Db, type DbOrTx, run, type Tx } from '../../../../../platform/database/db.ts';
import type { Metrics } from '../../../../../platform/observability/metrics.ts';
import { insertFindings, type NewFinding } from '../../../../base/findings/service.ts';
import type { OwnRound, OwnTransaction, Window } from './rules.ts';

/** Reads a provider's transactions by their ids, and all transactions booked within a window. */
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

/** Reads rounds by player and by the provider's round id. */
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

/** Returns the transactions that were rolled back since a given time. */
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

/**
 * Reads the time, to the millisecond, up to which each provider's transactions were compared. For a new provider this time is `firstMs`
 * ago.
 */
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

/** Advances a watermark. Returns false if another process has already advanced it. */
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

/** Inserts new findings and returns their number. */
export async function addFindings(tx: Tx, findings: readonly NewFinding[]): Promise<number> {
  if (findings.length === 0) return 0;
  const statement = insertFindings(findings);
  const added = await run(tx, { ...statement, text: `${statement.text} returning id` });
  return added.length;
}

/** Counts the open findings of each game provider and of each other partner. */
async function countOpen(db: DbOrTx): Promise<{ slug: string; open: number }[]> {
  const { rows } = await sql<{ slug: string; open: number }>`
    select coalesce(f.partner, p.slug) as slug, coalesce(sum(f.open), 0)::int as open from game_providers p left join (
      select provider_id, partner, count(*) as open from provider_findings where status = 'OPEN' group by 1, 2
    ) f on f.provider_id = p.id group by 1`.execute(db);
  return rows;
}

/** Exports the number of open findings by provider and partner. */
export function watchFindings({ db, metrics }: { db: Db; metrics: Metrics }): void {
  const figures = { croupier_provider_findings_open: 'Open findings about a provider or another partner' };
  metrics.watchEach('provider', figures, async () =>
    (await countOpen(db)).map(({ slug, open }) => ({
      label: slug,
      figures: { croupier_provider_findings_open: open },
    })),
  );
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

/** Returns rounds that have been open for more than a day, have had no transaction for an hour, and have not been checked for a day. */
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

/** Returns rounds that have been open for more than 30 days. */
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

/** Returns true if no other transaction of the round is missing, so that the round ends when this one is booked. */
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
