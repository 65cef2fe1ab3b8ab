import { formatUnits, type Units } from '../../../platform/money.ts';

/** What a player's settled bets and completed payments add up to; amounts in US dollars. */
export type Totals = {
  bets: bigint;
  wins: bigint;
  wagered: Units;
  payouts: Units;
  biggestWin: Units;
  /** × 10^4, rounded down. */
  bestMultiplier: bigint;
  deposits: Units;
  withdraws: Units;
};

/** Part of a whole in percent, rounded down at two decimals; 0 of nothing. */
export function percent(part: bigint, whole: bigint): number {
  return whole === 0n ? 0 : Number((part * 10_000n) / whole) / 100;
}

/**
 * What staff sees of a player. ggr: stakes less payouts (negative where the player is ahead); totalLoss: what they have lost on balance;
 * avgBet: rounded down; rtp: payouts in percent of stakes; winRate: bets that paid more than their stake, in percent of all;
 * netDeposit: deposits less withdrawals; ltv: what they are worth to the house in cash, which is the same as long as nothing but
 * payments counts.
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

/** What players see of themselves. profitUsd: payouts less stakes; biggestWinUsd: the largest payout of a bet that won. */
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
