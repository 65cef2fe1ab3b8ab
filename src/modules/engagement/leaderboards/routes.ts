import { route } from '../../../http/route.ts';
import { listErrors } from '../../../platform/errors.ts';
import { leaderboardErrors } from './errors.ts';
import {
  DetailQuery,
  LeaderboardDetail,
  LeaderboardPage,
  LeaderboardPath,
  LeaderboardQuery,
  MyPage,
  MyQuery,
} from './schemas.ts';
import type { Leaderboards } from './service.ts';

const tag = 'Leaderboard';

export const leaderboardRoutes = (leaderboards: Leaderboards) => [
  route({
    method: 'GET',
    path: '/leaderboards',
    tag,
    access: 'anonymous',
    summary: 'Leaderboards, by filter and in order',
    query: LeaderboardQuery,
    response: LeaderboardPage,
    errors: [listErrors.PAGE_TOO_DEEP],
    handler: ({ query }) => leaderboards.lists.list(query),
  }),
  route({
    method: 'GET',
    path: '/leaderboards/my',
    tag,
    access: 'auth',
    summary: 'Own places and prizes',
    query: MyQuery,
    response: MyPage,
    handler: ({ user, query }) => leaderboards.lists.my(user.id, query),
  }),
  route({
    method: 'GET',
    path: '/leaderboards/{leaderboardId}',
    tag,
    access: 'anonymous',
    readsSession: true,
    summary: 'One leaderboard with its first places',
    description:
      'With a session `me` is the own standing, and the own row is not masked. Standings are read at most every two seconds.',
    params: LeaderboardPath,
    query: DetailQuery,
    response: LeaderboardDetail,
    errors: [leaderboardErrors.LEADERBOARD_NOT_FOUND],
    handler: ({ params, query, user }) =>
      leaderboards.lists.detail(params.leaderboardId, { take: query.take, viewerId: user?.id }),
  }),
];
