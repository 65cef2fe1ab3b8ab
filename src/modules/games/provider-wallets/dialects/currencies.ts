import type { ProviderCurrency } from '../provider.ts';

export type Currencies = ReturnType<typeof createCurrencies>;

/** The currencies of a provider, by its codes and by ours. */
export function createCurrencies(all: readonly ProviderCurrency[]) {
  const byCode = new Map(all.map((currency) => [currency.code, currency]));
  const byOurs = new Map(all.map((currency) => [currency.ours, currency]));
  return {
    all,
    byCode: (code: string) => byCode.get(code),
    byOurs: (id: string | null) => (id === null ? undefined : byOurs.get(id)),
    /** Codes of a list of its own in our ids; null stays: every currency. */
    oursOf: (codes: readonly string[] | null | undefined) =>
      codes?.flatMap((code) => byCode.get(code)?.ours ?? []) ?? null,
  };
}
