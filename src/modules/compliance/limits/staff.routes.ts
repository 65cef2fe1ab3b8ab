import { route } from '../../../http/route.ts';
import { commonErrors } from '../../../platform/errors.ts';
import { accessErrors } from '../../base/access/errors.ts';
import { userErrors } from '../../base/users/errors.ts';
import { SelfExclude } from '../../base/users/schemas.ts';
import { limitErrors } from './errors.ts';
import {
  GamblingLimits,
  GamblingLimitsState,
  LiftExclusion,
  LimitsPath,
  SelfExclusion,
  StaffLimit,
  UserExclusion,
} from './schemas.ts';
import type { UserLimits } from './service.ts';

const tag = 'Admin User Limits';
const read = {
  method: 'GET',
  tag,
  access: { permission: 'limit.read' },
  params: LimitsPath,
  errors: [userErrors.USER_NOT_FOUND],
} as const;
const change = { tag, access: { permission: 'limit.write' }, gate: 'none' } as const;
const managing = [userErrors.USER_NOT_FOUND, commonErrors.OWN_ACCOUNT, accessErrors.ACCOUNT_CONNECTED];

export const limitStaffRoutes = (limits: UserLimits) => [
  route({
    ...change,
    method: 'POST',
    path: '/admin/user-limits/user-exclusion',
    summary: 'Exclude a user from play and payments in, or extend it',
    body: UserExclusion,
    response: SelfExclusion,
    errors: [...managing, limitErrors.EXCLUSION_CANNOT_BE_SHORTENED],
    handler: ({ by, body }) => limits.excludeUser(by, body),
  }),
  route({
    ...change,
    method: 'DELETE',
    path: '/admin/user-limits/user-exclusion',
    summary: "Lift a user's exclusion, and the pause after one",
    description: 'What users have set themselves is lifted with a `reason` only; the audit keeps it.',
    body: LiftExclusion,
    response: SelfExclusion,
    errors: [...managing, limitErrors.EXCLUSION_NOT_FOUND, limitErrors.REASON_REQUIRED],
    handler: ({ by, body }) => limits.lift(by, body),
  }),
  route({
    ...read,
    path: '/admin/user-limits/user-exclusion/{id}',
    summary: "A user's exclusion; isActive is false when there is none",
    response: SelfExclude,
    handler: ({ params }) => limits.exclusionForStaff(params.id),
  }),
  route({
    ...change,
    method: 'POST',
    path: '/admin/user-limits/gambling-limits',
    summary: 'Limit what a user may stake per UTC day, in US dollars; never to more than before',
    body: StaffLimit,
    response: GamblingLimits,
    errors: [...managing, commonErrors.AMOUNT_OUT_OF_RANGE, limitErrors.STAFF_LIMIT_ONLY_TIGHTENS],
    handler: ({ by, body }) => limits.setBetLimit(by, body),
  }),
  route({
    ...read,
    path: '/admin/user-limits/gambling-limits/{id}',
    summary: "A user's limits, what of them is used and which changes wait",
    response: GamblingLimitsState,
    handler: ({ params }) => limits.limitsForStaff(params.id),
  }),
];
