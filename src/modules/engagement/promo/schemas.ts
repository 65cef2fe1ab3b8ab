import { z } from 'zod';
import {
  Amount,
  CurrencyId,
  Decimal,
  Id,
  object,
  PageNumber,
  SortOrder,
  strictObject,
  Time,
  Timestamp,
  take,
  text,
} from '../../../http/schemas.ts';
import { ShortPrivateUser } from '../../base/users/schemas.ts';
import { GrantStatus } from '../../money/bonus/grants/schemas.ts';
import { KINDS, KYC_TIERS, PROMO_TYPES, START_APPROVALS, STATUSES, WAGER_BASES } from './rules.ts';

export const PromoType = z.enum(PROMO_TYPES);
export const PromoStatus = z.enum(STATUSES);
export const WagerBase = z.enum(WAGER_BASES);
const Days = z.number().int().min(1).max(3650);
const CountryCodes = z.array(z.string().regex(/^[A-Z]{2}$/, 'needs codes of two capital letters')).max(250);
export const Description = text(2000);
export const Reason = text(500).trim().min(1);

export const PromoReward = strictObject('PromoReward', {
  kind: z.enum(KINDS),
  currencyId: CurrencyId.meta({
    example: 'USDT',
    description:
      'Currency of amount. For a percentage, the currency of maxAmount; the bonus itself is paid in the currency of the deposit.',
  }),
  amount: Amount.nullable().optional(),
  percent: z.number().nullable().optional().meta({ description: 'Percent of the next deposit.' }),
  maxAmount: Amount.nullable().optional(),
  freeSpins: z.number().int().min(1).max(10_000).nullable().optional(),
  freeSpinValueUsd: Amount.nullable().optional(),
  gameSlug: text(64).nullable().optional(),
});

const PromoConditions = strictObject('PromoConditions', {
  minDepositUsd: Amount.nullable()
    .optional()
    .meta({
      description:
        'The player must have completed a deposit of at least this amount. For a percentage bonus, this is the minimum amount of the ' +
        'next deposit.',
    }),
  depositSumUsd: Amount.nullable().optional(),
  depositWindowDays: Days.nullable().optional(),
  turnoverUsd: Amount.nullable().optional(),
  turnoverWindowDays: Days.nullable().optional(),
  registeredFrom: Time.nullable().optional(),
  registeredTo: Time.nullable().optional(),
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
  contribution: Shares.optional().meta({ description: 'Wagering contribution in percent, by category.' }),
  perGame: Shares.optional().meta({
    description: 'Wagering contribution in percent, by game. Takes precedence over the category.',
  }),
});

const PromoBudget = strictObject('PromoBudget', {
  maxGrants: z.number().int().min(1).max(2_147_483_647).nullable().optional(),
  maxTotalUsd: Amount.nullable()
    .optional()
    .meta({
      description:
        'Each grant is counted at the exchange rate of the time when it was made. A percentage bonus is counted with its maximum ' +
        'amount.',
    }),
});

export const terms = {
  reward: PromoReward,
  wagerMultiplier: z.number().min(0),
  maxBetUsd: Amount.nullable().optional(),
  maxWithdrawalMultiplier: z.number().nullable().optional(),
  validityHours: z.number().int().min(1).max(87_600).nullable().optional(),
  startAt: Time.nullable().optional(),
  endAt: Time.nullable().optional(),
  conditions: PromoConditions.optional(),
  budget: PromoBudget.optional(),
};
export const Name = text(100).trim().min(1);

export const PromoPath = z.object({ id: Id });
export const GrantPath = z.object({ grantId: Id });

const PromoStats = object('PromoStats', {
  grants: z.number().int(),
  granted: z
    .array(
      object('PromoGranted', {
        currencyId: z.string(),
        amount: Decimal,
        grants: z.number().int().meta({ description: 'Grants in this currency.' }),
      }),
    )
    .meta({
      description:
        'Total amount of all grants by currency. A percentage bonus counts once its deposit has arrived, and free spins with their ' +
        'total stake.',
    }),
  activeLiabilityUsd: Decimal.meta({
    description:
      'Bonus money from grants of this promotion that players still have, at current exchange rates.',
  }),
  convertedUsd: Decimal.meta({
    description:
      'Amount converted to cash, including cash rewards. Bonus money is valued at current exchange rates.',
  }),
  forfeitedUsd: Decimal.meta({
    description: 'Bonus money returned to the platform, at current exchange rates.',
  }),
});

const StartRequest = object('PromoStartRequest', {
  by: ShortPrivateUser.nullable(),
  reason: z.string().nullable(),
  createdAt: Timestamp,
  expiresAt: Timestamp,
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
  isApproved: z
    .boolean()
    .optional()
    .meta({
      description:
        'True once the maximum cost is approved. Codes and partners cannot grant an active promotion before that, apart from codes ' +
        'within the limit of one person.',
    }),
  startRequest: StartRequest.nullable().optional().meta({
    description: 'A request to start the promotion with its current terms that waits for a second person.',
  }),
  startApproval: z
    .enum(START_APPROVALS)
    .optional()
    .meta({
      description:
        'Whose approval a start by the caller would need now. SUPERADMIN: the cost exceeds what the caller may move in 24 hours. ' +
        'SECOND_PERSON_LATER: the promotion starts immediately, but codes and partners cannot grant it until a second person approves ' +
        'it. Only in the response for one promotion, for callers with `promo.pay`.',
    }),
  gameNames: z
    .record(z.string(), z.string())
    .optional()
    .meta({ description: 'The names of the games in `reward` and `games`, by slug.' }),
});
export const sorting = { sortOrder: SortOrder.default('desc'), page: PageNumber, take: take(20) };

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
  games: z
    .array(z.string())
    .meta({ description: 'Slugs of the games that count. If empty, all games count.' }),
  forfeitedAmount: Decimal.nullable(),
  createdAt: Timestamp,
  activatedAt: Timestamp.nullable(),
  expiresAt: Timestamp.nullable(),
  closeReason: z.string().nullable(),
};

export const PromoGrant = object('PromoGrant', grant);

export const PromoGrantAdmin = object('PromoGrantAdmin', {
  ...grant,
  userId: z.number().int(),
  user: ShortPrivateUser,
  source: z.enum(['OFFER', 'CODE', 'ADMIN', 'CRM', 'VIP']),
  code: z.string().nullable(),
  grantedBy: ShortPrivateUser.nullable(),
});
