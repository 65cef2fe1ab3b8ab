import { countryOfIp } from '../../../../platform/geo.ts';
import { runIdempotently } from '../../../base/idempotency/service.ts';
import { findCountryOfRegistration } from '../../../base/registration-info/service.ts';
import { offIn } from '../../../base/site-config/rules.ts';
import { getUser } from '../../../base/users/service.ts';
import type { WithdrawalDeps } from '../deps.ts';
import { withdrawalErrors } from './errors.ts';
import { getWithdrawal, lockWithdrawal, move } from './transition.ts';
import { toPlayerWithdrawal } from './view.ts';

/**
 * A player cancels a withdrawal that nobody has approved yet: hold → cash. Throws 404 WITHDRAWAL_NOT_FOUND, also for that of another player, 403
 * WITHDRAWAL_CANCEL_CLOSED in countries where it is not allowed, and 409 WITHDRAWAL_NOT_CANCELLABLE.
 */
export const createCancel =
  ({ db, currencies, siteConfig, kyc }: WithdrawalDeps) =>
  ({ userId, ip, key }: { userId: number; ip: string; key: string | undefined }, id: string) =>
    runIdempotently(db, { userId, key, operation: 'withdraw.cancel', input: { id } }, async (tx) => {
      // Before the lock: a request for another player's withdrawal must not wait for it.
      const found = await getWithdrawal(tx, id);
      if (found.user_id !== userId) throw withdrawalErrors.WITHDRAWAL_NOT_FOUND();
      const row = await lockWithdrawal(tx, id);
      // Every country that the player is known by, wherever they are now.
      const countries = [
        countryOfIp(ip),
        (await getUser(tx, userId)).country_code,
        await findCountryOfRegistration(tx, userId),
        await kyc.statedCountryOf(tx, userId),
      ];
      const closedIn = offIn(siteConfig.get('WITHDRAWALS').cancelByCountry, countries);
      if (closedIn !== undefined) throw withdrawalErrors.WITHDRAWAL_CANCEL_CLOSED({ country: closedIn });
      if (row.status !== 'WAITING_FOR_APPROVAL')
        throw withdrawalErrors.WITHDRAWAL_NOT_CANCELLABLE({
          status: toPlayerWithdrawal(row, currencies).status,
        });
      return toPlayerWithdrawal(await move(tx, row, { to: 'CANCELLED' }), currencies);
    });
