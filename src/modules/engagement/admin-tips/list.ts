import type { z } from 'zod';
import { type Page, paginated } from '../../../http/schemas.ts';
import { iso } from '../../../platform/clock.ts';
import type { Db } from '../../../platform/db.ts';
import { pageOfIds } from '../../../platform/list/ordered.ts';
import { formatUnits } from '../../../platform/money.ts';
import { type Sight, shortUsers } from '../../base/users/service.ts';
import { type AdminTip, adminTipList, readAdminTips, receivedList } from './queries.ts';
import type { AdminTipQuery, AdminTipRow, ReceivedAdminTipQuery, ReceivedAdminTipRow } from './schemas.ts';

/** For staff. Throws 400 PAGE_TOO_DEEP, FILTER_TOO_WIDE. */
export async function list(
  db: Db,
  query: z.output<typeof AdminTipQuery>,
  sight: Sight,
): Promise<Page<AdminTipRow>> {
  const { ids, total } = await pageOfIds(db, adminTipList(query), query);
  const tips = await readAdminTips(db, ids);
  const people = await shortUsers(
    db,
    tips.flatMap((tip) => [tip.sender_id, tip.recipient_id]),
    sight,
  );
  const rows = tips.map((tip) => ({
    ...shown(tip),
    kind: tip.kind,
    senderUserId: tip.sender_id,
    sender: people.get(tip.sender_id)!,
    recipientUserId: tip.recipient_id,
    recipient: people.get(tip.recipient_id)!,
    notes: tip.notes,
  }));
  return paginated(rows, query, total);
}

/** What a player was given, without who gave it and why. Throws 400 PAGE_TOO_DEEP. */
export async function received(
  db: Db,
  userId: number,
  query: z.output<typeof ReceivedAdminTipQuery>,
): Promise<Page<ReceivedAdminTipRow>> {
  const { ids, total } = await pageOfIds(db, receivedList(userId, query), query);
  return paginated((await readAdminTips(db, ids)).map(shown), query, total);
}

const shown = (tip: AdminTip): ReceivedAdminTipRow => ({
  id: String(tip.id),
  currencyId: tip.currency_id,
  amount: formatUnits(tip.amount),
  usdAmount: formatUnits(tip.usd_amount),
  tag: tip.tag,
  createdAt: iso(tip.created_at),
});
