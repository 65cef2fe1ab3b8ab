import { type RawBuilder, type Selectable, sql } from 'kysely';
import type { z } from 'zod';
import type { AdminTips } from '../../../platform/database.ts';
import type { Db, Tx } from '../../../platform/db.ts';
import { type Conditions, conditionsOf } from '../../../platform/list/conditions.ts';
import type { Ordered } from '../../../platform/list/ordered.ts';
import type { Units } from '../../../platform/money.ts';
import { searchFor } from '../../base/users/rules.ts';
import type { AdminTipQuery, ReceivedAdminTipQuery } from './schemas.ts';

export type AdminTipKind = 'TIP' | 'DEDUCTION';
export type AdminTip = Omit<Selectable<AdminTips>, 'kind'> & { kind: AdminTipKind };
export type NewAdminTip = {
  kind: AdminTipKind;
  senderId: number;
  recipientId: number;
  currencyId: string;
  amount: Units;
  usdAmount: Units;
  notes: string;
  tag: string | null;
};

/** Dollars that a member of staff has given and taken since the UTC day of the transaction began. They must be locked. */
export async function movedToday(tx: Tx, senderId: number): Promise<Units> {
  const { rows } = await sql<{ usd: string }>`
    select coalesce(sum(usd_amount), 0) as usd from admin_tips
    where sender_id = ${senderId} and created_at >= date_trunc('day', now(), 'UTC')`.execute(tx);
  return BigInt(rows[0]!.usd);
}

/** Answers the id of the new row. */
export async function insertAdminTip(tx: Tx, tip: NewAdminTip): Promise<number> {
  const { id } = await tx
    .insertInto('admin_tips')
    .values({
      kind: tip.kind,
      sender_id: tip.senderId,
      recipient_id: tip.recipientId,
      currency_id: tip.currencyId,
      amount: tip.amount,
      usd_amount: tip.usdAmount,
      notes: tip.notes,
      tag: tip.tag,
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  return id;
}

type Query = z.output<typeof AdminTipQuery>;
type Filter = Pick<Query, 'senderUserId' | 'recipientUserId' | 'senderOrRecipientUserId' | 'search'>;
type Order = Pick<z.output<typeof ReceivedAdminTipQuery>, 'sortBy' | 'sortOrder'>;

const orderOf = ({ sortBy, sortOrder }: Order) =>
  ({
    table: 'admin_tips',
    id: 'id',
    key: sortBy === 'createdAt' ? 'created_at' : 'usd_amount',
    isDescending: sortOrder === 'desc',
  }) as const;

const CONDITIONS: Conditions<Filter> = {
  senderUserId: (id) => sql`admin_tips.sender_id = ${id}`,
  recipientUserId: (id) => sql`admin_tips.recipient_id = ${id}`,
  senderOrRecipientUserId: (id) => sql`(admin_tips.sender_id = ${id} or admin_tips.recipient_id = ${id})`,
  search: found,
};

/** What staff has given and taken, by filter and in order. */
export const adminTipList = (query: Query): Ordered => {
  const { senderUserId, recipientUserId, senderOrRecipientUserId, search } = query;
  const filter = { senderUserId, recipientUserId, senderOrRecipientUserId, search };
  return { ...orderOf(query), bounds: [], conditions: conditionsOf(CONDITIONS, filter) };
};

/** What a player was given by staff. */
export const receivedList = (userId: number, query: Order): Ordered => ({
  ...orderOf(query),
  bounds: [sql`admin_tips.recipient_id = ${userId}`, sql`admin_tips.kind = 'TIP'`],
  conditions: [],
});

/** Texts without three letters or digits in a row are looked for at the beginning of usernames. */
function found(text: string): RawBuilder<unknown> {
  const search = searchFor(text);
  if (!search) return sql`true`;
  const { pattern, isPrefix, id, text: whole } = search;
  const name = isPrefix
    ? sql`coalesce(lower(u.username), '') collate "C" like lower(${pattern})`
    : sql`lower(u.username) like lower(${pattern})`;
  const users = sql`(select u.id from users u where ${id === undefined ? name : sql`(${name} or u.id = ${id})`})`;
  return sql`(admin_tips.recipient_id in ${users} or admin_tips.sender_id in ${users} or lower(admin_tips.tag) = lower(${whole}))`;
}

/** In the order of the ids. */
export async function readAdminTips(db: Db, ids: readonly number[]): Promise<AdminTip[]> {
  if (ids.length === 0) return [];
  const rows = await db.selectFrom('admin_tips').selectAll().where('id', 'in', ids).execute();
  const byId = new Map(rows.map((row) => [row.id, row as AdminTip]));
  return ids.map((id) => byId.get(id)!);
}
