import type { SearchHit } from '../../client/call.ts';

export const SEARCH = 'GET /admin/search';

const LISTS: Readonly<Record<SearchHit['kind'], string>> = {
  player: '/users',
  withdrawal: '/withdrawals',
  deposit: '/deposits',
  bet: '/bets',
  game: '/games',
  promotion: '/promo',
};

/** Returns the page of a hit. */
export const pageOf = ({ kind, id }: Pick<SearchHit, 'kind' | 'id'>): string =>
  `${LISTS[kind]}/${encodeURIComponent(id)}`;
