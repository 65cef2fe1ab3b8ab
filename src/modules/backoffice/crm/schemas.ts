import { z } from 'zod';
import { Amount, CurrencyId, object, strictObject, text } from '../../../http/schemas.ts';

const Key = z.string().meta({ description: 'The key of the CRM (CRM_API_KEY), not that of a partner.' });
const UserId = z.string().max(32).meta({ description: 'Our user id as text.', example: '1' });
const Reference = text(200).min(1).optional();

export const KeyHeaders = z.object({ 'x-api-key': Key });

/** How the CRM names what has triggered a call. Beside the activity and the action one of the last two tells triggers apart. */
export const TriggerHeaders = KeyHeaders.extend({
  'x-fasttrack-activityid': Reference,
  'x-fasttrack-actionid': Reference,
  'x-fasttrack-actiongroupid': Reference,
  'x-fasttrack-triggerhash': Reference.meta({
    description: 'Tells triggers apart; absent: x-fasttrack-id does. One of them is needed.',
  }),
  'x-fasttrack-id': Reference,
});

export const CrmUserPath = z.object({ userId: UserId });

export const SessionQuestion = z.strictObject({
  sid: text(64).min(1).meta({ description: 'The id of a session, as in GET /session.' }),
});
export const SessionOwner = z.object({ user_id: z.string() });

const CrmSegmentation = object('CrmSegmentation', {
  vip_level: z.number().int(),
  kyc_level: z.number().int(),
});

export const CrmUserDetails = object('CrmUserDetails', {
  user_id: z.string(),
  username: z.string(),
  email: z.string(),
  first_name: z.string(),
  last_name: z.string(),
  birth_date: z.string(),
  sex: z.string(),
  title: z.string(),
  address: z.string(),
  city: z.string(),
  postal_code: z.string(),
  country: z.string(),
  language: z.string(),
  currency: z.string(),
  mobile: z.string(),
  mobile_prefix: z.string(),
  origin: z.string().meta({ description: 'The host of the site.' }),
  market: z.string(),
  roles: z.array(z.string()).meta({ description: 'STAFF, TEST; of players none.' }),
  registration_date: z.string(),
  registration_code: z.string(),
  affiliate_reference: z.string(),
  verified_at: z.string().meta({ description: 'When the identity was approved.' }),
  deleted_at: z.string(),
  is_blocked: z.boolean(),
  is_excluded: z.boolean(),
  segmentation: CrmSegmentation,
});

const CrmBlock = object('CrmBlock', {
  type: z.enum(['Blocked', 'Excluded']),
  active: z.boolean(),
  note: z.string().meta({ description: 'Until when.' }),
});
export const CrmBlocks = z.object({ blocks: z.array(CrmBlock) });

export const CONSENT_TYPES = [
  'email',
  'sms',
  'telephone',
  'postMail',
  'siteNotification',
  'pushNotification',
] as const;

const CrmConsent = strictObject('CrmConsent', { type: z.enum(CONSENT_TYPES), opted_in: z.boolean() });
export const CrmConsents = z.object({ consents: z.array(CrmConsent) });
export const NewConsents = z.strictObject({
  consents: z
    .array(CrmConsent)
    .min(1)
    .max(CONSENT_TYPES.length)
    .refine((all) => new Set(all.map(({ type }) => type)).size === all.length, 'needs each type once'),
});

export const CrmBonusList = z.array(z.object({ text: z.string(), value: z.string() }));

export const BonusCredit = z.strictObject({
  user_id: UserId,
  bonus_code: text(64).min(1).meta({ description: 'A value of GET /marketing/bonus/list.' }),
  amount: Amount.optional().meta({ description: 'In place of what the promotion gives.' }),
  currency: CurrencyId.optional().meta({ description: 'Of the amount; absent: that of the promotion.' }),
});
export const CreditedBonus = z.object({ user_bonus_id: z.string() });

export const FundsCredit = z.strictObject({
  user_id: UserId,
  amount: Amount,
  currency: CurrencyId,
  reason: text(200).trim().min(1),
});
export const CreditedFunds = z.object({ transaction_id: z.string() });
