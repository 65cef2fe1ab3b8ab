import { route } from '../../../http/route.ts';
import { SuccessResponse } from '../../../http/schemas.ts';
import { commonErrors } from '../../../platform/errors.ts';
import { SelfExclude } from '../../base/users/schemas.ts';
import { limitErrors } from './errors.ts';
import { ChangeId, GamblingLimitsState, LimitChange, SetSelfExclude, TypedLimit } from './schemas.ts';
import type { UserLimits } from './service.ts';

const read = { method: 'GET', tag: 'User Limits', access: 'auth' } as const;
const change = { tag: 'User Limits', access: 'auth', gate: 'none' } as const;

export const limitRoutes = (limits: UserLimits) => [
  route({
    ...change,
    method: 'POST',
    path: '/user-limits/self-exclusion',
    summary: 'Exclude oneself from play and payments in, at once',
    description:
      'Takes exactly one of excludeUntil and durationDays, five years at most. It can be extended and not shortened. From 180 days ' +
      'on play begins 24 hours after its end. Withdrawals stay possible.',
    body: SetSelfExclude,
    response: SelfExclude,
    errors: [limitErrors.EXCLUSION_CANNOT_BE_SHORTENED],
    handler: ({ user, body }) => limits.excludeSelf(user.id, body),
  }),
  route({
    ...read,
    path: '/user-limits/self-exclusion',
    summary: 'The own exclusion; isActive is false when there is none',
    response: SelfExclude,
    handler: ({ user }) => limits.exclusion(user.id),
  }),
  route({
    ...read,
    path: '/user-limits/gambling-limits',
    summary: 'Own limits, what of them is used and which changes wait',
    response: GamblingLimitsState,
    handler: ({ user }) => limits.limits(user.id),
  }),
  route({
    ...change,
    method: 'POST',
    path: '/user-limits/gambling-limits',
    summary: 'Set a limit: US dollars, of SESSION minutes; null removes it',
    description:
      'A first or lower limit applies at once and cancels a change that waits. A higher one, or removal, can be confirmed from 24 ' +
      'to 168 hours later. The lowest of the own limit and that of staff applies; at 0 nothing is staked or paid in.',
    body: LimitChange,
    response: TypedLimit,
    errors: [commonErrors.AMOUNT_OUT_OF_RANGE, limitErrors.LIMIT_NOT_FOUND, limitErrors.LIMIT_CHANGE_PENDING],
    handler: ({ user, body }) => limits.change(user.id, body),
  }),
  route({
    ...change,
    method: 'POST',
    path: '/user-limits/gambling-limits/confirm',
    summary: 'Confirm a higher limit or a removal',
    body: ChangeId,
    response: TypedLimit,
    errors: [
      limitErrors.LIMIT_CHANGE_NOT_FOUND,
      limitErrors.LIMIT_CHANGE_TOO_EARLY,
      limitErrors.LIMIT_CHANGE_LAPSED,
    ],
    handler: ({ user, body }) => limits.confirm(user.id, body.id),
  }),
  route({
    ...change,
    method: 'DELETE',
    path: '/user-limits/gambling-limits/pending',
    summary: 'Cancel a change that waits',
    body: ChangeId,
    response: SuccessResponse,
    errors: [limitErrors.LIMIT_CHANGE_NOT_FOUND],
    handler: ({ user, body }) => limits.cancel(user.id, body.id),
  }),
];
