import { type Route, route } from '../../http/route.ts';
import { page } from '../../http/schemas.ts';
import { commonErrors, listErrors } from '../../platform/errors.ts';
import { AdminBetRow, BetSearch, BetSearchQuery } from './schemas.ts';
import type { Bets } from './service.ts';

const list = {
  access: { permission: 'bet.read' },
  summary: 'Bets of all players, by filter',
  description:
    'In the order in which they were made. Without a filter, by user and by the status SETTLED `total` is exact and every page can be ' +
    'read, while no more than 10,000 bets that are not settled have to be left out. With other filters `total` is exact up to 500; ' +
    'beyond that it is an estimate, never below 501, and the first 10,000 rows can be read. 10,000 bets at most can be sorted by USD_AMOUNT.',
  response: page(AdminBetRow),
  errors: [...Object.values(listErrors), commonErrors.AMOUNT_OUT_OF_RANGE],
} as const;

export const betStaffRoutes = (bets: Bets): Route[] => [
  route({
    ...list,
    method: 'POST',
    path: '/admin/bets',
    tag: 'Admin Bets',
    gate: 'none',
    body: BetSearch,
    status: 201,
    handler: ({ by, body }) => bets.search(by, body),
  }),
];

/** The same in the backoffice, where the filter may also be JSON text in the query. */
export const betBackofficeRoutes = (bets: Bets): Route[] => [
  ...betStaffRoutes(bets).map((r): Route => ({ ...r, path: '/bets', tag: 'Bets', status: 200 })),
  route({
    ...list,
    method: 'GET',
    path: '/bets',
    tag: 'Bets',
    query: BetSearchQuery,
    status: 200,
    handler: ({ by, query }) => bets.search(by, query),
  }),
];
