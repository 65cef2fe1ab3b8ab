import { singleStepRoutes } from '../routes.ts';
import { RouletteBet, RouletteConfig, RouletteResult } from './schemas.ts';
import type { Roulette } from './service.ts';

export const rouletteRoutes = (roulette: Roulette) =>
  singleStepRoutes({
    slug: 'roulette',
    game: roulette,
    bet: { summary: 'Bet on positions of the layout', body: RouletteBet, response: RouletteResult },
    config: { summary: 'Limits of roulette', response: RouletteConfig },
  });
