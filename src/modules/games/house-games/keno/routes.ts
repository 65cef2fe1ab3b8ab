import { singleStepRoutes } from '../routes.ts';
import { KenoBet, KenoConfig, KenoResult } from './schemas.ts';
import type { Keno } from './service.ts';

export const kenoRoutes = (keno: Keno) =>
  singleStepRoutes({
    slug: 'keno',
    game: keno,
    bet: { summary: 'Bet on how many selected numbers are drawn', body: KenoBet, response: KenoResult },
    config: { summary: 'Limits and multipliers of keno', response: KenoConfig },
  });
