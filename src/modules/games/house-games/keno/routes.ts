import { route } from '../../../../http/route.ts';
import { betRefusals } from '../../betting/errors.ts';
import { seriesRoute } from '../routes.ts';
import { KenoBet, KenoConfig, KenoResult } from './schemas.ts';
import type { Keno } from './service.ts';

export const kenoRoutes = (keno: Keno) => [
  route({
    method: 'POST',
    path: '/casino/games/house/keno/bet',
    tag: 'Casino',
    access: 'auth',
    gate: 'bet',
    idempotent: true,
    summary: 'Bet on how many selected numbers are drawn',
    body: KenoBet,
    status: 201,
    response: KenoResult,
    errors: betRefusals,
    handler: ({ user, ip, body, idempotencyKey }) => keno.bet({ userId: user.id, ip, idempotencyKey }, body),
  }),
  seriesRoute({
    series: (by, count, bet) => keno.series(by, count, bet),
    slug: 'keno',
    body: KenoBet,
    response: KenoResult,
    bet: (by, bet) => keno.bet(by, bet),
  }),
  route({
    method: 'GET',
    path: '/casino/games/house/keno/config',
    tag: 'Casino',
    access: 'auth',
    summary: 'Limits and multipliers of keno',
    status: 200,
    response: KenoConfig,
    handler: () => keno.config(),
  }),
];
