import { z } from 'zod';
import {
  Id,
  line,
  object,
  PageNumber,
  page,
  SortOrder,
  strictObject,
  Timestamp,
  take,
} from '../../../http/schemas.ts';
import { Language, ShortPrivateUser } from '../../base/users/schemas.ts';
import { ACTIONS, CHECK_RESULTS, REJECT_TYPES, STATUSES, TIERS } from './rules.ts';

const UserId = z.number().int().min(1).max(2_147_483_647).meta({ example: 2_000_000_000 });
export const KycTierName = z.enum(TIERS);
const StaffStatus = z.enum(STATUSES);
export const PlayerStatus = StaffStatus.exclude(['MANUALLY_APPROVED']);
const RejectType = z.enum(REJECT_TYPES);

// ---------------------------------------------------------------- players

export const KycTier = object('KycTier', {
  tier: KycTierName,
  status: PlayerStatus,
  submittedAt: Timestamp.nullable(),
  decidedAt: Timestamp.nullable(),
  expiresAt: Timestamp.nullable(),
  moderationComment: z.string().nullable(),
  rejectLabels: z.array(z.string()),
  canResubmit: z.boolean(),
});

export const KycState = object('KycState', {
  level: z.number(),
  tiers: z.array(KycTier),
  requiredFor: z.array(z.string()),
});

const tidy = (text: string) => text.trim().normalize('NFC');
/** Letters of any script, in words that may be joined: O'Neill, Müller-Lüdenscheidt, J. R. */
const isName = (text: string) => /^\p{L}[\p{L}\p{M}]*\.?(?:[ '’-]{1,2}\p{L}[\p{L}\p{M}]*\.?)*$/u.test(text);
const Name = z
  .string()
  .min(1)
  .max(100)
  .transform(tidy)
  .refine(isName, 'needs letters; words may be joined by a space, a hyphen or an apostrophe');

/** The Gregorian calendar from 1900 on. */
function isDay(text: string): boolean {
  const at = new Date(`${text}T00:00:00Z`);
  return !Number.isNaN(at.getTime()) && at.toISOString().startsWith(text) && text >= '1900';
}

export const KycBasicRequest = strictObject('KycBasicRequest', {
  firstName: Name,
  lastName: Name,
  birthDate: z
    .string()
    .regex(/^\d{4}-\d{2}-\d{2}$/, { error: 'needs a day such as 1990-12-31', abort: true })
    .refine(isDay, 'is not a day of the calendar')
    .meta({ example: '1990-12-31' }),
  country: z.string().regex(/^[A-Z]{2}$/, 'needs a code of two capital letters such as DE'),
  city: line(100),
  address: line(200),
  postalCode: line(20),
  gender: z.enum(['MALE', 'FEMALE', 'OTHER']).optional(),
  phonePrefix: z
    .string()
    .max(8)
    .regex(/^\+?[1-9]\d{0,3}$/, 'needs a dial code such as +49')
    .optional(),
  phone: z
    .string()
    .max(20)
    .regex(/^\d[\d -]{2,18}\d$/, 'needs digits')
    .optional(),
});
export type Person = z.output<typeof KycBasicRequest>;

export const NewKycSession = z.strictObject({
  tier: KycTierName.exclude(['BASIC']),
  language: Language.optional(),
});

export const KycSession = object('KycSession', {
  provider: z.string(),
  accessToken: z.string(),
  applicantId: z.string(),
  levelName: z.string(),
  expiresAt: Timestamp,
});

// ---------------------------------------------------------------- staff

const KycTierAdmin = KycTier.omit({ status: true })
  .extend({
    status: StaffStatus,
    rejectType: RejectType.nullable(),
    decidedBy: ShortPrivateUser.nullable(),
  })
  .meta({ id: 'KycTierAdmin' });

const KycHistoryRow = object('KycHistoryRow', {
  id: z.string(),
  tier: KycTierName,
  fromStatus: StaffStatus,
  toStatus: StaffStatus,
  actor: ShortPrivateUser.nullable(),
  reason: z.string().nullable(),
  at: Timestamp,
});

const KycCheck = object('KycCheck', {
  name: z.string(),
  result: z.enum(CHECK_RESULTS),
  detail: z.string().nullable(),
  at: Timestamp,
});

export const KycRiskSignal = object('KycRiskSignal', {
  code: z.string(),
  severity: z.enum(['LOW', 'MEDIUM', 'HIGH']),
  detail: z.string().nullable(),
  at: Timestamp,
});

export const KycAdminDetail = object('KycAdminDetail', {
  userId: z.number().int(),
  user: ShortPrivateUser,
  level: z.number(),
  tiers: z.array(KycTierAdmin),
  history: z.array(KycHistoryRow),
  checks: z.array(KycCheck),
  riskSignals: z.array(KycRiskSignal),
  providerReference: z.string().nullable(),
  clientComment: z.string().nullable(),
});

export const KycAdminRow = object('KycAdminRow', {
  userId: z.number().int(),
  user: ShortPrivateUser,
  tier: KycTierName,
  status: StaffStatus,
  level: z.number(),
  provider: z.string().nullable(),
  submittedAt: Timestamp.nullable(),
  decidedAt: Timestamp.nullable(),
  updatedAt: Timestamp,
});
export const KycAdminPage = page(KycAdminRow);

export const KycQuery = z.strictObject({
  status: StaffStatus.optional(),
  tier: KycTierName.optional(),
  userId: UserId.optional(),
  search: z.string().min(1).max(50).optional(),
  sortBy: z.enum(['submittedAt', 'decidedAt', 'updatedAt']).default('updatedAt'),
  sortOrder: SortOrder.default('desc'),
  page: PageNumber,
  take: take(20),
});

export const KycPath = z.object({ userId: UserId });

export const KycDecision = z
  .strictObject({
    tier: KycTierName,
    action: z.enum(ACTIONS),
    reason: z.string().max(500),
    rejectType: RejectType.optional(),
  })
  .superRefine(({ action, rejectType }, context) => {
    if ((action === 'REJECT') === (rejectType !== undefined)) return;
    const message = action === 'REJECT' ? 'is needed for REJECT' : 'is for REJECT only';
    context.addIssue({ code: 'custom', path: ['rejectType'], message });
  });

// ---------------------------------------------------------------- providers

const Comment = z.string().max(2000);
const Moment = z.iso.datetime({ offset: true });

export const KycWebhook = strictObject('KycWebhook', {
  eventId: Id,
  applicantId: Id,
  userId: UserId,
  tier: KycTierName,
  status: StaffStatus.extract(['PENDING', 'ON_HOLD', 'APPROVED', 'REJECTED', 'EXPIRED']),
  checks: z
    .array(
      z.strictObject({
        name: z.string().min(1).max(100),
        result: z.enum(CHECK_RESULTS),
        detail: z.string().max(500).nullable().optional(),
      }),
    )
    .max(50)
    .optional(),
  rejectType: RejectType.nullable().optional(),
  rejectLabels: z.array(z.string().max(100)).max(50).optional(),
  moderationComment: Comment.nullable().optional(),
  clientComment: Comment.nullable().optional(),
  expiresAt: Moment.nullable().optional(),
  occurredAt: Moment,
});
