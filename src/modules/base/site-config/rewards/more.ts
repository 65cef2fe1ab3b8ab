import { units } from '../../../../platform/money.ts';
import { affiliateLevelAt, hundredths, type Rakeback, type VipLevel } from './rules.ts';

type Vip = { readonly ladder: readonly VipLevel[]; readonly rewardTurnoverPercent: number };
type PaidLevel = {
  readonly id: number;
  readonly commissionPercent: string;
  readonly minWageredUsdAmount: string;
  readonly minReferralCountForClaim: number;
};
type Rewards = { readonly vip: Vip; readonly rakeback: Rakeback };
type Commission = {
  readonly divisor: number;
  readonly depositCommissionPercent: string;
  readonly levels: readonly PaidLevel[];
};
type Fields = Readonly<Record<string, unknown>>;

const RATES = ['instantBp', 'dailyBp', 'weeklyBp', 'monthlyBp'] as const;

/**
 * Returns true if a settings change raises the amounts that players or affiliates are paid. The cost of such a change has no upper limit,
 * because the setting applies to everyone. Returns false if only a staff threshold is raised, because the lowest value of the day applies.
 */
export function givesMore(code: string, before: Fields, after: Fields): boolean {
  if (code === 'COMMON') return paysPlayersMore(before as Rewards, after as Rewards);
  return code === 'AFFILIATES' && paysAffiliatesMore(before as Commission, after as Commission);
}

function paysPlayersMore(before: Rewards, after: Rewards): boolean {
  return (
    RATES.some((rate) => after.rakeback[rate] > before.rakeback[rate]) ||
    // A longer expiry makes expired rakeback claimable again.
    expiryOf(after.rakeback) > expiryOf(before.rakeback) ||
    after.vip.rewardTurnoverPercent < before.vip.rewardTurnoverPercent ||
    after.vip.ladder.some((level) => isBetterLevel(level, before.vip.ladder))
  );
}

const expiryOf = ({ expiryDays }: Rakeback): number => expiryDays ?? Number.POSITIVE_INFINITY;

/** Compares a level with its previous version, or a new level with the previous highest one. */
function isBetterLevel(level: VipLevel, ladder: readonly VipLevel[]): boolean {
  const known = ladder.find((one) => one.level === level.level);
  if (!known) return units(level.rewardUsd) > 0n || level.boostPercent > ladder.at(-1)!.boostPercent;
  const isEarlier = units(level.wageredUsd) < units(known.wageredUsd);
  return (
    isEarlier || units(level.rewardUsd) > units(known.rewardUsd) || level.boostPercent > known.boostPercent
  );
}

function paysAffiliatesMore(before: Commission, after: Commission): boolean {
  return (
    hundredths(after.divisor) < hundredths(before.divisor) ||
    hundredths(after.depositCommissionPercent) > hundredths(before.depositCommissionPercent) ||
    paysSomeoneMore(before.levels, after.levels)
  );
}

/**
 * Returns true if any affiliate would be paid more. Payments change only at wagering thresholds, so it is enough to check each threshold,
 * with and without each level that staff may grant.
 */
function paysSomeoneMore(before: readonly PaidLevel[], after: readonly PaidLevel[]): boolean {
  const levels = [...before, ...after];
  const totals = [...new Set(levels.map(({ minWageredUsdAmount }) => units(minWageredUsdAmount)))];
  const floors = [null, ...new Set(levels.map(({ id }) => id))];
  return totals.some((wageredUsd) =>
    floors.some((floorId) => {
      const was = affiliateLevelAt(before, { wageredUsd, floorId });
      const is = affiliateLevelAt(after, { wageredUsd, floorId });
      return (
        hundredths(is.commissionPercent) > hundredths(was.commissionPercent) ||
        is.minReferralCountForClaim < was.minReferralCountForClaim
      );
    }),
  );
}
