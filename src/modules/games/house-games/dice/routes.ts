import { route } from '../../../../http/route.ts';
import { betRefusals } from '../../betting/errors.ts';
import { seriesRoute } from '../routes.ts';
import { DiceBet, DiceConfig, DiceResult } from './schemas.ts';
import type { Dice } from './service.ts';

export const diceRoutes = (dice: Dice) => [
  route({
    method: 'POST',
    path: '/casino/games/house/dice/bet',
    tag: 'Casino',
    access: 'auth',
    gate: 'bet',
    idempotent: true,
    summary: 'Bet that the roll lies above or below a threshold',
    body: DiceBet,
    status: 201,
    response: DiceResult,
    errors: betRefusals,
    handler: ({ user, ip, body, idempotencyKey }) => dice.bet({ userId: user.id, ip, idempotencyKey }, body),
  }),
  seriesRoute({
    series: (by, count, bet) => dice.series(by, count, bet),
    slug: 'dice',
    body: DiceBet,
    response: DiceResult,
    bet: (by, bet) => dice.bet(by, bet),
  }),
  route({
    method: 'GET',
    path: '/casino/games/house/dice/config',
    tag: 'Casino',
    access: 'auth',
    summary: 'Limits and return of dice',
    status: 200,
    response: DiceConfig,
    handler: () => dice.config(),
  }),
];
