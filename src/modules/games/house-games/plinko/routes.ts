import { route } from '../../../../http/route.ts';
import { betRefusals } from '../../betting/errors.ts';
import { seriesRoute } from '../routes.ts';
import { PlinkoBet, PlinkoConfig, PlinkoResult } from './schemas.ts';
import type { Plinko } from './service.ts';

export const plinkoRoutes = (plinko: Plinko) => [
  route({
    method: 'POST',
    path: '/casino/games/house/plinko/bet',
    tag: 'Casino',
    access: 'auth',
    gate: 'bet',
    idempotent: true,
    summary: 'Drop a ball through the rows',
    body: PlinkoBet,
    status: 201,
    response: PlinkoResult,
    errors: betRefusals,
    handler: ({ user, ip, body, idempotencyKey }) =>
      plinko.bet({ userId: user.id, ip, idempotencyKey }, body),
  }),
  seriesRoute({
    series: (by, count, bet) => plinko.series(by, count, bet),
    slug: 'plinko',
    body: PlinkoBet,
    response: PlinkoResult,
    bet: (by, bet) => plinko.bet(by, bet),
  }),
  route({
    method: 'GET',
    path: '/casino/games/house/plinko/config',
    tag: 'Casino',
    access: 'auth',
    summary: 'Limits of plinko and how long clients wait between two balls',
    status: 200,
    response: PlinkoConfig,
    handler: () => plinko.config(),
  }),
];
