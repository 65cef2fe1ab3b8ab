import { route } from '../../../../http/route.ts';
import { actionRefusals, bettingErrors, startRefusals } from '../../betting/errors.ts';
import { RoundAction } from '../schemas.ts';
import { MonkeyRunBet, MonkeyRunConfig, MonkeyRunRoundState, MonkeyRunStep } from './schemas.ts';
import type { MonkeyRun } from './service.ts';

export const monkeyRunRoutes = (monkeyRun: MonkeyRun) => [
  route({
    method: 'POST',
    path: '/casino/games/house/monkey-run/bet',
    tag: 'Casino',
    access: 'auth',
    gate: 'bet',
    idempotent: true,
    summary: 'Start a monkey run',
    body: MonkeyRunBet,
    status: 201,
    response: MonkeyRunRoundState,
    errors: startRefusals,
    handler: ({ user, ip, body, idempotencyKey }) =>
      monkeyRun.bet({ userId: user.id, ip, idempotencyKey }, body),
  }),
  route({
    method: 'POST',
    path: '/casino/games/house/monkey-run/play',
    tag: 'Casino',
    access: 'auth',
    gate: 'finish',
    onLane: true,
    idempotent: true,
    summary: 'Run to a tile',
    body: MonkeyRunStep,
    status: 201,
    response: MonkeyRunRoundState,
    errors: actionRefusals,
    handler: ({ user, ip, body, idempotencyKey }) =>
      monkeyRun.play({ userId: user.id, ip, idempotencyKey }, body),
  }),
  route({
    method: 'PUT',
    path: '/casino/games/house/monkey-run/cash-out',
    tag: 'Casino',
    access: 'auth',
    gate: 'finish',
    onLane: true,
    idempotent: true,
    summary: 'End the run and be paid for the tiles passed',
    body: RoundAction,
    status: 200,
    response: MonkeyRunRoundState,
    errors: actionRefusals,
    handler: ({ user, ip, body, idempotencyKey }) =>
      monkeyRun.cashOut({ userId: user.id, ip, idempotencyKey }, body),
  }),
  route({
    method: 'GET',
    path: '/casino/games/house/monkey-run/game',
    tag: 'Casino',
    access: 'auth',
    summary: 'The open run, to go on with',
    status: 200,
    response: MonkeyRunRoundState,
    errors: [bettingErrors.ROUND_NOT_FOUND],
    handler: ({ user }) => monkeyRun.game(user.id),
  }),
  route({
    method: 'GET',
    path: '/casino/games/house/monkey-run/config',
    tag: 'Casino',
    access: 'auth',
    summary: 'Limits, multipliers and return of monkey-run',
    status: 200,
    response: MonkeyRunConfig,
    handler: () => monkeyRun.config(),
  }),
];
