import { z } from 'zod';
import { Chat } from '../chat/schemas.ts';
import { CountryCode, CountrySwitches, days, Usd } from '../fields/schemas.ts';

/** Hundredths of a percent of the house edge. */
const BasisPoints = z.number().int().min(0).max(10_000);
/** Percent with two decimals, as text: it is counted in hundredths and never becomes a float. */
const Percent = z
  .string()
  .regex(/^(100(\.00?)?|(0|[1-9]\d?)(\.\d{1,2})?)$/, 'needs to be a percentage up to 100 such as "7.5"');

const VipLevel = z.strictObject({
  level: z.number().int().min(0).max(99),
  /** Whoever has wagered this much has reached the level. */
  wageredUsd: Usd,
  /** Paid once, when the level is reached. */
  rewardUsd: Usd,
  /** Added to the base rates of rakeback. */
  boostPercent: z.number().int().min(0).max(1000),
});

/** Levels by what was wagered. They begin with level 0 and go up one by one. */
const Vip = z.strictObject({
  ladder: z
    .array(VipLevel)
    .min(1)
    .max(100)
    .default([
      { level: 0, wageredUsd: '0', rewardUsd: '0', boostPercent: 0 },
      { level: 1, wageredUsd: '10000', rewardUsd: '10', boostPercent: 10 },
      { level: 2, wageredUsd: '50000', rewardUsd: '40', boostPercent: 20 },
      { level: 3, wageredUsd: '100000', rewardUsd: '50', boostPercent: 30 },
      { level: 4, wageredUsd: '250000', rewardUsd: '150', boostPercent: 50 },
      { level: 5, wageredUsd: '500000', rewardUsd: '250', boostPercent: 75 },
      { level: 6, wageredUsd: '1000000', rewardUsd: '500', boostPercent: 100 },
      { level: 7, wageredUsd: '5000000', rewardUsd: '4000', boostPercent: 150 },
    ]),
  /** How much of a reward has to be wagered before anything is paid out; 0: nothing. */
  rewardTurnoverPercent: z.number().int().min(0).max(1000).default(100),
});

/** What part of the house edge comes back, by the period after which it can be claimed; before the boost of a level. */
const Rakeback = z.strictObject({
  instantBp: BasisPoints.default(500),
  dailyBp: BasisPoints.default(200),
  weeklyBp: BasisPoints.default(200),
  monthlyBp: BasisPoints.default(100),
  /** What nobody has claimed so long after the end of its period is lost, instant rakeback never; null: nothing is. */
  expiryDays: days(3650).nullable().default(null),
});

const Promo = z.strictObject({
  /** A bonus on a deposit waits so long for the deposit. */
  depositHours: z.number().int().min(1).max(8760).default(72),
  /** A grant waits so long while another one is active in its currency. */
  queueDays: days(3650).default(30),
  /** How often a bonus may have to be wagered, in countries that limit it. */
  maxWagerMultiplierByCountry: z.record(CountryCode, z.number().int().min(0).max(1000)).default({ GB: 10 }),
});

const Leaderboards = z.strictObject({
  /** Whether prizes are paid by themselves once the places are final; else staff gives them. */
  paysAutomatically: z.boolean().default(false),
  /** Whether the prize of a place that is skipped goes to the next one; a leaderboard keeps what held when it was made. */
  movesPrizesUp: z.boolean().default(false),
});

/** Tips between players. */
const Tips = z.strictObject({
  isEnabled: z.boolean().default(true),
  /** Where a country is not named, they are on. */
  byCountry: CountrySwitches.default({}),
  minUsd: Usd.default('1'),
  /** What a player may send, and may receive, on a UTC day in any case. */
  dailyLimitUsd: Usd.default('100'),
  /** Of what their VIP level asks to be wagered, where that is more. */
  dailyLimitWagerPercent: z.number().int().min(0).max(100).default(10),
  /** How much of a tip its recipient has to wager before anything is paid out. */
  recipientTurnoverPercent: z.number().int().min(0).max(1000).default(30),
});

/** What staff may give players and take from them. */
const AdminTips = z.strictObject({
  /** At once, unless a superadmin does it. */
  maxUsd: Usd.default('1000'),
  /** A member of staff on a UTC day, unless they are a superadmin. */
  dailyMaxUsd: Usd.default('5000'),
  /** How much of it has to be wagered before anything is paid out. */
  turnoverPercent: z.number().int().min(0).max(1000).default(100),
});

/** The page before the site opens. */
const ComingSoon = z.strictObject({
  /** Whether the page is shown, and who asks for news is remembered. */
  enabled: z.boolean().default(false),
  /** When the site opens; null: not said yet. Addresses are deleted 90 days later. */
  launchAt: z.iso.datetime().nullable().default(null),
  /** What there will be, as the page lists it. */
  features: z.array(z.string().trim().min(1).max(100)).max(20).default([]),
});

/** The sections of COMMON: a change names the fields in them too, the others keep their values. */
export const SECTIONS = {
  vip: Vip,
  rakeback: Rakeback,
  promo: Promo,
  leaderboards: Leaderboards,
  tips: Tips,
  adminTips: AdminTips,
  chat: Chat,
  comingSoon: ComingSoon,
} as const;

const AffiliateLevel = z.strictObject({
  id: z.number().int().min(1).max(100),
  name: z.string().min(1).max(50),
  /** Of the house edge of what referrals stake, before `divisor`. */
  commissionPercent: Percent,
  /** Whose referrals have wagered this much has reached the level. */
  minWageredUsdAmount: Usd,
  /** Fewer referrals cannot claim. */
  minReferralCountForClaim: z.number().int().min(0).max(1_000_000),
});

/** The fields of AFFILIATES that say what is earned. */
export const AFFILIATE_RATES = {
  levels: z
    .array(AffiliateLevel)
    .min(1)
    .max(100)
    .default([
      affiliateLevel(1, '5', '0', 1),
      affiliateLevel(2, '7.5', '50000', 3),
      affiliateLevel(3, '10', '250000', 5),
      affiliateLevel(4, '15', '1000000', 10),
    ]),
  /** Of what referrals deposit. */
  depositCommissionPercent: Percent.default('0'),
};

function affiliateLevel(
  id: number,
  commissionPercent: string,
  minWageredUsdAmount: string,
  minReferralCountForClaim: number,
): z.output<typeof AffiliateLevel> {
  return { id, name: `Level ${id}`, commissionPercent, minWageredUsdAmount, minReferralCountForClaim };
}
