import { operation } from '../../../../http/operation.ts';
import { runIdempotently } from '../../../base/idempotency/service.ts';
import { offIn } from '../../../base/site-config/rules.ts';
import type { WithdrawalDeps } from './deps.ts';
import { withdrawalErrors } from './errors.ts';
import { PlayerWithdrawal, WithdrawalId } from './schemas.ts';
import { getWithdrawal, lockWithdrawal, move } from './transition.ts';
import { toPlayerWithdrawal } from './view.ts';

export const cancelWithdrawal = operation({
  method: 'POST',
  path: '/payments/withdraw/cancel',
  tag: 'Payments',
  access: 'auth',
  gate: 'finish',
  idempotent: true,
  summary: 'Cancel a withdrawal that is waiting for approval',
  description:
    '403 WITHDRAWAL_CANCEL_CLOSED if `cancelByCountry` of `GET /config/WITHDRAWALS` is false for any country linked to the player ' +
    '(address, account, registration, stated identity).',
  body: WithdrawalId,
  response: PlayerWithdrawal,
  errors: [
    withdrawalErrors.WITHDRAWAL_NOT_FOUND,
    withdrawalErrors.WITHDRAWAL_CANCEL_CLOSED,
    withdrawalErrors.WITHDRAWAL_NOT_CANCELLABLE,
  ],
  handler: (deps: WithdrawalDeps, { user: { id: userId }, ip, body: { id }, idempotencyKey: key }) => {
    const { db, currencies, siteConfig, playerCountries } = deps;
    const request = { userId, key, operation: 'withdraw.cancel', input: { id } };
    return runIdempotently(db, request, async (tx) => {
      // Before the lock: a request for another player's withdrawal must not wait for it.
      const found = await getWithdrawal(tx, id);
      if (found.user_id !== userId) throw withdrawalErrors.WITHDRAWAL_NOT_FOUND();
      const row = await lockWithdrawal(tx, id);
      const countries = await playerCountries.of(tx, { userId, ip });
      const closedIn = offIn(siteConfig.get('WITHDRAWALS').cancelByCountry, countries);
      if (closedIn !== undefined) throw withdrawalErrors.WITHDRAWAL_CANCEL_CLOSED({ country: closedIn });
      if (row.status !== 'WAITING_FOR_APPROVAL')
        throw withdrawalErrors.WITHDRAWAL_NOT_CANCELLABLE({
          status: toPlayerWithdrawal(row, currencies).status,
        });
      return toPlayerWithdrawal(await move(tx, row, { to: 'CANCELLED' }), currencies);
    });
  },
});
