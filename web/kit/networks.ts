import type { CurrencyDto } from '../../client/call.ts';

type Currencies = readonly CurrencyDto[] | undefined;

/** Returns the display name of a network. Without a currency any currency on the network may name it. */
export function networkName(all: Currencies, networkId: string, currencyId?: string | null): string {
  const named = all?.filter(({ id }) => !currencyId || id === currencyId) ?? [];
  return named.flatMap(({ networks }) => networks).find(({ id }) => id === networkId)?.name ?? networkId;
}
