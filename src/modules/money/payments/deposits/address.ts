import type { z } from 'zod';
import { iso } from '../../../../platform/clock.ts';
import { transaction } from '../../../../platform/db.ts';
import { commonErrors } from '../../../../platform/errors.ts';
import { countryOfIp } from '../../../../platform/geo.ts';
import { formatUnits } from '../../../../platform/money.ts';
import { gateErrors } from '../../../compliance/gate/errors.ts';
import type { PaymentDeps } from '../deps.ts';
import { type Method, methodOf } from '../methods.ts';
import { orUnavailable } from '../providers/client.ts';
import { findAddress, insertAddress } from './queries.ts';
import { addressKey } from './rules.ts';
import type { AddressQuery, DepositAddress } from './schemas.ts';

export type AddressDeps = Pick<PaymentDeps, 'db' | 'log' | 'currencies' | 'depositGate'> & {
  providers: Pick<PaymentDeps['providers'], 'active'>;
};
type Stored = NonNullable<Awaited<ReturnType<typeof findAddress>>>;

/** The addresses that players pay in to. */
export function createAddresses({ db, log, currencies, depositGate, providers }: AddressDeps) {
  /**
   * The address of a player for a currency on a network, made on the first call; the provider is asked outside any transaction.
   * Throws 404 PAYMENT_METHOD_NOT_FOUND, 409 DEPOSIT_DISABLED, what the gate throws, 503 when the provider does not answer.
   */
  return async function address(
    { userId, ip }: { userId: number; ip: string },
    { currencyId, networkId }: z.output<typeof AddressQuery>,
  ): Promise<z.input<typeof DepositAddress>> {
    const method = methodOf(currencies, currencyId, networkId);
    const provider = method.network.depositEnabled ? providers.active : undefined;
    const of = { userId, currencyId, networkId, providerId: provider?.id ?? '' };
    const known = await transaction(db, async (tx) => {
      await depositGate.assertMay(tx, { userId, country: countryOfIp(ip) });
      if (!provider) throw gateErrors.DEPOSIT_DISABLED();
      return findAddress(tx, of);
    });
    if (known) return toAddress(known, method);
    // The reference is the same each time, so that concurrent requests get the same address.
    const reference = `${userId}:${currencyId}:${networkId}`;
    const made = await orUnavailable(
      () => provider!.createAddress({ reference, userId, currencyId, networkId }),
      (error) => log.warn({ provider: provider!.id, error }, 'no deposit address was given'),
    );
    const stored = await transaction(db, async (tx) => {
      // They may have been excluded while the provider was asked.
      await depositGate.assertMay(tx, { userId, country: countryOfIp(ip) });
      await insertAddress(tx, of, { ...made, key: addressKey(made.address) });
      return findAddress(tx, of);
    });
    if (stored) return toAddress(stored, method);
    // The address of another player: nobody may pay in there.
    log.error({ provider: provider!.id, userId, currencyId, networkId }, 'a deposit address was given twice');
    throw commonErrors.SERVICE_UNAVAILABLE();
  };
}

const toAddress = (row: Stored, { network }: Method): z.input<typeof DepositAddress> => ({
  payAddress: row.address,
  payMemo: row.memo,
  currencyId: row.currency_id,
  networkId: row.network_id,
  minAmount: formatUnits(network.minDeposit),
  confirmations: network.confirmations,
  issuedAt: iso(row.issued_at),
});
