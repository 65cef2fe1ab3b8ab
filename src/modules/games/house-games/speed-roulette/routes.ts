import { z } from 'zod';
import { route } from '../../../../http/route.ts';
import { betRefusals, bettingErrors } from '../../betting/errors.ts';
import {
  FairnessChain,
  SpeedRouletteBet,
  SpeedRouletteConfig,
  SpeedRouletteInfo,
  SpeedRouletteResult,
} from './schemas.ts';
import type { SpeedRoulette } from './service.ts';

export const speedRouletteRoutes = (speedRoulette: SpeedRoulette) => [
  route({
    method: 'POST',
    path: '/casino/games/house/speed-roulette/bet',
    tag: 'Casino',
    access: 'auth',
    gate: 'bet',
    idempotent: true,
    summary: 'Bet on a colour in the current round',
    body: SpeedRouletteBet,
    status: 201,
    response: SpeedRouletteResult,
    errors: [...betRefusals, bettingErrors.BETTING_CLOSED],
    handler: ({ caller, body }) => speedRoulette.bet(caller, body),
  }),
  route({
    method: 'GET',
    path: '/casino/games/house/speed-roulette/config',
    tag: 'Casino',
    access: 'auth',
    summary: 'Limits and times of speed-roulette',
    status: 200,
    response: SpeedRouletteConfig,
    handler: () => speedRoulette.config(),
  }),
  route({
    method: 'GET',
    path: '/casino/games/house/speed-roulette/info',
    tag: 'Casino',
    access: 'auth',
    summary: 'The current round, its bets and the last results',
    status: 200,
    response: SpeedRouletteInfo,
    errors: [bettingErrors.ROUND_NOT_FOUND],
    handler: ({ user }) => speedRoulette.info(user.id),
  }),
  route({
    method: 'GET',
    path: '/fairness/chains',
    tag: 'Fairness',
    access: 'anonymous',
    summary: 'What the rounds of speed-roulette were committed to before anybody could know their seeds',
    status: 200,
    response: z.array(FairnessChain),
    handler: () => speedRoulette.publishedChains(),
  }),
];
