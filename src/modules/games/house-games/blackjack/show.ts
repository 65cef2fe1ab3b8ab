import type { z } from 'zod';
import { iso } from '../../../../platform/clock.ts';
import { formatUnits, type Units } from '../../../../platform/money.ts';
import type { OpenRound, ShownRound } from '../../betting/rounds.ts';
import { partsOf } from './payouts/rules.ts';
import { type BlackjackState, showDealer, showHand, sideBetResult } from './rules.ts';
import type { BlackjackState as Shown } from './schemas.ts';
import { availableActions } from './table/rules.ts';

type Round = OpenRound<BlackjackState> & Partial<Pick<ShownRound<BlackjackState>, 'end' | 'finishedAt'>>;

/** A round as its player sees it, in US dollars; what its parts pay is open until it has ended. */
export function showRound({ state, end, finishedAt = null, ...round }: Round): z.input<typeof Shown> {
  const { betAmount, sideBetAmount, table } = state;
  const parts = partsOf(state, table, round);
  const paid = (amount: Units | undefined) =>
    table.active === null && amount !== undefined ? formatUnits(amount) : null;
  return {
    betId: String(round.betId),
    status: table.active === null ? 'FINISHED' : 'PLAYER_TURN',
    currencyId: round.currencyId,
    betAmount,
    sideBetAmount,
    sideBetResult: sideBetResult(state, table),
    sideBetPayout: paid(parts.side?.paid.usd),
    insuranceAmount: parts.insurance ? formatUnits(parts.insurance.staked.usd) : null,
    dealer: showDealer(table),
    hands: table.hands.map((hand, i) => ({
      ...showHand(hand, table),
      betAmount: formatUnits(parts.hands[i]!.staked.usd),
      payout: paid(parts.hands[i]!.paid.usd),
    })),
    activeHandIndex: table.active,
    availableActions: availableActions(table),
    payout: end && end !== 'void' ? formatUnits(end.paid.payoutUsd) : null,
    createdAt: iso(round.createdAt),
    finishedAt,
  };
}
