import { type RawBuilder, type Selectable, sql } from 'kysely';
import { z } from 'zod';
import { operation } from '../../../http/operation.ts';
import {
  CurrencyId,
  Decimal,
  estimated,
  estimatedPage,
  object,
  PageNumber,
  SortOrder,
  Timestamp,
  take,
  text,
} from '../../../http/schemas.ts';
import { iso } from '../../../platform/clock.ts';
import type { Db } from '../../../platform/database/db.ts';
import type { AdminTips } from '../../../platform/database/tables.ts';
import { listErrors } from '../../../platform/errors.ts';
import { type Conditions, conditionsOf } from '../../../platform/list/conditions.ts';
import { readList } from '../../../platform/list/list.ts';
import type { OrderedList } from '../../../platform/list/ordered.ts';
import { inOrderOf } from '../../../platform/list/page.ts';
import { formatUnits } from '../../../platform/money.ts';
import { searchFor } from '../../base/users/rules.ts';
import { ShortPrivateUser, UserId } from '../../base/users/schemas.ts';
import { shortUsers, sightOf } from '../../base/users/service.ts';
import type { AdminTipDeps, AdminTipKind } from './payment.ts';

const order = {
  sortBy: z.enum(['createdAt', 'usdAmount']).default('createdAt'),
  sortOrder: SortOrder.default('desc'),
  page: PageNumber,
  take: take(100),
};
const ReceivedQuery = z.strictObject(order);
const Query = z.strictObject({
  ...order,
  senderUserId: UserId.optional(),
  recipientUserId: UserId.optional(),
  senderOrRecipientUserId: UserId.optional(),
  search: text(64).optional().meta({
    description: 'Part of the username of the sender or recipient, their id, or the complete tag.',
  }),
});
type Query = z.output<typeof Query>;

const tipFields = {
  id: z.string(),
  currencyId: CurrencyId,
  amount: Decimal,
  usdAmount: Decimal.meta({
    description: 'Converted at the exchange rate that applied at the time of the tip.',
  }),
  tag: z.string().nullable(),
  createdAt: Timestamp,
};
const ReceivedAdminTipRow = object('ReceivedAdminTipRow', tipFields);
const AdminTipRow = object('AdminTipRow', {
  ...tipFields,
  kind: z.enum(['TIP', 'DEDUCTION']),
  senderUserId: UserId,
  sender: ShortPrivateUser,
  recipientUserId: UserId,
  recipient: ShortPrivateUser,
  notes: z.string(),
});

/** The list that players see. It omits the sender and the notes. */
export const listReceivedAdminTips = operation({
  method: 'GET',
  path: '/admin-tips',
  tag: 'Admin Tips',
  access: 'auth',
  summary: 'List your tips from staff',
  description: 'Only the first 10,000 tips can be read, in any sort order. `total` is exact up to 1,000.',
  query: ReceivedQuery,
  response: estimatedPage(ReceivedAdminTipRow),
  errors: [listErrors.PAGE_TOO_DEEP],
  handler: async ({ db }: AdminTipDeps, { user, query }) => {
    const bounds = [sql`admin_tips.recipient_id = ${user.id}`, sql`admin_tips.kind = 'TIP'`];
    const { rows: ids, ...found } = await readList(db, { ...orderOf(query), bounds, conditions: [] }, query);
    return estimated((await readAdminTips(db, ids)).map(toRow), query, found);
  },
});

export const listAdminTips = operation({
  method: 'GET',
  path: '/admin/admin-tips',
  tag: 'Admin Tips',
  access: { permission: 'tip.read' },
  summary: 'List tips and deductions made by all staff',
  description:
    'Only the first 10,000 rows can be read, in any sort order. `total` is exact up to 1,000 and an estimate above it.',
  query: Query,
  response: estimatedPage(AdminTipRow),
  errors: [listErrors.PAGE_TOO_DEEP, listErrors.FILTER_TOO_WIDE],
  handler: async ({ reads }: AdminTipDeps, { by, query }) => {
    const { rows: ids, ...found } = await readList(reads, adminTipList(query), query);
    const tips = await readAdminTips(reads, ids);
    const userIds = tips.flatMap((tip) => [tip.sender_id, tip.recipient_id]);
    const users = await shortUsers(reads, userIds, sightOf(by.user));
    const rows = tips.map((tip) => ({
      ...toRow(tip),
      kind: tip.kind,
      senderUserId: tip.sender_id,
      sender: users.get(tip.sender_id)!,
      recipientUserId: tip.recipient_id,
      recipient: users.get(tip.recipient_id)!,
      notes: tip.notes,
    }));
    return estimated(rows, query, found);
  },
});

const orderOf = ({ sortBy }: z.output<typeof ReceivedQuery>) =>
  ({
    table: 'admin_tips',
    id: 'id',
    key: sortBy === 'createdAt' ? 'created_at' : 'usd_amount',
  }) as const;

type Filter = Pick<Query, 'senderUserId' | 'recipientUserId' | 'senderOrRecipientUserId' | 'search'>;

const CONDITIONS: Conditions<Filter> = {
  senderUserId: (id) => sql`admin_tips.sender_id = ${id}`,
  recipientUserId: (id) => sql`admin_tips.recipient_id = ${id}`,
  senderOrRecipientUserId: (id) => sql`(admin_tips.sender_id = ${id} or admin_tips.recipient_id = ${id})`,
  search: matches,
};

function adminTipList(query: Query): OrderedList {
  const { senderUserId, recipientUserId, senderOrRecipientUserId, search } = query;
  const filter = { senderUserId, recipientUserId, senderOrRecipientUserId, search };
  return { ...orderOf(query), bounds: [], conditions: conditionsOf(CONDITIONS, filter) };
}

/** A search string without three consecutive letters or digits matches only the beginning of usernames. */
function matches(text: string): RawBuilder<unknown> {
  const search = searchFor(text);
  if (!search) return sql`true`;
  const { pattern, isPrefix, id, text: whole } = search;
  const name = isPrefix
    ? sql`coalesce(lower(u.username), '') collate "C" like lower(${pattern})`
    : sql`lower(u.username) like lower(${pattern})`;
  const users = sql`(select u.id from users u where ${id === undefined ? name : sql`(${name} or u.id = ${id})`})`;
  return sql`(admin_tips.recipient_id in ${users} or admin_tips.sender_id in ${users} or lower(admin_tips.tag) = lower(${whole}))`;
}

type AdminTip = Omit<Selectable<AdminTips>, 'kind'> & { kind: AdminTipKind };

/** Returns the tips with these ids, in the order of the ids. */
async function readAdminTips(db: Db, ids: readonly number[]): Promise<AdminTip[]> {
  if (ids.length === 0) return [];
  const rows = await db.selectFrom('admin_tips').selectAll().where('id', 'in', ids).execute();
  return inOrderOf(ids, rows as AdminTip[], (row) => row.id);
}

const toRow = (tip: AdminTip): z.input<typeof ReceivedAdminTipRow> => ({
  id: String(tip.id),
  currencyId: tip.currency_id,
  amount: formatUnits(tip.amount),
  usdAmount: formatUnits(tip.usd_amount),
  tag: tip.tag,
  createdAt: iso(tip.created_at),
});
