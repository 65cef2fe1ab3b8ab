import { type Units, units } from '../../../platform/money.ts';
import { hundredths, type Rakeback, type VipLevel } from '../../base/site-config/rewards/rules.ts';
import { boostedBp, type Period } from '../rakeback/rules.ts';

/** The reward rates for bets placed from `since` on. Dollar amounts are in units. Lists are ordered by level. */
export type Terms = {
  /** Null for the first rates, which apply to all bets before the next change. */
  since: Date | null;
  vipThresholds: Units[];
  vipRewards: Units[];
  /** The share of the house edge that is paid at each level, in basis points. */
  rakebackBp: Record<Period, number[]>;
  affiliateThresholds: Units[];
  /**
   * Commission rates in hundredths of a percent of the edge, before division by `divisor`; empty while the affiliate program is disabled.
   */
  commissions: number[];
  /** The divisor in hundredths. */
  divisor: number;
};

/** Settings that apply from `since` on. `since` is null for the first settings, which apply to all times before the next change. */
export type Version<T> = { since: Date | null; config: T };
type Common = { vip: { ladder: readonly VipLevel[] }; rakeback: Rakeback };
type Affiliates = {
  isEnabled: boolean;
  divisor: number;
  levels: readonly { minWageredUsdAmount: string; commissionPercent: string }[];
};

/** Merges the versions of both settings into terms, oldest first. Versions that change no rate are skipped. */
export function termsOf(
  common: readonly Version<Common>[],
  affiliates: readonly Version<Affiliates>[],
): Terms[] {
  const times = new Map(
    [...common, ...affiliates].map(({ since }) => [since?.getTime() ?? -Infinity, since]),
  );
  const terms = [...times]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([at, since]) => ({ since, ...ratesOf(configAt(common, at), configAt(affiliates, at)) }));
  return terms.filter((each, i) => i === 0 || !isSame(each, terms[i - 1]!));
}

const configAt = <T>(versions: readonly Version<T>[], at: number): T =>
  versions.findLast(({ since }) => (since?.getTime() ?? -Infinity) <= at)!.config;

const isSame = ({ since: _, ...a }: Terms, { since: __, ...b }: Terms): boolean => textOf(a) === textOf(b);

const textOf = (rates: object): string =>
  JSON.stringify(rates, (_, value) => (typeof value === 'bigint' ? String(value) : value));

function ratesOf(
  { vip, rakeback }: Common,
  { isEnabled, divisor, levels }: Affiliates,
): Omit<Terms, 'since'> {
  const boosted = (baseBp: number) => vip.ladder.map(({ boostPercent }) => boostedBp(baseBp, boostPercent));
  return {
    vipThresholds: vip.ladder.map(({ wageredUsd }) => units(wageredUsd)),
    vipRewards: vip.ladder.map(({ rewardUsd }) => units(rewardUsd)),
    rakebackBp: {
      instant: boosted(rakeback.instantBp),
      daily: boosted(rakeback.dailyBp),
      weekly: boosted(rakeback.weeklyBp),
      monthly: boosted(rakeback.monthlyBp),
    },
    affiliateThresholds: levels.map(({ minWageredUsdAmount }) => units(minWageredUsdAmount)),
    commissions: isEnabled
      ? levels.map(({ commissionPercent }) => Number(hundredths(commissionPercent)))
      : [],
    divisor: Number(hundredths(divisor)),
  };
}
