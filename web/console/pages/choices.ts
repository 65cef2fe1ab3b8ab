import { useQuery } from '@tanstack/react-query';
import type { Answer, Input } from '../../../client/call.ts';
import { call } from '../../kit/api.ts';
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

type Listed = typeof PROVIDERS | typeof PROMOTIONS;
type Row<O extends Listed> = Answer<O>['data'][number];

/** Reads all pages of a list. */
function useAll<O extends Listed>(
  op: O,
  query: { take: number } & Input<Listed>['query'],
): readonly Row<O>[] {
  const isEnabled = useMissing(op) === undefined;
  const { data = [] } = useQuery({
    queryKey: [op, query, 'all'],
    queryFn: async () => {
      const rows: Row<O>[] = [];
      for (let page = 1; ; page++) {
        const found = await call<Listed>(op, { query: { ...query, page } });
        rows.push(...(found.data as Row<O>[]));
        if (page >= found.totalPages) return rows;
      }
    },
    enabled: isEnabled,
    staleTime: STALE_MS,
  });
  return data;
}

/** The providers by their name. `by`: the field that the operation compares. */
function useProviders(by: 'id' | 'slug'): readonly Choice[] {
  const all = useAll(PROVIDERS, { sortBy: 'name', sortOrder: 'asc', take: 30 });
  return all.map((provider) => ({ value: String(provider[by]), label: provider.name }));
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
  return useAll(PROMOTIONS, { status: 'ACTIVE', sortBy: 'name', take: 20 }).map(({ id, name }) => ({
    value: id,
    label: name,
  }));
}
