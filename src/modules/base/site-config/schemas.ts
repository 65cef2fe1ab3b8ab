import { z } from 'zod';
import { Amount, object, Timestamp } from '../../../http/schemas.ts';
import { Language, ShortPrivateUser } from '../users/schemas.ts';
import { CountryCode, CountrySwitches, days, Usd } from './fields/schemas.ts';
import { AFFILIATE_RATES, SECTIONS } from './rewards/schemas.ts';

const HttpsUrl = z
  .string()
  .max(500)
  .regex(/^https:\/\/[^\s/@?#]+([/?#]\S*)?$/, 'needs to be an address that begins with https://');
/** At most a minute. */
const BetInterval = z.number().int().min(0).max(60_000);

/** Amounts of currencies by their ids. */
const CurrencyAmounts = z
  .record(z.string().regex(/^[A-Z0-9]{2,10}$/, 'needs to be the id of a currency'), Amount)
  .refine((amounts) => Object.keys(amounts).length <= 100, 'names more than 100 currencies');

/** What holds for the whole site. */
const Common = z.strictObject({
  isRegistrationOpen: z.boolean().default(true),
  /** False: no new bet anywhere; open rounds can be finished. */
  isPlayOpen: z.boolean().default(true),
  /** False: no new address and no new payment in; what is on its way is credited. */
  isDepositOpen: z.boolean().default(true),
  /** Shown on every page while it is not empty. */
  maintenanceMessage: z.string().max(500).default(''),
  languages: z.array(Language).min(1).max(40).default(['en']),
  defaultLanguage: Language.default('en'),
  supportEmail: z.email().max(254).nullable().default(null),
  isChatEnabled: z.boolean().default(true),
  minimumAge: z.number().int().min(18).max(25).default(18),
  termsUrl: HttpsUrl.nullable().default(null),
  privacyUrl: HttpsUrl.nullable().default(null),
  responsibleGamblingUrl: HttpsUrl.nullable().default(null),
  /** The least that may be staked on a house game, in each currency; where it is not named 100 of its smallest unit. */
  minStakes: CurrencyAmounts.default({}),
  /** Whether many bets may be made in one request (series): automatic play, which Great Britain forbids. */
  seriesByCountry: CountrySwitches.default({ GB: false }),
  /** Least time between two bets of a player on house games; 0: none. */
  minBetIntervalMs: BetInterval.default(0),
  /** The same where more is asked for, such as 2,500 in Great Britain (5,000 for slots). */
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

/** Games of players against each other. */
const Battles = z.strictObject({
  isEnabled: z.boolean().default(false),
  maxPlayers: z.number().int().min(2).max(8).default(4),
  minEntryUsd: Usd.default('0.10'),
  maxEntryUsd: Usd.default('1000'),
  maxOpenPerUser: z.number().int().min(1).max(20).default(3),
  /** A lobby that is not full by then closes. */
  lobbyMinutes: z.number().int().min(1).max(1440).default(30),
});

const Affiliates = z.strictObject({
  isEnabled: z.boolean().default(true),
  /** Commission is stake × edge × rate of the level ÷ this. */
  divisor: z.number().min(1).max(100).multipleOf(0.01).default(1),
  /** Commission can be claimed this long after it was earned. */
  holdDays: z.number().int().min(0).max(90).default(0),
  codeMinLength: z.number().int().min(3).max(20).default(3),
  codeMaxLength: z.number().int().min(3).max(50).default(20),
  maxCodesPerUser: z.number().int().min(1).max(100).default(10),
  /** How long a browser remembers the code that it came with. */
  cookieDays: days(365).default(30),
  /** A referral that has wagered within this time is active. */
  activeDays: days(365).default(30),
  minClaimUsd: Usd.default('0'),
  ...AFFILIATE_RATES,
});

const Withdrawals = z.strictObject({
  isEnabled: z.boolean().default(true),
  minUsd: Usd.default('1'),
  /** Null: no limit. */
  dailyLimitUsd: Usd.nullable().default(null),
  /** Nobody has to approve up to here, with what has left within 24 hours or may still leave; 0: staff approves everything. */
  autoApproveLimitUsd: Usd.default('0'),
  /** Accounts younger than this are looked at by staff in any case. */
  autoApproveMinAccountDays: z.number().int().min(0).max(3650).default(7),
  /** Withdrawals with more points of risk than this are looked at by staff. */
  autoApproveMaxRisk: z.number().int().min(0).max(100).default(20),
  /** A withdrawal to an address that was never used before waits so long. */
  newAddressDelayHours: z.number().int().min(0).max(168).default(0),
  /** How much of a deposit has to be wagered before anything is paid out; 0: nothing. */
  depositTurnoverPercent: z.number().int().min(0).max(1000).default(100),
  /** Two of the staff have to approve from here on, with what has left within 24 hours or may still leave. */
  fourEyesThresholdUsd: Usd.default('5000'),
  /** Balances that staff sets: what moves more needs a reason and a second person. */
  adjustmentApprovalUsd: Usd.default('1000'),
  /** Deposits of a lifetime from which on identity has to be verified. */
  kycThresholdUsd: Usd.default('10000'),
  /** Deposits of a lifetime from which on identity has to be verified before the next; null: never. */
  kycDepositThresholdUsd: Usd.nullable().default(null),
  /** Identity has to be verified from here on: an amount with what has left within 30 days or may still leave. */
  kycSingleThresholdUsd: Usd.default('10000'),
  /** Whether players may take back what waits for approval, to play on with it. */
  cancelByCountry: CountrySwitches.default({ GB: false }),
  maxOpenPerUser: z.number().int().min(1).max(20).default(3),
});

/** By code: each field with what holds until a superadmin says something else. */
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

/** Fields that are not stored, or that this version reads otherwise, have their defaults. */
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

export const ConfigPath = z.object({ code: ConfigCode });
export const PublicConfigPath = z.object({ code: PublicConfigCode });

/** The fields of one code; which ones depends on the code, so that the service reads them. */
export const ConfigFields = z.record(z.string(), z.unknown());
export const ConfigChange = z.strictObject({ code: ConfigCode, config: ConfigFields });

/** What staff sees of a code: all of its fields, and who changed which, the newest first. */
export const SiteSettings = object('SiteSettings', {
  config: ConfigFields,
  changes: z.array(
    z.object({
      version: z.number().int(),
      at: Timestamp,
      by: ShortPrivateUser.nullable(),
      before: ConfigFields,
      after: ConfigFields,
    }),
  ),
});
