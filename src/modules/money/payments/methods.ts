import type { Currencies } from '../currencies/service.ts';
import { paymentErrors } from './errors.ts';

type Currency = ReturnType<Currencies['get']>;

/** A currency on a network, for deposits and withdrawals. */
export type Method = { currency: Currency; network: Currency['networks'][number] };

/** Returns a payment method. Throws 404 PAYMENT_METHOD_NOT_FOUND, even for disabled currencies. */
export function methodOf(currencies: Currencies, currencyId: string, networkId: string): Method {
  const currency = currencies.find(currencyId);
  const network = currency?.networks.find(({ id }) => id === networkId);
  if (!currency || !network) throw paymentErrors.PAYMENT_METHOD_NOT_FOUND({ currencyId, networkId });
  return { currency, network };
}
