import { route } from '../../../../http/route.ts';
import { betRefusals } from '../../betting/errors.ts';
import { seriesRoute } from '../routes.ts';
import { RouletteBet, RouletteConfig, RouletteResult } from './schemas.ts';
import type { Roulette } from './service.ts';

export const rouletteRoutes = (roulette: Roulette) => [
  route({
    method: 'POST',
    path: '/casino/games/house/roulette/bet',
    tag: 'Casino',
    access: 'auth',
    gate: 'bet',
    idempotent: true,
    summary: 'Bet on positions of the layout',
    body: RouletteBet,
    status: 201,
    response: RouletteResult,
    errors: betRefusals,
    handler: ({ user, ip, body, idempotencyKey }) =>
      roulette.bet({ userId: user.id, ip, idempotencyKey }, body),
  }),
  seriesRoute({
    series: (by, count, bet) => roulette.series(by, count, bet),
    slug: 'roulette',
    body: RouletteBet,
    response: RouletteResult,
    bet: (by, bet) => roulette.bet(by, bet),
  }),
  route({
    method: 'GET',
    path: '/casino/games/house/roulette/config',
    tag: 'Casino',
    access: 'auth',
    summary: 'Limits of roulette',
    status: 200,
    response: RouletteConfig,
    handler: () => roulette.config(),
  }),
];
