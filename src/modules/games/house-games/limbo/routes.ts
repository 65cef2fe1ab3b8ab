import { singleStepRoutes } from '../routes.ts';
import { LimboBet, LimboConfig, LimboResult } from './schemas.ts';
import type { Limbo } from './service.ts';

export const limboRoutes = (limbo: Limbo) =>
  singleStepRoutes({
    slug: 'limbo',
    game: limbo,
    bet: { summary: 'Bet that the point reaches a multiplier', body: LimboBet, response: LimboResult },
    config: { summary: 'Limits, targets and return of limbo', response: LimboConfig },
  });
