import { route } from '../../../http/route.ts';
import { userErrors } from '../../base/users/errors.ts';
import { UserMyStats, UsernamePath, UserPublicStats } from './schemas.ts';
import type { UserStats } from './service.ts';

export const userStatsRoutes = (stats: UserStats) => [
  route({
    method: 'GET',
    path: '/user/me/stats',
    tag: 'User',
    access: 'auth',
    summary: 'Own statistics, up to the last bet',
    response: UserMyStats,
    handler: ({ user }) => stats.mine(user.id),
  }),
  route({
    method: 'GET',
    path: '/user/{username}/stats',
    tag: 'User',
    access: 'anonymous',
    summary: 'Statistics of a player; without money when they hide',
    params: UsernamePath,
    response: UserPublicStats,
    errors: [userErrors.USER_NOT_FOUND],
    handler: ({ params }) => stats.ofUsername(params.username),
  }),
];
