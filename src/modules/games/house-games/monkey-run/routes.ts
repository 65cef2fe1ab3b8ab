import { route } from '../../../../http/route.ts';
import { bettingErrors } from '../../betting/errors.ts';
import { ACTION, configRoute, SHOW, START } from '../routes.ts';
import { RoundAction } from '../schemas.ts';
import { MonkeyRunBet, MonkeyRunConfig, MonkeyRunRoundState, MonkeyRunStep } from './schemas.ts';
import type { MonkeyRun } from './service.ts';

export const monkeyRunRoutes = (monkeyRun: MonkeyRun) => [
  route({
    ...START,
    path: '/casino/games/house/monkey-run/bet',
    summary: 'Start a monkey run',
    body: MonkeyRunBet,
    response: MonkeyRunRoundState,
    handler: ({ caller, body }) => monkeyRun.bet(caller, body),
  }),
  route({
    ...ACTION,
    path: '/casino/games/house/monkey-run/play',
    summary: 'Run to a tile',
    body: MonkeyRunStep,
    response: MonkeyRunRoundState,
    handler: ({ caller, body }) => monkeyRun.play(caller, body),
  }),
  route({
    ...ACTION,
    method: 'PUT',
    path: '/casino/games/house/monkey-run/cash-out',
    summary: 'End the run and be paid for the tiles passed',
    body: RoundAction,
    response: MonkeyRunRoundState,
    handler: ({ caller, body }) => monkeyRun.cashOut(caller, body),
  }),
  route({
    ...SHOW,
    path: '/casino/games/house/monkey-run/game',
    summary: 'The open run, to go on with',
    response: MonkeyRunRoundState,
    errors: [bettingErrors.ROUND_NOT_FOUND],
    handler: ({ user }) => monkeyRun.game(user.id),
  }),
  configRoute('monkey-run', {
    summary: 'Limits, multipliers and return of monkey-run',
    response: MonkeyRunConfig,
    read: () => monkeyRun.config(),
  }),
];
