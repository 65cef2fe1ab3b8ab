import { singleStepRoutes } from '../routes.ts';
import { PlinkoBet, PlinkoConfig, PlinkoResult } from './schemas.ts';
import type { Plinko } from './service.ts';

export const plinkoRoutes = (plinko: Plinko) =>
  singleStepRoutes({
    slug: 'plinko',
    game: plinko,
    bet: { summary: 'Drop a ball through the rows', body: PlinkoBet, response: PlinkoResult },
    config: {
      summary: 'Limits of plinko and how long clients wait between two balls',
      response: PlinkoConfig,
    },
  });
