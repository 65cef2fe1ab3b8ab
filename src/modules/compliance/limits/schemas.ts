import { z } from 'zod';
import { Decimal, Moment, object, Timestamp } from '../../../http/schemas.ts';
import { event, events } from '../../base/events/schemas.ts';
import { LIMIT_PERIODS, LIMIT_TYPES } from '../gate/rules.ts';

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
