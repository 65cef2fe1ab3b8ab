import { route } from '../../../http/route.ts';
import { SuccessResponse } from '../../../http/schemas.ts';
import { userErrors } from '../../base/users/errors.ts';
import { sightOf } from '../../base/users/service.ts';
import { betErrors } from '../../games/bets/errors.ts';
import {
  FullUserStats,
  TextUserPath,
  TransactionStatsPage,
  TransactionStatsQuery,
  UserAdminStats,
  UserPath,
} from './schemas.ts';
import type { UserStats } from './service.ts';

const tag = 'Admin User';

const transactions = (stats: UserStats) =>
  route({
    method: 'GET',
    path: '/admin/user/stats/transactions',
    tag,
    access: { permission: 'user.read' },
    summary: 'Users by what they have deposited or withdrawn in the running period',
    query: TransactionStatsQuery,
    response: TransactionStatsPage,
    handler: ({ query, by }) => stats.transactions(query, sightOf(by.user)),
  });

const fullStats = (stats: UserStats) =>
  route({
    method: 'GET',
    path: '/admin/user/{id}/full/stats',
    tag,
    access: { permission: 'user.read' },
    summary: 'Statistics of a user: bets, deposits and withdrawals in US dollars',
    params: UserPath,
    response: UserAdminStats,
    errors: [userErrors.USER_NOT_FOUND],
    handler: ({ params }) => stats.full(params.id),
  });

export const userStatsStaffRoutes = (stats: UserStats) => [
  transactions(stats),
  route({
    method: 'POST',
    path: '/admin/user/stats/migrate',
    tag,
    access: 'superadmin',
    gate: 'none',
    summary: 'Build all statistics anew from the bets; answers stay exact meanwhile',
    response: SuccessResponse,
    errors: [betErrors.BETS_DETACHED],
    handler: ({ by }) => stats.migrate(by),
  }),
  fullStats(stats),
];

export const userStatsBackofficeRoutes = (stats: UserStats) => [
  { ...transactions(stats), path: '/user/stats/transactions', tag: 'User' },
  {
    ...fullStats(stats),
    path: '/user/{id}/full/stats',
    tag: 'User',
    access: 'superadmin' as const,
    params: TextUserPath,
    response: FullUserStats,
  },
];
