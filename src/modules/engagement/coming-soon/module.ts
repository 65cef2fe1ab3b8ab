import { defineModule } from '../../../http/module.ts';
import { type ComingSoonDeps, overdueSubscribers, purgeSubscribers } from './purge.ts';
import { getComingSoon, subscribe } from './subscribe.ts';

export const comingSoon = defineModule({
  name: 'coming-soon',
  tags: { 'Coming Soon': 'The page shown before the launch, and its email list.' },
  operations: [getComingSoon, subscribe],
  jobs: (deps: ComingSoonDeps) => [
    {
      name: 'coming-soon.purge',
      everyMs: 3_600_000,
      run: () => purgeSubscribers(deps),
      overdue: [overdueSubscribers(deps)],
    },
  ],
});
