import { z } from 'zod';
import {
  Amount,
  CurrencyId,
  Decimal,
  Id,
  Moment,
  object,
  PageNumber,
  page,
  SortOrder,
  strictObject,
  Timestamp,
  take,
  text,
} from '../../../http/schemas.ts';
import { ShortPrivateUser, UserId } from '../../base/users/schemas.ts';
import { GrantStatus } from '../../money/bonus/grants/schemas.ts';
import { KYC_TIERS } from './eligibility/rules.ts';
import { KINDS, PROMO_TYPES, STATUSES, WAGER_BASES } from './rules.ts';

const PromoType = z.enum(PROMO_TYPES);
const PromoStatus = z.enum(STATUSES);
const WagerBase = z.enum(WAGER_BASES);
const Days = z.number().int().min(1).max(3650);
const CountryCodes = z.array(z.string().regex(/^[A-Z]{2}$/, 'needs codes of two capital letters')).max(250);
const Description = text(2000);
const Reason = text(500).trim().min(1);

// ---------------------------------------------------------------- what staff writes

const PromoReward = strictObject('PromoReward', {
  kind: z.enum(KINDS),
  currencyId: CurrencyId.meta({
    example: 'USDT',
    description:
      'Of the amount; of a percentage, which is paid in the currency of the deposit, that of maxAmount.',
  }),
  amount: Amount.nullable().optional(),
  percent: z.number().nullable().optional().meta({ description: 'Of the next deposit.' }),
  maxAmount: Amount.nullable().optional(),
  freeSpins: z.number().int().min(1).max(10_000).nullable().optional(),
  freeSpinValueUsd: Amount.nullable().optional(),
  gameSlug: text(64).nullable().optional(),
});

const PromoConditions = strictObject('PromoConditions', {
  minDepositUsd: Amount.nullable().optional().meta({
    description: 'A completed deposit of at least so much; of a percentage: the deposit that it waits for.',
  }),
  depositSumUsd: Amount.nullable().optional(),
  depositWindowDays: Days.nullable().optional(),
  turnoverUsd: Amount.nullable().optional(),
  turnoverWindowDays: Days.nullable().optional(),
  registeredFrom: Moment.nullable().optional(),
  registeredTo: Moment.nullable().optional(),
  affiliateCodes: z.array(text(64).min(1)).max(100).optional(),
  emailVerified: z.boolean().optional(),
  kycTier: z.enum(KYC_TIERS).nullable().optional(),
  minVipLevel: z.number().int().min(0).max(100).nullable().optional(),
  minAccountAgeDays: z.number().int().min(0).max(3650).nullable().optional(),
  countriesAllow: CountryCodes.optional(),
  countriesDeny: CountryCodes.optional(),
  onePerIp: z.boolean().optional(),
  onePerDevice: z.boolean().optional(),
});

const Shares = z.record(text(64), z.number());

export const PromoGames = strictObject('PromoGames', {
  gameSlugs: z.array(text(64)).max(2000).optional(),
  providerIds: z.array(z.number().int().min(0).max(2_147_483_647)).max(200).optional(),
  categories: z.array(text(64)).max(50).optional(),
  contribution: Shares.optional().meta({ description: 'Percent by category.' }),
  perGame: Shares.optional().meta({ description: 'Percent by slug; it goes before the category.' }),
});

const PromoBudget = strictObject('PromoBudget', {
  maxGrants: z.number().int().min(1).max(2_147_483_647).nullable().optional(),
  maxTotalUsd: Amount.nullable().optional().meta({
    description:
      'What was granted counts at the rates of then, a percentage with the most that it can come to.',
  }),
});

const terms = {
  reward: PromoReward,
  wagerMultiplier: z.number().min(0),
  maxBetUsd: Amount.nullable().optional(),
  maxWithdrawalMultiplier: z.number().nullable().optional(),
  validityHours: z.number().int().min(1).max(87_600).nullable().optional(),
  startAt: Moment.nullable().optional(),
  endAt: Moment.nullable().optional(),
  conditions: PromoConditions.optional(),
  budget: PromoBudget.optional(),
};
const Name = text(100).trim().min(1);

export const PromoCreateRequest = strictObject('PromoCreateRequest', {
  ...terms,
  name: Name,
  description: Description.optional(),
  type: PromoType,
  wagerBase: WagerBase.default('BONUS'),
  games: PromoGames.optional(),
});

export const PromoUpdateRequest = strictObject('PromoUpdateRequest', {
  ...terms,
  name: Name.optional(),
  description: Description.optional(),
  reward: PromoReward.optional(),
  wagerMultiplier: z.number().min(0).optional(),
  wagerBase: WagerBase.optional(),
});

export const PromoStatusChange = z.strictObject({
  status: PromoStatus.exclude(['DRAFT']),
  reason: Reason,
});

export const NewPromoCodes = z
  .strictObject({
    kind: z.enum(['UNIVERSAL', 'ONE_TIME']),
    count: z.number().int().min(1).max(10_000).optional(),
    code: text(64)
      .regex(/^[A-Za-z0-9_-]{3,}$/, 'needs three or more letters, digits, _ or -')
      .optional(),
    maxUses: z.number().int().min(1).max(2_147_483_647).optional(),
  })
  .superRefine(({ kind, count, code, maxUses }, context) => {
    const isFor = (path: string, message: string) =>
      context.addIssue({ code: 'custom', path: [path], message });
    if (kind === 'UNIVERSAL' && count !== undefined && count > 1) isFor('count', 'is for ONE_TIME only');
    if (kind === 'ONE_TIME' && code !== undefined) isFor('code', 'is for UNIVERSAL only');
    if (kind === 'ONE_TIME' && maxUses !== undefined) isFor('maxUses', 'is for UNIVERSAL only');
  });

export const AdminGrant = z
  .strictObject({
    userIds: z.array(UserId).min(1).max(500),
    reason: Reason,
    amount: Amount.optional(),
    currencyId: CurrencyId.optional(),
  })
  .refine(({ amount, currencyId }) => amount !== undefined || currencyId === undefined, {
    path: ['amount'],
    message: 'is needed with currencyId',
  });

export const GrantCancellation = z.strictObject({ reason: Reason });

// ---------------------------------------------------------------- what staff sees

export const PromoPath = z.object({ id: Id });
export const GrantPath = z.object({ grantId: Id });

const PromoStats = object('PromoStats', {
  grants: z.number().int(),
  activeLiabilityUsd: Decimal.meta({
    description: 'Bonus money of its grants that players hold, at the rates of now.',
  }),
  convertedUsd: Decimal.meta({ description: 'What became cash; bonus money at the rates of now.' }),
  forfeitedUsd: Decimal.meta({ description: 'Bonus money that came back, at the rates of now.' }),
});

export const PromoAdmin = object('PromoAdmin', {
  id: z.string(),
  name: z.string(),
  description: z.string().nullable(),
  type: PromoType,
  status: PromoStatus,
  reward: PromoReward,
  wagerMultiplier: z.number(),
  wagerBase: WagerBase,
  maxBetUsd: Decimal.nullable(),
  maxWithdrawalMultiplier: z.number().nullable(),
  validityHours: z.number().int().nullable(),
  startAt: Timestamp.nullable(),
  endAt: Timestamp.nullable(),
  conditions: PromoConditions,
  games: PromoGames,
  budget: PromoBudget,
  createdBy: ShortPrivateUser.nullable(),
  createdAt: Timestamp,
  updatedAt: Timestamp,
  stats: PromoStats.optional(),
});
export const PromoAdminPage = page(PromoAdmin);

const sorting = { sortOrder: SortOrder.default('desc'), page: PageNumber, take: take(20) };

export const PromoQuery = z.strictObject({
  status: PromoStatus.optional(),
  type: PromoType.optional(),
  search: text(50).min(1).optional(),
  sortBy: z.enum(['createdAt', 'updatedAt', 'startAt', 'endAt', 'name']).default('createdAt'),
  ...sorting,
});

export const PromoCodes = z.object({ created: z.number().int(), codes: z.array(z.string()) });

const PromoCodeRow = object('PromoCodeRow', {
  code: z.string(),
  kind: z.enum(['UNIVERSAL', 'ONE_TIME']),
  maxUses: z.number().int().nullable(),
  uses: z.number().int(),
  createdAt: Timestamp,
  lastUsedAt: Timestamp.nullable(),
});
export const PromoCodePage = page(PromoCodeRow);

export const PromoCodeQuery = z.strictObject({
  used: z.boolean().optional(),
  search: text(50).min(1).optional(),
  sortBy: z.enum(['createdAt', 'uses', 'code']).default('createdAt'),
  ...sorting,
});

export const AdminGranted = z.object({
  granted: z.number().int(),
  skipped: z.array(z.object({ userId: z.number().int(), rule: z.string() })),
});

// ---------------------------------------------------------------- players

export const PromoOffer = object('PromoOffer', {
  id: z.string(),
  name: z.string(),
  description: z.string().nullable(),
  type: PromoType,
  amount: Decimal.nullable(),
  percent: z.number().nullable(),
  maxAmount: Decimal.nullable(),
  currencyId: z.string().nullable(),
  wagerMultiplier: z.number(),
  wagerBase: WagerBase,
  maxBetUsd: Decimal.nullable(),
  validityHours: z.number().int().nullable(),
  minDepositUsd: Decimal.nullable(),
  startAt: Timestamp.nullable(),
  endAt: Timestamp.nullable(),
  claimed: z.boolean(),
  games: z.array(z.string()).meta({ description: 'Slugs of the games that count; none: all of them.' }),
  maxWithdrawalMultiplier: z
    .number()
    .nullable()
    .meta({ description: 'So many times the bonus becomes cash at most; null: all that is left of it.' }),
});

const grant = {
  id: z.string(),
  promoId: z.string(),
  name: z.string(),
  type: PromoType,
  status: GrantStatus,
  currencyId: z.string(),
  grantedAmount: Decimal,
  bonusBalance: Decimal,
  wagerRequired: Decimal,
  wagerDone: Decimal,
  progressPercent: z.number(),
  maxBetUsd: Decimal.nullable(),
  games: z.array(z.string()).meta({ description: 'Slugs of the games that count; none: all of them.' }),
  forfeitedAmount: Decimal.nullable(),
  createdAt: Timestamp,
  activatedAt: Timestamp.nullable(),
  expiresAt: Timestamp.nullable(),
  closeReason: z.string().nullable(),
};

export const PromoGrant = object('PromoGrant', grant);
export const PromoGrantPage = page(PromoGrant);

export const PromoGrantAdmin = object('PromoGrantAdmin', {
  ...grant,
  userId: z.number().int(),
  user: ShortPrivateUser,
  source: z.enum(['OFFER', 'CODE', 'ADMIN', 'CRM', 'VIP']),
  code: z.string().nullable(),
  grantedBy: ShortPrivateUser.nullable(),
});
export const PromoGrantAdminPage = page(PromoGrantAdmin);

export const OwnGrantQuery = z.strictObject({
  status: GrantStatus.optional(),
  sortBy: z.enum(['createdAt', 'expiresAt']).default('createdAt'),
  ...sorting,
});

export const GrantQuery = z.strictObject({
  userId: UserId.optional(),
  promoId: Id.optional(),
  status: GrantStatus.optional(),
  sortBy: z.enum(['createdAt', 'expiresAt', 'grantedAmount']).default('createdAt'),
  ...sorting,
});

export const PromoOffers = z.array(PromoOffer);

export const Redemption = z.strictObject({ code: text(64).optional(), promoId: text(64).optional() });

export const Forfeit = z.strictObject({ dryRun: z.boolean().default(false) });
