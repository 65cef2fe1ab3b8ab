import { defineModule } from '../../../http/module.ts';
import type { Rewards } from './consumer.ts';

export const rewards = defineModule({
  name: 'rewards',
  operations: [],
  consumers: (services: { rewards: Rewards }) => [services.rewards],
});
