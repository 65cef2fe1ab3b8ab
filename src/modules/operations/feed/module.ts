import { defineModule } from '../../../http/module.ts';
import { createFeed } from './service.ts';

export const feed = defineModule({
  name: 'feed',
  create: (before: Parameters<typeof createFeed>[0]) => ({ feed: createFeed(before) }),
});
