import type { z } from 'zod';
import { iso } from '../../../../platform/clock.ts';
import { commonErrors } from '../../../../platform/errors.ts';
import { formatUnits, type Units } from '../../../../platform/money.ts';
import { bettingErrors } from '../../betting/errors.ts';
import type { Bettor } from '../../betting/play.ts';
import type { OpenRound, Rounds, ShownRound } from '../../betting/rounds.ts';
import type { Next } from '../../betting/rules.ts';
import type { HouseGames } from '../settings.ts';
import type { Cards } from './cards/rules.ts';
import { partsOf } from './payouts/rules.ts';
import {
  actBlackjack,
  type BlackjackState,
  beginBlackjack,
  showDealer,
  showHand,
  sideBetResult,
} from './rules.ts';
import type {
  ActiveBlackjackRound,
  BlackjackAction,
  BlackjackConfig,
  BlackjackInit,
  BlackjackRound,
  BlackjackState as Shown,
} from './schemas.ts';
import { type Action, availableActions } from './table/rules.ts';

export type Blackjack = ReturnType<typeof createBlackjack>;
type Answer = z.input<typeof BlackjackRound>;
type Init = z.output<typeof BlackjackInit>;

export function createBlackjack({ games, rounds }: { games: HouseGames; rounds: Rounds }) {
  return {
    config: (): z.input<typeof BlackjackConfig> => games.config('blackjack'),

    /** Deals a round; one that a natural ends comes back finished. From a given deck: without seeds and nonce. */
    async init(by: Bettor, body: Init & { deck?: Cards }): Promise<Answer> {
      return rounds.start({
        by,
        game: games.get('blackjack'),
        body,
        sideBetAmount: sideOf(body),
        isForced: body.deck !== undefined,
        begin: (terms, next) => beginBlackjack(terms, next, body.deck),
        answer,
      });
    },

    /** Throws 404 ROUND_NOT_FOUND, 409 ACTION_NOT_ALLOWED, 400 AMOUNT_OUT_OF_RANGE (insurance of nothing). */
    async act(by: Bettor, body: z.output<typeof BlackjackAction>): Promise<Answer> {
      return rounds.act({
        by,
        game: games.get('blackjack'),
        operation: 'blackjack.action',
        body,
        act: (round: OpenRound<BlackjackState>, next) => turnOf(round, body.action, next),
        answer,
      });
    },

    async active(userId: number): Promise<z.input<typeof ActiveBlackjackRound>> {
      const round = await rounds.find<BlackjackState>(userId, games.get('blackjack'));
      return { data: round ? showRound(round) : null };
    },
  };
}

const answer = (round: ShownRound<BlackjackState>): Answer => ({ data: showRound(round) });

/** Nothing, null and any spelling of zero are no side bet. */
function sideOf({ sideBetAmount }: Init): string | undefined {
  return sideBetAmount == null || /^[0.]+$/.test(sideBetAmount) ? undefined : sideBetAmount;
}

function turnOf(round: OpenRound<BlackjackState>, action: Action, next: Next | undefined) {
  const turn = actBlackjack(round, action, next);
  if (!turn) throw bettingErrors.ACTION_NOT_ALLOWED({ action });
  const { needs } = turn;
  // Half of the smallest stake is nothing: such an insurance would be for free, or pay nothing.
  if (needs && (needs.units === 0n || needs.usd === 0n)) throw commonErrors.AMOUNT_OUT_OF_RANGE({ action });
  return turn;
}

type Round = OpenRound<BlackjackState> & Partial<Pick<ShownRound<BlackjackState>, 'end' | 'finishedAt'>>;

/** A round as its player sees it, in US dollars; what its parts pay is open until it has ended. */
function showRound({ state, end, finishedAt = null, ...round }: Round): z.input<typeof Shown> {
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
