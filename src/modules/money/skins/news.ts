import type { Tx } from '../../../platform/db.ts';
import { formatUnits } from '../../../platform/money.ts';
import { emitEvent } from '../../base/events/service.ts';
import { notify } from '../../base/notifications/notify.ts';
import type { SkinDepositRow } from './queries.ts';
import type { SkinStatus } from './rules.ts';

/** Emits the status of a deposit to its player, and notifies them of its credit and of its reversal. `before` undefined: it is new. */
export async function publishChange(
  tx: Tx,
  before: SkinDepositRow | undefined,
  deposit: SkinDepositRow,
): Promise<void> {
  const { id: depositId, user_id: userId, currency_id: currencyId, credited_amount, returned_at } = deposit;
  const amount = credited_amount === null ? null : formatUnits(credited_amount);
  const status = deposit.status as SkinStatus;
  await emitEvent(tx, { event: 'deposit.status', userId, data: { depositId, status, currencyId, amount } });
  // Less than the currency can express was credited: nothing to notify of.
  if (amount === null || credited_amount === 0n) return;
  const about = { depositId, currencyId, amount };
  if (!before?.credited_at) await notify(tx, userId, 'deposit.completed', about);
  if (returned_at && !before?.returned_at) await notify(tx, userId, 'deposit.reversed', about);
}
