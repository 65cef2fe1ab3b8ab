import { z } from 'zod';
import { Amount, Decimal, Id, object, Timestamp } from '../../../http/schemas.ts';
import { LIMIT_PERIODS, LIMIT_TYPES } from '../gate/rules.ts';

// The example belongs to nobody: whoever tries it out hits no account of others.
const UserId = z.number().int().min(1).max(2_147_483_647).meta({ example: 2_000_000_000 });
const Time = z.iso.datetime();
const Reason = z.string().trim().min(1).max(500);

export const LimitsPath = z.object({ id: UserId });

export const SetSelfExclude = z
  .strictObject({
    excludeUntil: Time.optional(),
    durationDays: z.number().int().min(1).optional(),
    reason: z.string().max(500).optional(),
  })
  .refine(
    ({ excludeUntil, durationDays }) => (excludeUntil === undefined) !== (durationDays === undefined),
    'needs exactly one of excludeUntil and durationDays',
  )
  .meta({ id: 'SetSelfExcludeDto', example: { durationDays: 30 } });

export const UserExclusion = z.strictObject({ excludeUntil: Time, userId: UserId });
export const LiftExclusion = z.strictObject({ userId: UserId, reason: Reason.optional() });

export const SelfExclusion = object('SelfExclusion', {
  id: z.number().int(),
  userId: z.number().int(),
  expiresAt: Timestamp,
  createdAt: Timestamp,
  updatedAt: Timestamp,
});

const LimitType = z.enum(LIMIT_TYPES);
const LimitPeriod = z.enum(LIMIT_PERIODS);

export const LimitChange = z.strictObject({
  type: LimitType,
  period: LimitPeriod,
  amount: Amount.nullable(),
});
export const ChangeId = z.strictObject({ id: Id });
export const StaffLimit = z.strictObject({ betLimit: Amount, userId: UserId });

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
  type: LimitType,
  period: LimitPeriod,
  amount: Decimal.nullable(),
  requestedAt: Timestamp,
  confirmableFrom: Timestamp,
  lapsesAt: Timestamp,
});

export const TypedLimit = object('TypedLimit', {
  id: z.string(),
  type: LimitType,
  period: LimitPeriod,
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
