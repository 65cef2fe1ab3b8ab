import { z } from 'zod';
import { Time } from '../../../../http/schemas.ts';

/** US dollars with cents, as a string. */
export const Usd = z.string().regex(/^(0|[1-9]\d{0,8})(\.\d{1,2})?$/, 'needs to be dollars such as "12.50"');
export const CountryCode = z.string().regex(/^[A-Z]{2}$/, 'needs a code of two capital letters such as DE');
export const days = (most: number) => z.number().int().min(1).max(most);
/** An on/off setting per country. The setting is on in countries that are not listed. */
export const CountrySwitches = z.record(CountryCode, z.boolean());
/** A share of the house edge, in hundredths of a percent. */
const BasisPoints = z.number().int().min(0).max(10_000);
/** A percentage with two decimals, as a string so that it is never parsed as a float. */
const Percent = z
  .string()
  .regex(/^(100(\.00?)?|(0|[1-9]\d?)(\.\d{1,2})?)$/, 'needs to be a percentage up to 100, such as "7.5"');

const VipLevel = z.strictObject({
  level: z.number().int().min(0).max(99),
  /** The wagered amount at which a player reaches the level. */
  wageredUsd: Usd,
  /** The reward that is paid once when a player reaches the level. */
  rewardUsd: Usd,
  /** The percentage by which the level increases the base rates of rakeback. */
  boostPercent: z.number().int().min(0).max(1000),
});

/** VIP levels by wagered amount, numbered from 0 without gaps. */
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
  /** Percentage of a reward that must be wagered before a withdrawal; 0 for no requirement. */
  rewardTurnoverPercent: z.number().int().min(0).max(1000).default(100),
});

/** The shares of the house edge that players get back, by claim period, before the VIP boost. */
const Rakeback = z.strictObject({
  instantBp: BasisPoints.default(500),
  dailyBp: BasisPoints.default(200),
  weeklyBp: BasisPoints.default(200),
  monthlyBp: BasisPoints.default(100),
  /** Unclaimed rakeback expires this long after the end of its period; null for never. Instant rakeback never expires. */
  expiryDays: days(3650).nullable().default(null),
});

/**
 * Limits below which a bet risks too little to count towards the wagering of a bonus. They are public, because they are part of every
 * promotion's terms.
 */
const LowRisk = z.strictObject({
  /** A bet does not count towards wagering if its probability of returning the stake is higher than this. */
  maxWinChancePercent: z.number().int().min(1).max(100).default(95),
  /** A bet does not count towards wagering if its average multiplier over winning outcomes is below this. */
  minMultiplier: z.number().min(1).max(100).multipleOf(0.0001).default(1.1),
  /** A bet does not count towards wagering if it covers this percentage of the wheel or more. */
  maxCoveragePercent: z.number().int().min(1).max(101).default(90),
  /** True if bets on opposite outcomes of one round count towards wagering. */
  countsOpposites: z.boolean().default(false),
});

const Promo = z.strictObject({
  lowRisk: LowRisk.prefault({}),
  /** The deposit for a deposit bonus must be made within this period. */
  depositHours: z.number().int().min(1).max(8760).default(72),
  /** The maximum time that a queued grant waits for the end of the active grant in its currency. */
  queueDays: days(3650).default(30),
  /** The highest allowed wagering multiplier of a bonus, in countries that limit it. */
  maxWagerMultiplierByCountry: z.record(CountryCode, z.number().int().min(0).max(1000)).default({ GB: 10 }),
});

const Leaderboards = z.strictObject({
  /** True: prizes are paid automatically once the ranks are final. False: staff pay the prizes. */
  paysAutomatically: z.boolean().default(false),
  /** True: the prize of a skipped rank goes to the next rank. A leaderboard keeps the value that applied when it was created. */
  movesPrizesUp: z.boolean().default(false),
});

/** Tips between players. */
const Tips = z.strictObject({
  isEnabled: z.boolean().default(true),
  byCountry: CountrySwitches.default({}),
  minUsd: Usd.default('1'),
  /** The base daily limit for sending and for receiving, per UTC day. */
  dailyLimitUsd: Usd.default('100'),
  /**
   * Percentage of the amount that the player's VIP level requires to be wagered. If the result is higher than `dailyLimitUsd`, it is the
   * daily limit.
   */
  dailyLimitWagerPercent: z.number().int().min(0).max(100).default(10),
  /** Percentage of a tip that its recipient must wager before a withdrawal. */
  recipientTurnoverPercent: z.number().int().min(0).max(1000).default(30),
});

/** Tips and deductions by staff. */
const AdminTips = z.strictObject({
  /** The maximum amount of one tip by a staff member below superadmin. */
  maxUsd: Usd.default('1000'),
  /** The maximum total that one staff member below superadmin may tip per UTC day. */
  dailyMaxUsd: Usd.default('5000'),
  /** Percentage of a tip that must be wagered before a withdrawal. */
  turnoverPercent: z.number().int().min(0).max(1000).default(100),
});

/** The page that is shown before the site opens. */
const ComingSoon = z.strictObject({
  /** True: shows the page and stores the email addresses of visitors who subscribe. */
  enabled: z.boolean().default(false),
  /** When the site opens; null until the date is announced. Email addresses are deleted 90 days after the opening. */
  launchAt: Time.nullable().default(null),
  /** The upcoming features that are listed on the page. */
  features: z.array(z.string().trim().min(1).max(100)).max(20).default([]),
});

const Room = z.strictObject({
  /** The realtime room is called `chat:<id>`. */
  id: z.string().regex(/^[a-z0-9-]{1,32}$/, 'needs up to 32 lowercase letters, digits and hyphens'),
  name: z.string().trim().min(1).max(50),
});

/** Settings of the chat. The chat is on if `isChatEnabled` is true. */
const Chat = z.strictObject({
  /** Public tips appear in the first room. */
  rooms: z
    .array(Room)
    .min(1)
    .max(20)
    .refine((rooms) => new Set(rooms.map(({ id }) => id)).size === rooms.length, 'contains a room twice')
    .default([{ id: 'general', name: 'General' }]),
  /** Players can write in the chat once they have wagered this amount. */
  minWageredUsd: Usd.default('0'),
});

/** The sections of COMMON. In a change to a section, fields that the change does not contain keep their values. */
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
  /** Percentage of the house edge on referrals' stakes, before `divisor`. */
  commissionPercent: Percent,
  /** The amount that referrals must have wagered for an affiliate to reach the level. */
  minWageredUsdAmount: Usd,
  /** The number of referrals that an affiliate needs to claim commission. */
  minReferralCountForClaim: z.number().int().min(0).max(1_000_000),
});

/** The fields of AFFILIATES that determine earnings. */
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
  /** Percentage of the deposits of referrals. */
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
