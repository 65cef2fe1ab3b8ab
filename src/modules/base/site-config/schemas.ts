import { z } from 'zod';
import { Amount, Moment } from '../../../http/schemas.ts';
import { httpsUrl } from '../../../platform/net/schemas.ts';
import { event, events } from '../events/schemas.ts';
import { Language } from '../users/schemas.ts';
import { AFFILIATE_RATES, CountryCode, CountrySwitches, days, SECTIONS, Usd } from './rewards/schemas.ts';

const HttpsUrl = httpsUrl(500);
/** Milliseconds, up to one minute. */
const BetInterval = z.number().int().min(0).max(60_000);

/** Amounts by currency id. */
const CurrencyAmounts = z
  .record(z.string().regex(/^[A-Z0-9]{2,10}$/, 'needs to be the id of a currency'), Amount)
  .refine((amounts) => Object.keys(amounts).length <= 100, 'contains more than 100 currencies');

/** Settings of the whole site. */
const Common = z.strictObject({
  isRegistrationOpen: z.boolean().default(true),
  /** False: new bets are rejected in all games. Rounds that are open can still be finished. */
  isPlayOpen: z.boolean().default(true),
  /** False: no deposit addresses are created and no payments are started. Deposits that were already sent are still credited. */
  isDepositOpen: z.boolean().default(true),
  /** A message that is shown on every page; empty for none. */
  maintenanceMessage: z.string().max(500).default(''),
  languages: z.array(Language).min(1).max(40).default(['en']),
  defaultLanguage: Language.default('en'),
  supportEmail: z.email().max(254).nullable().default(null),
  isChatEnabled: z.boolean().default(true),
  minimumAge: z.number().int().min(18).max(25).default(18),
  termsUrl: HttpsUrl.nullable().default(null),
  privacyUrl: HttpsUrl.nullable().default(null),
  responsibleGamblingUrl: HttpsUrl.nullable().default(null),
  /** The minimum stake on house games by currency. Default: 100 of the currency's smallest units. */
  minStakes: CurrencyAmounts.default({}),
  /** Allows several bets in one request (a series). This counts as automatic play, which Great Britain forbids. */
  seriesByCountry: CountrySwitches.default({ GB: false }),
  /** Minimum time between a player's bets on house games, in milliseconds; 0 for none. */
  minBetIntervalMs: BetInterval.default(0),
  /**
   * The minimum time between bets by country, for example 2,500 in Great Britain (5,000 for slots). If a player belongs to several
   * countries, the longest time applies.
   */
  minBetIntervalMsByCountry: z.record(CountryCode, BetInterval).default({}),
  captchaSiteKey: z
    .string()
    .regex(/^[\w-]{0,200}$/, 'needs to be a site key: letters, digits, - and _')
    .default(''),
  vip: SECTIONS.vip.prefault({}),
  rakeback: SECTIONS.rakeback.prefault({}),
  promo: SECTIONS.promo.prefault({}),
  leaderboards: SECTIONS.leaderboards.prefault({}),
  tips: SECTIONS.tips.prefault({}),
  adminTips: SECTIONS.adminTips.prefault({}),
  chat: SECTIONS.chat.prefault({}),
  comingSoon: SECTIONS.comingSoon.prefault({}),
});

/** Games between players. */
const Battles = z.strictObject({
  isEnabled: z.boolean().default(false),
  maxPlayers: z.number().int().min(2).max(8).default(4),
  minEntryUsd: Usd.default('0.10'),
  maxEntryUsd: Usd.default('1000'),
  maxOpenPerUser: z.number().int().min(1).max(20).default(3),
  /** A lobby that has not filled up after this time is closed. */
  lobbyMinutes: z.number().int().min(1).max(1440).default(30),
});

const Affiliates = z.strictObject({
  isEnabled: z.boolean().default(true),
  /** Commission is stake × house edge × rate of the level ÷ divisor. */
  divisor: z.number().min(1).max(100).multipleOf(0.01).default(1),
  /** The number of days after which earned commission can be claimed. */
  holdDays: z.number().int().min(0).max(90).default(0),
  codeMinLength: z.number().int().min(3).max(20).default(3),
  codeMaxLength: z.number().int().min(3).max(50).default(20),
  maxCodesPerUser: z.number().int().min(1).max(100).default(10),
  /** The lifetime of the referral cookie. */
  cookieDays: days(365).default(30),
  /** A referral is active if the player has wagered within this time. */
  activeDays: days(365).default(30),
  minClaimUsd: Usd.default('0'),
  ...AFFILIATE_RATES,
});

const Withdrawals = z.strictObject({
  isEnabled: z.boolean().default(true),
  minUsd: Usd.default('1'),
  /** Null means no limit. */
  dailyLimitUsd: Usd.nullable().default(null),
  /**
   * Withdrawals are approved automatically while the total of the last 24 hours, including pending ones, is at most this amount. 0: staff
   * approve all withdrawals.
   */
  autoApproveLimitUsd: Usd.default('0'),
  /** Withdrawals of accounts younger than this always need approval by staff. */
  autoApproveMinAccountDays: z.number().int().min(0).max(3650).default(7),
  /** Withdrawals with a risk score above this value need approval by staff. */
  autoApproveMaxRisk: z.number().int().min(0).max(100).default(20),
  /** Withdrawals to an address are held until this long after the player's first request to this address. */
  newAddressDelayHours: z.number().int().min(0).max(168).default(0),
  /** Percentage of a deposit that must be wagered before a withdrawal; 0 for no requirement. */
  depositTurnoverPercent: z.number().int().min(0).max(1000).default(100),
  /**
   * Two approvers are required when a player's withdrawals that were sent in the last 24 hours or are still pending reach this total. The
   * lowest value that this setting had in the last 24 hours applies.
   */
  fourEyesThresholdUsd: Usd.default('5000'),
  /**
   * USD value that a staff member may create or move within 24 hours without a second approver. An action that reaches this total needs a
   * reason and a second person.
   */
  adjustmentApprovalUsd: Usd.default('1000'),
  /** USD value that a staff member below superadmin may create or move within 24 hours, even with a second approver. */
  staffValueLimitUsd: Usd.default('10000'),
  /**
   * USD value of deposits under review that one person may credit within a day. A credit that brings the total to this value needs a second
   * person.
   */
  depositReviewApprovalUsd: Usd.default('100'),
  /** Deposits under review below this USD value may be written off. */
  depositWriteOffBelowUsd: Usd.default('5'),
  /** Once the lifetime total of a player's deposits reaches this amount, withdrawals need identity verification. */
  kycThresholdUsd: Usd.default('10000'),
  /** Once the lifetime total of a player's deposits reaches this amount, further deposits need identity verification; null for never. */
  kycDepositThresholdUsd: Usd.nullable().default(null),
  /** Once a player's withdrawals within 30 days, including pending ones, reach this total, identity verification is needed. */
  kycSingleThresholdUsd: Usd.default('10000'),
  /** Allows players to cancel withdrawals that wait for approval. */
  cancelByCountry: CountrySwitches.default({ GB: false }),
  maxOpenPerUser: z.number().int().min(1).max(20).default(3),
});

/** The settings by code, with their defaults. */
export const CONFIGS = {
  COMMON: Common,
  BATTLES: Battles,
  AFFILIATES: Affiliates,
  WITHDRAWALS: Withdrawals,
} as const;

export const ConfigCode = z.enum(['COMMON', 'BATTLES', 'AFFILIATES', 'WITHDRAWALS']);
export type ConfigCode = z.output<typeof ConfigCode>;
export type ConfigOf<C extends ConfigCode> = z.output<(typeof CONFIGS)[C]>;
export const defaultsOf = <C extends ConfigCode>(code: C) => CONFIGS[code].parse({}) as ConfigOf<C>;

/** Returns all fields of a code. Fields that are missing or no longer valid get their defaults. */
export function completed(code: ConfigCode, stored: unknown): Record<string, unknown> {
  const given = (stored ?? {}) as Record<string, unknown>;
  const entries = Object.entries<z.ZodType>(CONFIGS[code].shape).map(([name, field]) => {
    const parsed = field.safeParse(given[name]);
    return [name, parsed.success ? parsed.data : field.parse(undefined)];
  });
  return Object.fromEntries(entries);
}

export const PublicConfigCode = z.enum(['USER', 'AFFILIATES', 'WITHDRAWALS']);
export type PublicConfigCode = z.output<typeof PublicConfigCode>;

export const siteEvents = events({
  maintenance: event(
    'public',
    'Maintenance is planned, has started or has ended.',
    z.strictObject({
      isActive: z.boolean(),
      startsAt: Moment.nullable(),
      endsAt: Moment.nullable(),
      message: z.string().nullable(),
    }),
  ),
  'config.changed': event(
    'public',
    'Public settings have changed. GET /config/{code} returns them. GAMES stands for the settings of these house games, COUNTRIES for the countries that are served.',
    z.strictObject({
      code: z.enum(['USER', 'AFFILIATES', 'WITHDRAWALS', 'GAMES', 'COUNTRIES']),
      games: z.array(z.string()).optional(),
    }),
  ),
});
