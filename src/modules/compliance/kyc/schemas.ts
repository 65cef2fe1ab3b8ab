import { z } from 'zod';
import { Id, line, object, strictObject, Timestamp } from '../../../http/schemas.ts';
import { event, events } from '../../base/events/schemas.ts';
import { ShortPrivateUser } from '../../base/users/schemas.ts';
import { CHECK_RESULTS, REJECT_TYPES, STATUSES, TIERS } from './rules.ts';

export const UserId = z.number().int().min(1).max(2_147_483_647).meta({ example: 2_000_000_000 });
export const KycTierName = z.enum(TIERS);
export const StaffStatus = z.enum(STATUSES);
const PlayerStatus = StaffStatus.exclude(['MANUALLY_APPROVED']);
export const RejectType = z.enum(REJECT_TYPES);

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

const normalize = (text: string) => text.trim().normalize('NFC');
/**
 * Returns true for a name: letters of any script, in words that may be joined, as in O'Neill, van ’t Hoff, Müller-Lüdenscheidt, Col·lell,
 * J. R., Smith, Jr. The okina and the modifier apostrophe are treated as letters. An empty text is also valid, because a person may have
 * only one name.
 */
const isName = (text: string) =>
  text === '' ||
  /^['’‘]?\p{L}[\p{L}\p{M}]*(?:[ '’‘·.,\u2010-\u2015-]{1,3}\p{L}[\p{L}\p{M}]*)*[.'’‘]?$/u.test(text);
/** The field is required in the API documentation, as in the contract. A missing value is treated as empty. */
const Name = z
  .preprocess(
    (name) => name ?? '',
    z
      .string()
      .max(100)
      .transform(normalize)
      .refine(isName, 'must consist of words joined by spaces, hyphens, dots, commas or apostrophes'),
  )
  .meta({ description: 'Empty if the person has only one name.', example: 'Ada' });

/** Accepts calendar dates from 1900-01-01 on. */
function isDate(text: string): boolean {
  const at = new Date(`${text}T00:00:00Z`);
  return !Number.isNaN(at.getTime()) && at.toISOString().startsWith(text) && text >= '1900';
}

const BasicFields = z.strictObject({
  firstName: Name,
  lastName: Name,
  birthDate: z
    .string()
    .regex(/^\d{4}-\d{2}-\d{2}$/, { error: 'must be a date such as 1990-12-31', abort: true })
    .refine(isDate, 'must be a valid calendar date')
    .meta({ example: '1990-12-31' }),
  country: z.string().regex(/^[A-Z]{2}$/, 'must be a code of two capital letters such as DE'),
  city: line(100),
  address: line(200),
  postalCode: line(20),
  gender: z.enum(['MALE', 'FEMALE', 'OTHER']).optional(),
  phonePrefix: z
    .string()
    .max(8)
    .regex(/^\+?[1-9]\d{0,3}$/, 'must be a dial code such as +49')
    .optional(),
  phone: z
    .string()
    .max(20)
    .regex(/^\d[\d -]{2,18}\d$/, 'must consist of digits')
    .optional(),
});
export const KycBasicRequest = BasicFields.refine(({ firstName, lastName }) => firstName + lastName !== '', {
  path: ['lastName'],
  error: 'enter a first name, a last name, or both',
}).meta({ id: 'KycBasicRequest' });
export type Person = z.output<typeof KycBasicRequest>;

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

export const KycPath = z.object({ userId: UserId });

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

/** A more tolerant version of the schema, which is used for parsing. */
export const ReportedKyc = z.object({
  ...KycWebhook.shape,
  /** The alpha-2 or alpha-3 code of the country that issued the identity document. Null if the value is not a string. */
  documentCountry: z.string().nullish().catch(null),
  tier: z.string().max(100),
  status: z.string().max(100),
  checks: z
    .array(
      z.object({
        name: z.string().min(1).max(100),
        result: z.string().max(100),
        detail: z.string().max(500).nullish().catch(null),
      }),
    )
    .max(50)
    .nullish(),
  rejectLabels: z
    .array(z.string().max(100))
    .max(50)
    .nullish()
    .transform((labels) => labels ?? []),
});

export const kycEvents = events({
  'kyc.status': event(
    'user',
    'The status of a verification tier changed.',
    z.strictObject({
      tier: KycTierName,
      status: PlayerStatus,
      level: z
        .number()
        .int()
        .min(0)
        .meta({ description: 'The number of consecutive approved tiers, starting with the first one.' }),
    }),
  ),
});
