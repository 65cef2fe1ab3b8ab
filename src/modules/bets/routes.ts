import { route } from '../../http/route.ts';
import { page } from '../../http/schemas.ts';
import { betErrors } from './errors.ts';
import { BetInfo, BetPath, BetRow, BetsQuery } from './schemas.ts';
import type { Bets } from './service.ts';

export const betRoutes = (bets: Bets) => [
  route({
    method: 'GET',
    path: '/bets',
    tag: 'Bets',
    access: 'auth',
    summary: 'Own bets',
    query: BetsQuery,
    status: 200,
    response: page(BetRow),
    handler: ({ user, query }) => bets.list(user.id, query),
  }),
  route({
    method: 'GET',
    path: '/bets/house-games/info/{betId}',
    tag: 'Bets',
    access: 'auth',
    summary: 'One of the own house-game bets, with inputs and outcome',
    params: BetPath,
    status: 200,
    response: BetInfo,
    errors: [betErrors.BET_NOT_FOUND],
    handler: ({ user, params }) => bets.houseBetInfo(user.id, params.betId),
  }),
];
