import { defineModule } from '../../../http/module.ts';
import type { Config } from '../../../platform/config/config.ts';
import type { Db } from '../../../platform/database/db.ts';
import { seedSecret } from '../../../platform/secrets/encryption.ts';
import { getSeeds, listRevealedSeeds, rotateOldSeeds, rotateSeeds } from './seeds.ts';
import type { FairnessDeps } from './service.ts';
import { createFairness, createSeedEncryption } from './service.ts';

export const fairness = defineModule({
  name: 'fairness',
  tags: { Fairness: 'Seeds, commitments and proofs: everything needed to verify a bet.' },
  create: ({ db, config }: { db: Db; config: Config }) => ({
    fairness: createFairness({ db, encryption: createSeedEncryption(seedSecret(config)) }),
  }),
  operations: [getSeeds, rotateSeeds, listRevealedSeeds],
  jobs: (deps: FairnessDeps) => [{ name: 'seeds.old', everyMs: 300_000, run: () => rotateOldSeeds(deps) }],
});
