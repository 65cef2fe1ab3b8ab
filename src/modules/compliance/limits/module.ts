import { defineModule } from '../../../http/module.ts';
import { changeLimit } from './change.ts';
import { cancelLimitChange, confirmLimitChange } from './confirm.ts';
import type { LimitDeps } from './deps.ts';
import { excludeSelf, excludeUser } from './exclude.ts';
import { getExclusion, getLimits, getOwnExclusion, getOwnLimits } from './get.ts';
import { liftExclusion } from './lift.ts';
import { notifyEnded } from './notify-ended.ts';
import { setBetLimit } from './set-bet-limit.ts';

/** Functions of later areas. */
type Handed = Omit<LimitDeps, 'db'>;

const staff = [excludeUser, liftExclusion, getExclusion, setBetLimit, getLimits];

export const limits = defineModule({
  name: 'limits',
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
    { name: 'limits.exclusions-ended', everyMs: 10_000, run: () => notifyEnded(deps) },
  ],
});
