import type { Db } from '../../../platform/db.ts';
import type { Currencies } from '../../currencies/service.ts';
import { once } from '../../idempotency/service.ts';
import { withdrawalErrors } from './errors.ts';
import { getWithdrawal, lockWithdrawal, move } from './transition.ts';
import { toPlayerWithdrawal } from './view.ts';

type Caller = { userId: number; key: string | undefined };

/**
 * A player takes back what nobody has approved yet: hold → cash. Throws 404 WITHDRAWAL_NOT_FOUND, also for somebody else's, and 409
 * WITHDRAWAL_NOT_CANCELLABLE.
 */
export const createCancel =
  ({ db, currencies }: { db: Db; currencies: Currencies }) =>
  ({ userId, key }: Caller, id: string) =>
    once(db, { userId, key, operation: 'withdraw.cancel', input: { id } }, async (tx) => {
      // Before his lock: whoever asks for another's must not wait for it.
      const found = await getWithdrawal(tx, id);
      if (found.user_id !== userId) throw withdrawalErrors.WITHDRAWAL_NOT_FOUND();
      const row = await lockWithdrawal(tx, id);
      if (row.status !== 'WAITING_FOR_APPROVAL')
        throw withdrawalErrors.WITHDRAWAL_NOT_CANCELLABLE({
          status: toPlayerWithdrawal(row, currencies).status,
        });
      return toPlayerWithdrawal(await move(tx, row, { to: 'CANCELLED' }), currencies);
    });
