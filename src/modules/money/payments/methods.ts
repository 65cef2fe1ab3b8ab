import type { Currencies } from '../currencies/service.ts';
import { paymentErrors } from './errors.ts';

type Currency = ReturnType<Currencies['get']>;

/** A currency on a network: how it is paid in and out. */
export type Method = { currency: Currency; network: Currency['networks'][number] };

/** Throws 404 PAYMENT_METHOD_NOT_FOUND, also for currencies that are switched off. */
export function methodOf(currencies: Currencies, currencyId: string, networkId: string): Method {
  const currency = currencies.find(currencyId);
  const network = currency?.networks.find(({ id }) => id === networkId);
  if (!currency || !network) throw paymentErrors.PAYMENT_METHOD_NOT_FOUND({ currencyId, networkId });
  return { currency, network };
}
