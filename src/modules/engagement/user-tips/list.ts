import type { z } from 'zod';
import { type Page, paginated } from '../../../http/schemas.ts';
import { iso } from '../../../platform/clock.ts';
import type { Db } from '../../../platform/db.ts';
import { pageOfIds } from '../../../platform/list/ordered.ts';
import { formatUnits } from '../../../platform/money.ts';
import { toShortPublicUser, type UserRow, usersById } from '../../base/users/service.ts';
import { readTips, type TipRow, tipsOf } from './queries.ts';
import type { UserTipQuery, UserTipRow } from './schemas.ts';

/** The tips of a player. Throws 400 PAGE_TOO_DEEP. */
export async function list(
  db: Db,
  userId: number,
  query: z.output<typeof UserTipQuery>,
): Promise<Page<UserTipRow>> {
  const { ids, total } = await pageOfIds(db, tipsOf(userId, query), query);
  const tips = await readTips(db, ids);
  const others = await usersById(
    db,
    tips.map((tip) => otherOf(tip, userId)),
  );
  const rows = tips.map((tip) => toRow(tip, userId, others.get(otherOf(tip, userId))!));
  return paginated(rows, query, total);
}

const otherOf = ({ sender_id, recipient_id }: TipRow, userId: number) =>
  sender_id === userId ? recipient_id : sender_id;

const toRow = (tip: TipRow, userId: number, other: UserRow): UserTipRow => ({
  id: String(tip.id),
  direction: tip.sender_id === userId ? 'SENT' : 'RECEIVED',
  user: toShortPublicUser(other, userId),
  currencyId: tip.currency_id,
  amount: formatUnits(tip.amount),
  usdAmount: formatUnits(tip.usd_amount),
  message: tip.message,
  isPublic: tip.is_public,
  createdAt: iso(tip.created_at),
});
