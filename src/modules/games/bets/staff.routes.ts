import { type Route, route } from '../../../http/route.ts';
import { page } from '../../../http/schemas.ts';
import { commonErrors, listErrors } from '../../../platform/errors.ts';
import { accessErrors } from '../../base/access/errors.ts';
import { userErrors } from '../../base/users/errors.ts';
import { betErrors } from './errors.ts';
import { AdminBetRow, BetPath, BetRollback, BetSearch, BetSearchQuery } from './schemas.ts';
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

const search = (bets: Bets) =>
  route({
    ...list,
    method: 'POST',
    path: '/admin/bets',
    tag: 'Admin Bets',
    gate: 'none',
    body: BetSearch,
    handler: ({ by, body }) => bets.search(by, body),
  });

export const betStaffRoutes = (bets: Bets): Route[] => [
  search(bets),
  route({
    method: 'POST',
    path: '/admin/bets/{betId}/rollback',
    tag: 'Admin Bets',
    access: { permission: 'bet.rollback' },
    gate: 'staff',
    stepUp: true,
    idempotent: true,
    summary: 'Roll a settled bet back: the stake returns, the payout is taken',
    description:
      'Statistics and limits no longer count it. The payout is taken from cash, then from the vault; what is no longer there becomes a ' +
      'claim, which later deposits and withdrawals that are given back pay, and which no withdrawal leaves before. A bet on a ' +
      "provider's game is not for staff to undo: both books have to agree.",
    params: BetPath,
    body: BetRollback,
    response: AdminBetRow,
    errors: [
      commonErrors.INSUFFICIENT_BALANCE,
      betErrors.BET_NOT_FOUND,
      betErrors.BET_NOT_SETTLED,
      betErrors.BET_OF_PROVIDER,
      betErrors.BET_ROLLED_BACK,
      betErrors.BET_ARCHIVED,
      commonErrors.OWN_ACCOUNT,
      accessErrors.ACCOUNT_CONNECTED,
      userErrors.USER_NOT_FOUND,
    ],
    handler: ({ by, params, body, idempotencyKey }) =>
      bets.rollBack(by, { betId: params.betId, reason: body.reason, key: idempotencyKey }),
  }),
];

/** The same in the backoffice, where the filter may also be JSON text in the query. */
export const betBackofficeRoutes = (bets: Bets): Route[] => [
  { ...search(bets), path: '/bets', tag: 'Bets', status: 200 },
  route({
    ...list,
    method: 'GET',
    path: '/bets',
    tag: 'Bets',
    query: BetSearchQuery,
    handler: ({ by, query }) => bets.search(by, query),
  }),
];
