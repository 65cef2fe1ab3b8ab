import type { Tx } from '../../../../platform/db.ts';
import { formatUnits } from '../../../../platform/money.ts';
import { emitEvent } from '../../../base/events/service.ts';
import { notify } from '../../../base/notifications/notify.ts';
import type { DepositRow } from './queries.ts';
import type { DepositStatus } from './rules.ts';

/** What is worth more than a line in a list. */
const MESSAGES = {
  COMPLETED: 'deposit.completed',
  ON_HOLD: 'deposit.held',
  UNDER_REVIEW: 'deposit.held',
  REVERSED: 'deposit.reversed',
} as const satisfies Partial<Record<DepositStatus, string>>;

/** A deposit as it was known to its player before; undefined: there was none. */
export type Before = Pick<DepositRow, 'status' | 'user_id'> | undefined;

/** Says what a deposit has become, to its player and, where somebody has to look at it, to staff; nothing when it is what it was. */
export async function tellOf(tx: Tx, before: Before, row: DepositRow): Promise<void> {
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
