import { defineModule } from '../../../http/module.ts';
import { getSeeds, listRevealedSeeds, rotateOldSeeds, rotateSeeds } from './seeds.ts';
import type { FairnessDeps } from './service.ts';

export const fairness = defineModule<FairnessDeps>({
  name: 'fairness',
  operations: [getSeeds, rotateSeeds, listRevealedSeeds],
  jobs: (deps) => [{ name: 'seeds.old', everyMs: 300_000, run: () => rotateOldSeeds(deps) }],
});
