import { type AppError, commonErrors } from '../../../../platform/errors.ts';
import type { Units } from '../../../../platform/money.ts';
import { bettingErrors } from '../../betting/errors.ts';
import { admit, type BetTerms, type FreshBet, NO_SEEDS, payout } from '../../betting/play.ts';
import type { GameRequest, Store } from '../../betting/request.ts';
import { isInRange, shownRange } from '../../betting/rules.ts';
import { type BettingRound, currentRoundStatement, type Placed, placedStatement } from './queries.ts';
import type { Color } from './rules.ts';

/** The round that takes bets, if one does, and what its players have placed in it so far (US dollars). */
type Table = { round: BettingRound | undefined; placed: Map<number, Units> };

/** The round is locked only after the players: closing it waits for their batches. */
const TABLE: Store<Table> = {
  read: (requests) => [
    currentRoundStatement(),
    placedStatement([...new Set(requests.map(({ userId }) => userId))]),
  ],
  stateOf([rounds, placed]) {
    const [round] = rounds as BettingRound[];
    return {
      round: round?.isOpen ? round : undefined,
      placed: new Map((placed as Placed[]).map(({ userId, usd }) => [userId, usd])),
    };
  },
};

/** A bet on a colour in the round that takes bets: it stays open (CREATED) until the round is settled. */
export const placeRequest = <Answer extends object>(
  { bet, minStake }: BetTerms,
  { color, answer }: { color: Color; answer: Answer },
): GameRequest<Answer, Table> => ({
  ...bet,
  store: TABLE,
  decide(batch, table) {
    const { effect, row } = admit({ ...bet, refusal: refusalOf(bet, minStake, table) }, batch);
    const { id, maxProfit } = table.round!;
    return {
      ...effect,
      credit: payout(0n, bet.rate),
      opened: {
        ...row,
        ...NO_SEEDS,
        maxProfitUsd: maxProfit,
        inputs: JSON.stringify({ color }),
        roundId: id,
      },
      changeState: () => table.placed.set(bet.userId, placedBy(bet, table) + bet.betUsd),
      answer: () => answer,
    };
  },
});

const placedBy = ({ userId }: FreshBet, { placed }: Table): Units => placed.get(userId) ?? 0n;

/** The range is that of the round, and holds for all bets of the player in it together. */
function refusalOf(bet: FreshBet, minStake: Units, table: Table): AppError | undefined {
  const { currencyId, decimals, rate, betUsd: usd, stake: units } = bet;
  if (!table.round) return bet.refusal ?? bettingErrors.BETTING_CLOSED({ game: bet.game.slug });
  const { minBet, maxBet } = table.round;
  const range = { currencyId, decimals, rate, minStake, minBet, maxBet };
  if (isInRange({ usd, units }, range) && placedBy(bet, table) + usd <= maxBet) return undefined;
  return commonErrors.AMOUNT_OUT_OF_RANGE(shownRange(range));
}
