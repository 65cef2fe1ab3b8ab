import type { Db, Tx } from '../../../../platform/db.ts';
import { runIdempotently } from '../../../base/idempotency/service.ts';
import { findCountryOfRegistration } from '../../../base/registration-info/service.ts';
import { offIn } from '../../../base/site-config/rules.ts';
import type { SiteConfig } from '../../../base/site-config/service.ts';
import { getUser } from '../../../base/users/service.ts';
import type { Currencies } from '../../currencies/service.ts';
import { withdrawalErrors } from './errors.ts';
import { getWithdrawal, lockWithdrawal, move } from './transition.ts';
import { toPlayerWithdrawal } from './view.ts';

/** `country` is that of the current IP address; null: unknown. */
type Caller = { userId: number; country: string | null; key: string | undefined };

export type CancelDeps = {
  db: Db;
  currencies: Currencies;
  siteConfig: SiteConfig;
  /** The country that a player has stated as part of their identity. */
  statedCountryOf: (tx: Tx, userId: number) => Promise<string | null>;
};

/**
 * A player cancels a withdrawal that nobody has approved yet: hold → cash. Throws 404 WITHDRAWAL_NOT_FOUND, also for that of another player, 403
 * WITHDRAWAL_CANCEL_CLOSED in countries where it is not allowed, and 409 WITHDRAWAL_NOT_CANCELLABLE.
 */
export const createCancel =
  ({ db, currencies, siteConfig, statedCountryOf }: CancelDeps) =>
  ({ userId, country, key }: Caller, id: string) =>
    runIdempotently(db, { userId, key, operation: 'withdraw.cancel', input: { id } }, async (tx) => {
      // Before the lock: a request for another player's withdrawal must not wait for it.
      const found = await getWithdrawal(tx, id);
      if (found.user_id !== userId) throw withdrawalErrors.WITHDRAWAL_NOT_FOUND();
      const row = await lockWithdrawal(tx, id);
      const countries = [country, ...(await countriesOf(tx, userId, statedCountryOf))];
      const closedIn = offIn(siteConfig.get('WITHDRAWALS').cancelByCountry, countries);
      if (closedIn !== undefined) throw withdrawalErrors.WITHDRAWAL_CANCEL_CLOSED({ country: closedIn });
      if (row.status !== 'WAITING_FOR_APPROVAL')
        throw withdrawalErrors.WITHDRAWAL_NOT_CANCELLABLE({
          status: toPlayerWithdrawal(row, currencies).status,
        });
      return toPlayerWithdrawal(await move(tx, row, { to: 'CANCELLED' }), currencies);
    });

/** Every country that a player is known by, wherever they are now. */
async function countriesOf(tx: Tx, userId: number, statedCountryOf: CancelDeps['statedCountryOf']) {
  return [
    (await getUser(tx, userId)).country_code,
    await findCountryOfRegistration(tx, userId),
    await statedCountryOf(tx, userId),
  ];
}
