import { defineModule } from '../../../http/module.ts';
import { cancelLimitChange, changeLimit, confirmLimitChange } from './change.ts';
import { excludeSelf, excludeUser, liftExclusion } from './exclude.ts';
import { findEnded, notifyEnded } from './exclusions.ts';
import { getExclusion, getLimits, getOwnExclusion, getOwnLimits } from './get.ts';
import type { LimitDeps } from './limits.ts';
import { limitMessages } from './messages.ts';
import { limitEvents } from './schemas.ts';
import { setBetLimit } from './set-bet-limit.ts';

/** Functions from areas that are created after this one. */
type Handed = Omit<LimitDeps, 'db'>;

const staff = [excludeUser, liftExclusion, getExclusion, setBetLimit, getLimits];

export const limits = defineModule({
  name: 'limits',
  tags: {
    'User Limits': 'Limits on deposits, stakes, losses and play time; time-outs and self-exclusion.',
    'Admin User Limits': "Players' limits and exclusions, which staff can tighten.",
  },
  events: limitEvents,
  messages: limitMessages,
  create: ({ playSince, depositedOf, endGrants }: Handed) => ({ playSince, depositedOf, endGrants }),
  operations: [
    excludeSelf,
    getOwnExclusion,
    getOwnLimits,
    changeLimit,
    confirmLimitChange,
    cancelLimitChange,
    ...staff,
  ],
  backoffice: { operations: staff, without: '/admin', tag: 'User Limits' },
  jobs: (deps: LimitDeps) => [
    {
      name: 'limits.exclusions-ended',
      everyMs: 10_000,
      isDue: async () => (await findEnded(deps.db, 1)).length > 0,
      run: () => notifyEnded(deps),
    },
  ],
});
