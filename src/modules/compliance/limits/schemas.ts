import { z } from 'zod';
import { Decimal, Moment, object, Timestamp } from '../../../http/schemas.ts';
import { errors } from '../../../platform/errors.ts';
import { event, events } from '../../base/events/schemas.ts';
import { LIMIT_PERIODS, LIMIT_TYPES } from '../gate/rules.ts';

export const limitErrors = errors({
  EXCLUSION_CANNOT_BE_SHORTENED: [
    409,
    'An exclusion cannot be shortened. It lasts at least until `details.expiresAt`.',
  ],
  EXCLUSION_NOT_FOUND: [404, 'This user is not excluded.'],
  REASON_REQUIRED: [400, 'The user chose this exclusion. Enter a `reason` for lifting it.'],
  LIMIT_NOT_FOUND: [404, 'This limit does not exist, so it cannot be removed.'],
  LIMIT_CHANGE_PENDING: [409, 'A change to this limit is pending. Confirm or cancel it first.'],
  LIMIT_CHANGE_NOT_FOUND: [
    404,
    'Pending change not found. GET /user-limits/gambling-limits lists pending changes.',
  ],
  LIMIT_CHANGE_TOO_EARLY: [
    409,
    'It is too early to confirm this change. Confirm it at or after `details.confirmableFrom`.',
  ],
  LIMIT_CHANGE_LAPSED: [409, 'This change was not confirmed in time. Request it again.'],
  STAFF_LIMIT_ONLY_TIGHTENS: [
    409,
    'Staff can only lower this limit. The current limit is in `details.betLimit`.',
  ],
});

// No account has the id of the example, so a request with the example values has no effect.
export const UserId = z.number().int().min(1).max(2_147_483_647).meta({ example: 2_000_000_000 });
export const LimitsPath = z.object({ id: UserId });

export const SelfExclusion = object('SelfExclusion', {
  id: z.number().int(),
  userId: z.number().int(),
  expiresAt: Timestamp,
  createdAt: Timestamp,
  updatedAt: Timestamp,
});

export const LimitTypeName = z.enum(LIMIT_TYPES);
export const LimitPeriodName = z.enum(LIMIT_PERIODS);

export const GamblingLimits = object('GamblingLimits', {
  betLimit: Decimal,
  userId: z.number().int(),
  id: z.number().int(),
  createdAt: Timestamp,
  updatedAt: Timestamp,
});

const LimitUsage = object('LimitUsage', { used: Decimal, remaining: Decimal, periodEndsAt: Timestamp });

const PendingLimitChange = object('PendingLimitChange', {
  id: z.string(),
  type: LimitTypeName,
  period: LimitPeriodName,
  amount: Decimal.nullable(),
  requestedAt: Timestamp,
  confirmableFrom: Timestamp,
  lapsesAt: Timestamp,
});

export const TypedLimit = object('TypedLimit', {
  id: z.string(),
  type: LimitTypeName,
  period: LimitPeriodName,
  amount: Decimal.nullable(),
  source: z.enum(['PLAYER', 'STAFF']),
  usage: LimitUsage.nullable(),
  pending: PendingLimitChange.nullable(),
  createdAt: Timestamp,
  updatedAt: Timestamp,
});

export const GamblingLimitsState = object('GamblingLimitsState', {
  betLimit: Decimal.nullable(),
  userId: z.number().int(),
  id: z.number().int().nullable(),
  createdAt: Timestamp.nullable(),
  updatedAt: Timestamp.nullable(),
  usage: LimitUsage.nullable(),
  pending: PendingLimitChange.nullable(),
  limits: z.array(TypedLimit),
});

export const limitEvents = events({
  'exclusion.started': event(
    'user',
    'The player is excluded from play and leaves all game rooms. `expiresAt` is null for a permanent exclusion.',
    z.strictObject({ expiresAt: Moment.nullable() }),
  ),
});
