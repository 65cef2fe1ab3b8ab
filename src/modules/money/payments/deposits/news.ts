import type { Tx } from '../../../../platform/db.ts';
import { formatUnits } from '../../../../platform/money.ts';
import { emitEvent } from '../../../base/events/service.ts';
import { notify } from '../../../base/notifications/notify.ts';
import type { DepositRow } from './queries.ts';
import type { DepositStatus } from './rules.ts';

/** Statuses that the player is notified of. */
const MESSAGES = {
  COMPLETED: 'deposit.completed',
  ON_HOLD: 'deposit.held',
  UNDER_REVIEW: 'deposit.held',
  REVERSED: 'deposit.reversed',
} as const satisfies Partial<Record<DepositStatus, string>>;

/** Emits the new status to the player and notifies them, and alerts staff of a review. `before` undefined: there was no deposit. */
export async function publishChange(tx: Tx, before: DepositRow | undefined, row: DepositRow): Promise<void> {
  const { id, status, user_id: userId, currency_id: currencyId } = row;
  if (status === 'UNDER_REVIEW' && before?.status !== status)
    await emitEvent(tx, { event: 'admin.alert', data: { kind: 'DEPOSIT_UNDER_REVIEW', id } });
  const isKnown = before?.status === status && before.user_id === userId;
  if (userId === null || isKnown) return;
  const data = { depositId: id, currencyId, amount: formatUnits(row.amount) };
  await emitEvent(tx, { event: 'deposit.status', userId, data: { ...data, status } });
  if (Object.hasOwn(MESSAGES, status))
    await notify(tx, userId, MESSAGES[status as keyof typeof MESSAGES], data);
}
