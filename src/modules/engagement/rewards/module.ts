import { defineModule } from '../../../http/module.ts';
import { checks } from './checks.ts';
import { createRewards, type RewardDeps, type Rewards } from './consumer.ts';

export const rewards = defineModule({
  name: 'rewards',
  checks,
  create: (before: RewardDeps) => ({ rewards: createRewards(before) }),
  consumers: (services: { rewards: Rewards }) => [services.rewards],
});
