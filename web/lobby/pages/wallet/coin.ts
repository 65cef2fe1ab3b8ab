import { useLocation, useSearch } from 'wouter';
import { useCurrency } from '../../balances.ts';

/** The currency that the wallet shows: the one in its address, otherwise the currency of play, otherwise the first of `ids`. */
export function useCoin(ids: readonly string[]) {
  const [at, go] = useLocation();
  const search = useSearch();
  const { currencyId: played } = useCurrency();
  const asked = new URLSearchParams(search).get('coin');
  const coin = [asked, played].find((id): id is string => id !== null && ids.includes(id)) ?? ids[0];
  const linkTo = (id: string, part?: string) => {
    const query = new URLSearchParams(search);
    query.set('coin', id);
    if (part !== undefined) query.set('wallet', part);
    return `${at}?${query}`;
  };
  return {
    coin,
    choose: (id: string) => go(linkTo(id), { replace: true }),
    /** The address of another part of the wallet with a currency. */
    linkTo,
  };
}
