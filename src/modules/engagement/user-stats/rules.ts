import { formatUnits, type Units } from '../../../platform/money.ts';

/** The sums of a player's settled bets and completed payments; amounts in US dollars. */
export type Totals = {
  bets: bigint;
  wins: bigint;
  wagered: Units;
  payouts: Units;
  /** The part of `wagered` that was not settled as won or lost (games/bets/rules.ts). */
  undecided: Units;
  biggestWin: Units;
  /** The multiplier × 10^4, rounded down. */
  bestMultiplier: bigint;
  deposits: Units;
  withdraws: Units;
};

/** Returns `part` as a percentage of `whole`, rounded down to two decimals. Returns 0 if `whole` is 0. */
export function percent(part: bigint, whole: bigint): number {
  return whole === 0n ? 0 : Number((part * 10_000n) / whole) / 100;
}

/**
 * Returns a player's statistics for staff. ggr: stakes minus payouts, negative if the player is ahead. totalLoss: ggr, but at least 0.
 * avgBet: rounded down. rtp: payouts as a percentage of stakes. winRate: percentage of bets that paid more than their stake. netDeposit:
 * deposits minus withdrawals. ltv: the same as netDeposit, because the API specification has both fields.
 */
export function adminStats(totals: Totals) {
  const { bets, wins, wagered, payouts, deposits, withdraws } = totals;
  const ggr = wagered - payouts;
  const net = formatUnits(deposits - withdraws);
  return {
    totalWagered: formatUnits(wagered),
    totalPayouts: formatUnits(payouts),
    totalDeposits: formatUnits(deposits),
    totalWithdraws: formatUnits(withdraws),
    ltv: net,
    ggr: formatUnits(ggr),
    avgBet: formatUnits(bets === 0n ? 0n : wagered / bets),
    netDeposit: net,
    totalLoss: formatUnits(ggr > 0n ? ggr : 0n),
    totalBets: Number(bets),
    rtp: percent(payouts, wagered),
    winRate: percent(wins, bets),
  };
}

/**
 * Returns a player's statistics as they are shown to players. profitUsd: payouts minus stakes. biggestWinUsd: the largest payout
 * of a winning bet.
 */
export function playerStats({ bets, wins, wagered, payouts, biggestWin, bestMultiplier }: Totals) {
  return {
    wageredUsd: formatUnits(wagered),
    profitUsd: formatUnits(payouts - wagered),
    betCount: Number(bets),
    winCount: Number(wins),
    biggestWinUsd: formatUnits(biggestWin),
    bestMultiplier: Number(bestMultiplier) / 10_000,
  };
}
