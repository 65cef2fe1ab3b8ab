import { type Selectable, sql } from 'kysely';
import type { Tips } from '../../../platform/database.ts';
import type { Db, DbOrTx, Tx } from '../../../platform/db.ts';
import type { Ordered } from '../../../platform/list/ordered.ts';
import type { Units } from '../../../platform/money.ts';
import type { Direction } from './rules.ts';

export type TipRow = Selectable<Tips>;
type Parties = { senderId: number; recipientId: number };
export type NewTip = Parties & {
  currencyId: string;
  amount: Units;
  usdAmount: Units;
  message: string | null;
  isPublic: boolean;
};
/** Dollars that were sent and received. */
export type Moved = { sentUsd: Units; receivedUsd: Units };

const TODAY = sql`(now() at time zone 'UTC')::date`;

/** What players have sent and received since the UTC day of the transaction began, by user id. */
export async function readToday(db: DbOrTx, userIds: readonly number[]): Promise<Map<number, Moved>> {
  const { rows } = await sql<Moved & { userId: number }>`
    select user_id as "userId", sent_usd as "sentUsd", received_usd as "receivedUsd" from tip_days
    where user_id = any(${userIds}::int4[]) and day = ${TODAY}`.execute(db);
  const moved = new Map(rows.map((row) => [row.userId, row]));
  return new Map(userIds.map((id) => [id, moved.get(id) ?? { sentUsd: 0n, receivedUsd: 0n }]));
}

/** Counts a tip for both, who must be locked. */
export async function addToToday(
  tx: Tx,
  { senderId, recipientId, usdAmount }: Parties & { usdAmount: Units },
): Promise<void> {
  await sql`
    insert into tip_days as d (user_id, day, sent_usd, received_usd)
    select user_id, ${TODAY}, sent, received
    from (values (${senderId}::int4, ${usdAmount}::int8, 0::int8), (${recipientId}::int4, 0::int8, ${usdAmount}::int8)) v(user_id, sent, received)
    order by user_id
    on conflict (user_id, day) do update
      set sent_usd = d.sent_usd + excluded.sent_usd, received_usd = d.received_usd + excluded.received_usd`.execute(
    tx,
  );
}

/** Answers the id of the new row. */
export async function insertTip(tx: Tx, tip: NewTip): Promise<number> {
  const { id } = await tx
    .insertInto('tips')
    .values({
      sender_id: tip.senderId,
      recipient_id: tip.recipientId,
      currency_id: tip.currencyId,
      amount: tip.amount,
      usd_amount: tip.usdAmount,
      message: tip.message,
      is_public: tip.isPublic,
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  return id;
}

type Order = {
  direction?: Direction | undefined;
  sortBy: 'createdAt' | 'usdAmount';
  sortOrder: 'asc' | 'desc';
};

/** The tips of a player, sent or received or both. */
export const tipsOf = (userId: number, { direction, sortBy, sortOrder }: Order): Ordered => ({
  table: 'tip_sides',
  id: 'id',
  key: sortBy === 'createdAt' ? 'created_at' : 'usd_amount',
  isDescending: sortOrder === 'desc',
  bounds: [
    sql`tip_sides.user_id = ${userId}`,
    ...(direction === undefined ? [] : [sql`tip_sides.direction = ${direction}`]),
  ],
  conditions: [],
});

/** In the order of the ids. */
export async function readTips(db: Db, ids: readonly number[]): Promise<TipRow[]> {
  if (ids.length === 0) return [];
  const rows = await db.selectFrom('tips').selectAll().where('id', 'in', ids).execute();
  const byId = new Map(rows.map((row) => [row.id, row]));
  return ids.map((id) => byId.get(id)!);
}
