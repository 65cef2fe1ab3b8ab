import { route } from '../../../../http/route.ts';
import { betRefusals } from '../../betting/errors.ts';
import { seriesRoute } from '../routes.ts';
import { LimboBet, LimboConfig, LimboResult } from './schemas.ts';
import type { Limbo } from './service.ts';

export const limboRoutes = (limbo: Limbo) => [
  route({
    method: 'POST',
    path: '/casino/games/house/limbo/bet',
    tag: 'Casino',
    access: 'auth',
    gate: 'bet',
    idempotent: true,
    summary: 'Bet that the point reaches a multiplier',
    body: LimboBet,
    status: 201,
    response: LimboResult,
    errors: betRefusals,
    handler: ({ user, ip, body, idempotencyKey }) => limbo.bet({ userId: user.id, ip, idempotencyKey }, body),
  }),
  seriesRoute({
    series: (by, count, bet) => limbo.series(by, count, bet),
    slug: 'limbo',
    body: LimboBet,
    response: LimboResult,
    bet: (by, bet) => limbo.bet(by, bet),
  }),
  route({
    method: 'GET',
    path: '/casino/games/house/limbo/config',
    tag: 'Casino',
    access: 'auth',
    summary: 'Limits, targets and return of limbo',
    status: 200,
    response: LimboConfig,
    handler: () => limbo.config(),
  }),
];
