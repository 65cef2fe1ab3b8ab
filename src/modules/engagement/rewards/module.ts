import { defineModule } from '../../../http/module.ts';
import { createRewards, type RewardDeps, type Rewards } from './consumer.ts';

export const rewards = defineModule({
  name: 'rewards',
  create: (before: RewardDeps) => ({ rewards: createRewards(before) }),
  operations: [],
  consumers: (services: { rewards: Rewards }) => [services.rewards],
});
