import type { Tx } from '../../../../platform/db.ts';
import { formatUnits } from '../../../../platform/money.ts';
import { emitEvent } from '../../../base/events/service.ts';
import { notify } from '../../../base/notifications/notify.ts';
import type { WithdrawalRow } from './queries.ts';
import type { WithdrawalStatus } from './rules.ts';
import { shownStatus } from './view.ts';

/** Says what a withdrawal has become: to its player what he sees of it, and to staff that it waits for somebody. */
export async function tellOf(
  tx: Tx,
  before: WithdrawalStatus | undefined,
  row: WithdrawalRow,
): Promise<void> {
  const { id, user_id: userId, currency_id: currencyId, amount } = row;
  const status = shownStatus(row.status);
  const isNews = before === undefined || shownStatus(before) !== status;
  const about = { withdrawalId: id, currencyId, amount: formatUnits(amount) };
  const alert = { event: 'admin.alert', data: { kind: 'WITHDRAWAL_WAITING', id } } as const;
  const change = { event: 'withdraw.status', userId, data: { ...about, status } } as const;
  await emitEvent(tx, ...(isWaiting(row) ? [alert] : []), ...(isNews ? [change] : []));
  if (!isNews) return;
  const received = { ...about, amount: formatUnits(amount - row.fee) };
  if (status === 'SENT') await notify(tx, userId, 'withdraw.sent', received);
  if (status === 'COMPLETED') await notify(tx, userId, 'withdraw.completed', received);
  if (status === 'FAILED') await notify(tx, userId, 'withdraw.failed', about);
  if (status === 'REJECTED')
    await notify(tx, userId, 'withdraw.rejected', { ...about, reason: row.reject_reason ?? '' });
}

/** Until somebody has looked, not until a time. */
const isWaiting = ({ status, check_at }: WithdrawalRow): boolean =>
  status === 'WAITING_FOR_APPROVAL' || (status === 'ON_HOLD' && check_at === null);
