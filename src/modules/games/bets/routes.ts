import { z } from 'zod';
import { route } from '../../../http/route.ts';
import { page } from '../../../http/schemas.ts';
import { listErrors } from '../../../platform/errors.ts';
import { betErrors } from './errors.ts';
import {
  BetInfo,
  BetPath,
  BetRow,
  BetsQuery,
  LiveBetRow,
  LiveBetsQuery,
  OwnLiveBetsQuery,
} from './schemas.ts';
import type { Bets } from './service.ts';

const info = (
  path: string,
  summary: string,
  read: (userId: number, betId: string) => ReturnType<Bets['info']>,
) =>
  route({
    method: 'GET',
    path,
    tag: 'Bets',
    access: 'auth',
    summary,
    params: BetPath,
    response: BetInfo,
    errors: [betErrors.BET_NOT_FOUND],
    handler: ({ user, params }) => read(user.id, params.betId),
  });

export const betRoutes = (bets: Bets) => [
  route({
    method: 'GET',
    path: '/bets',
    tag: 'Bets',
    access: 'auth',
    summary: 'Own bets',
    description:
      'Settled bets have every page and an exact `total`. Bets of other states are counted exactly up to 500; of more the first 10,000 can ' +
      'be read. 10,000 bets at most can be sorted by USD_AMOUNT.',
    query: BetsQuery,
    response: page(BetRow),
    errors: Object.values(listErrors),
    handler: ({ user, query }) => bets.list(user.id, query),
  }),
  info(
    '/bets/house-games/info/{betId}',
    'One of the own house-game bets, with inputs and outcome',
    (userId, betId) => bets.info(userId, { betId, type: 'HOUSE_GAME' }),
  ),
  info('/bets/slots/info/{betId}', 'One of the own slot bets', (userId, betId) =>
    bets.info(userId, { betId, type: 'SLOTS' }),
  ),
  route({
    method: 'GET',
    path: '/live-bets',
    tag: 'Bets',
    access: 'auth',
    summary: 'What everybody plays: the bets that were settled last',
    description:
      'ALL, or of the newest 10,000 bets those of HIGH_ROLLERS or LUCKY_WINS (how much they are: LIVE_BETS_HIGH_ROLLER_USD, ' +
      'LIVE_BETS_LUCKY_MULTIPLIER). Settled bets only, the latest settled first; a second old at most. Test users and staff are left out.',
    query: LiveBetsQuery,
    response: z.array(LiveBetRow),
    handler: ({ user, query }) => bets.live.list(user.id, query.type, query.count),
  }),
  route({
    method: 'GET',
    path: '/live-bets/my',
    tag: 'Bets',
    access: 'auth',
    summary: 'Own bets that were settled last',
    description: 'Bets that are not settled stand in the order in which they were made.',
    query: OwnLiveBetsQuery,
    response: z.array(LiveBetRow),
    handler: ({ user, query }) => bets.live.own(user.id, query.status, query.count),
  }),
];
