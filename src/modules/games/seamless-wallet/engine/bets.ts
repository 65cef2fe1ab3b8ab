import type { Statement } from '../../../../platform/database/db.ts';
import {
  type BetChange,
  type BetCorrection,
  type BetVersion,
  changeOpen,
  holdMonths,
  insertProvided,
  markUndecided,
  type ProvidedBet,
  writeCorrections,
} from '../../bets/queries.ts';
import type { Round, RoundBet } from './rules.ts';
import type { BlockId, TrackedRound } from './state.ts';

/** Returns the statements that write the bets of changed rounds: new bets, changed or settled open bets, and corrections of settled bets. */
export function betStatements(changed: readonly TrackedRound[]): Statement[] {
  const made: ProvidedBet[] = [];
  const open: BetChange[] = [];
  const corrected: BetCorrection[] = [];
  for (const tracked of changed) {
    const { stored, now, firstSettled } = tracked;
    if (!now.bet || now.bet === stored?.bet) continue;
    if (!stored?.bet) made.push(newBetOf(now, now.bet, tracked.changedBy));
    else if (firstSettled === null) open.push(changeOf(now.bet, tracked.changedBy));
    else corrected.push(correctionOf(tracked, stored.bet, now.bet));
  }
  const undecided = changed.flatMap(({ now: { bet }, firstSettled }) =>
    bet && bet.undecided > 0n && firstSettled === null ? [bet] : [],
  );
  return [
    ...(made.length > 0 ? [insertProvided(made)] : []),
    ...(open.length > 0 ? [changeOpen(open)] : []),
    ...(undecided.length > 0 ? [markUndecided(undecided)] : []),
    ...(corrected.length > 0 ? [holdMonths(), writeCorrections(corrected)] : []),
  ];
}

/** A voided bet shows the stake before the void. */
const shownAmounts = ({ status, amount, usdAmount, shown }: RoundBet) =>
  status === 'ROLLBACK' ? shown : { amount, usdAmount };

function newBetOf({ userId, gameId, currencyId }: Round, bet: RoundBet, changedBy: BlockId): ProvidedBet {
  const { id, status, payout, usdPayout, rate: usdRate, edgePpm } = bet;
  return {
    id,
    userId,
    gameId,
    currencyId,
    status,
    ...shownAmounts(bet),
    payout,
    usdPayout,
    usdRate,
    edgePpm,
    settlementId: status === 'ROLLBACK' ? changedBy.id : null,
  };
}

function changeOf(bet: RoundBet, { offset }: BlockId): BetChange {
  const { id, status, payout, usdPayout } = bet;
  const settlement = status === 'CREATED' ? null : offset;
  return {
    id,
    status,
    ...shownAmounts(bet),
    payout,
    usdPayout,
    settlement,
    inputs: null,
    outcome: null,
  };
}

function correctionOf(
  { now, changedBy, firstSettled }: TrackedRound,
  before: RoundBet,
  after: RoundBet,
): BetCorrection {
  return {
    id: changedBy.id,
    betId: after.id,
    position: firstSettled!,
    userId: now.userId,
    gameId: now.gameId,
    currencyId: now.currencyId,
    status: after.status,
    before: versionOf(before),
    after: versionOf(after),
  };
}

const versionOf = ({ countsAt: at, ...bet }: RoundBet): BetVersion | null => {
  const { amount, payout, usdAmount, usdPayout, undecided } = bet;
  return at && { amount, payout, usdAmount, usdPayout, undecided, at };
};
