import { z } from 'zod';
import { route } from '../../../../http/route.ts';
import { betRefusals, bettingErrors } from '../../betting/errors.ts';
import { BET, configRoute, SHOW } from '../routes.ts';
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
    ...BET,
    path: '/casino/games/house/speed-roulette/bet',
    summary: 'Bet on a colour in the current round',
    body: SpeedRouletteBet,
    response: SpeedRouletteResult,
    errors: [...betRefusals, bettingErrors.BETTING_CLOSED],
    handler: ({ caller, body }) => speedRoulette.bet(caller, body),
  }),
  configRoute('speed-roulette', {
    summary: 'Limits and times of speed-roulette',
    response: SpeedRouletteConfig,
    read: () => speedRoulette.config(),
  }),
  route({
    ...SHOW,
    path: '/casino/games/house/speed-roulette/info',
    summary: 'The current round, its bets and the last results',
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
    response: z.array(FairnessChain),
    handler: () => speedRoulette.publishedChains(),
  }),
];
