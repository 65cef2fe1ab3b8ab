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

const own = { method: 'GET', tag: 'Bets', access: 'auth' } as const;
const info = { ...own, params: BetPath, response: BetInfo, errors: [betErrors.BET_NOT_FOUND] } as const;

export const betRoutes = (bets: Bets) => [
  route({
    ...own,
    path: '/bets',
    summary: 'Own bets',
    description:
      'Settled bets have every page and an exact `total`. Bets of other states are counted exactly up to 500; of more the first 10,000 can ' +
      'be read. 10,000 bets at most can be sorted by USD_AMOUNT.',
    query: BetsQuery,
    response: page(BetRow),
    errors: Object.values(listErrors),
    handler: ({ user, query }) => bets.list(user.id, query),
  }),
  route({
    ...info,
    path: '/bets/house-games/info/{betId}',
    summary: 'One of the own house-game bets, with inputs and outcome',
    handler: ({ user, params }) => bets.info(user.id, { betId: params.betId, type: 'HOUSE_GAME' }),
  }),
  route({
    ...info,
    path: '/bets/slots/info/{betId}',
    summary: 'One of the own slot bets',
    handler: ({ user, params }) => bets.info(user.id, { betId: params.betId, type: 'SLOTS' }),
  }),
  route({
    ...own,
    path: '/live-bets',
    summary: 'What everybody plays: the bets that were settled last',
    description:
      'ALL, or of the newest 10,000 bets those of HIGH_ROLLERS or LUCKY_WINS (how much they are: LIVE_BETS_HIGH_ROLLER_USD, ' +
      'LIVE_BETS_LUCKY_MULTIPLIER). Settled bets only, the latest settled first; a second old at most. Test users and staff are left out. ' +
      'Where GET /config/USER says `isActivitySimulated`, one row of ALL in five at most is scenery: `isSimulated`.',
    query: LiveBetsQuery,
    response: z.array(LiveBetRow),
    handler: ({ user, query }) => bets.live.list(user.id, query.type, query.count),
  }),
  route({
    ...own,
    path: '/live-bets/my',
    summary: 'Own bets that were settled last',
    description: 'Bets that are not settled stand in the order in which they were made.',
    query: OwnLiveBetsQuery,
    response: z.array(LiveBetRow),
    handler: ({ user, query }) => bets.live.own(user.id, query.status, query.count),
  }),
];
