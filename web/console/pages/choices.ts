import type { Choice } from '../../kit/form/choice.tsx';
import { useRead } from '../../kit/query.ts';
import { useMissing } from '../../kit/session.tsx';

/** Choices change seldom, so they are read once. */
const STALE_MS = 300_000;

const CURRENCIES = 'GET /currency';
const PROVIDERS = 'GET /admin/casino/games/providers';
const LEVELS = 'GET /admin/affiliate/levels';
const PROMOTIONS = 'GET /admin/promo';
export const TAGS = 'GET /admin/user-tags';

export function useCurrencies(): readonly Choice[] {
  const { data = [] } = useRead(CURRENCIES, {}, { staleMs: STALE_MS });
  return data.map(({ id }) => ({ value: id, label: id }));
}

export function useCountries(): readonly Choice[] {
  const { data } = useRead('GET /country', { query: { take: 300 } }, { staleMs: STALE_MS });
  return (data?.data ?? []).map(({ code, name }) => ({ value: code, label: name }));
}

/** The providers by their name. `by`: the field that the operation compares. */
function useProviders(by: 'id' | 'slug'): readonly Choice[] {
  const isEnabled = useMissing(PROVIDERS) === undefined;
  const query = { sortBy: 'name' as const, sortOrder: 'asc' as const, page: 1, take: 30 };
  const { data } = useRead(PROVIDERS, { query }, { isEnabled, staleMs: STALE_MS });
  return (data?.data ?? []).map((provider) => ({ value: String(provider[by]), label: provider.name }));
}
export const useProviderIds = () => useProviders('id');
export const useProviderSlugs = () => useProviders('slug');

export function useAffiliateLevels(): readonly Choice[] {
  const { data = [] } = useRead(LEVELS, {}, { staleMs: STALE_MS });
  return data.map(({ id, name }) => ({ value: String(id), label: name }));
}

/** The tags that staff gave to users. */
export function useTags(): readonly string[] {
  const isEnabled = useMissing(TAGS) === undefined;
  return useRead(TAGS, {}, { isEnabled, staleMs: STALE_MS }).data ?? [];
}

/** The active promotions that staff may grant. */
export function useActivePromotions(): readonly Choice[] {
  const isEnabled = useMissing(PROMOTIONS) === undefined;
  const query = { status: 'ACTIVE' as const, sortBy: 'name' as const, page: 1, take: 20 };
  const { data } = useRead(PROMOTIONS, { query }, { isEnabled, staleMs: STALE_MS });
  return (data?.data ?? []).map(({ id, name }) => ({ value: id, label: name }));
}
