import { operation } from '../../../http/operation.ts';
import { SelfExclude, userErrors } from '../../base/users/schemas.ts';
import { getUser } from '../../base/users/service.ts';
import { readExclusion } from './exclusions.ts';
import { type LimitDeps, readState } from './limits.ts';
import { GamblingLimitsState, LimitsPath } from './schemas.ts';

const own = { method: 'GET', tag: 'User Limits', access: 'auth' } as const;
const forStaff = {
  method: 'GET',
  tag: 'Admin User Limits',
  access: { permission: 'limit.read' },
  params: LimitsPath,
  errors: [userErrors.USER_NOT_FOUND],
} as const;

export const getOwnExclusion = operation({
  ...own,
  path: '/user-limits/self-exclusion',
  summary: 'Get your self-exclusion',
  description: '`isActive` is false if you are not excluded.',
  response: SelfExclude,
  handler: ({ db }: LimitDeps, { user }) => readExclusion(db, user.id),
});

export const getOwnLimits = operation({
  ...own,
  path: '/user-limits/gambling-limits',
  summary: 'List your limits, usage and pending changes',
  response: GamblingLimitsState,
  handler: (deps: LimitDeps, { user }) => readState(deps, user.id),
});

export const getExclusion = operation({
  ...forStaff,
  path: '/admin/user-limits/user-exclusion/{id}',
  summary: "Get a user's exclusion",
  description: '`isActive` is false if the user is not excluded.',
  response: SelfExclude,
  handler: async ({ db }: LimitDeps, { params: { id } }) => {
    await getUser(db, id);
    return readExclusion(db, id);
  },
});

export const getLimits = operation({
  ...forStaff,
  path: '/admin/user-limits/gambling-limits/{id}',
  summary: "List a user's limits, usage and pending changes",
  response: GamblingLimitsState,
  handler: async (deps: LimitDeps, { params: { id } }) => {
    await getUser(deps.db, id);
    return readState(deps, id);
  },
});
