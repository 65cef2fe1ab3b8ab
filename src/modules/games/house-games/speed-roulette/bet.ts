import { z } from 'zod';
import { operation } from '../../../../http/operation.ts';
import { CurrencyId, Decimal, object, strictObject } from '../../../../http/schemas.ts';
import { type AppError, commonErrors } from '../../../../platform/errors.ts';
import { formatUnits, type Units } from '../../../../platform/money.ts';
import { betRefusals, bettingErrors } from '../../betting/errors.ts';
import { admit, draftOf, NO_SEEDS, payout } from '../../betting/play.ts';
import type { FreshBet, GameRequest, Store } from '../../betting/request.ts';
import { isInRange, shownRange } from '../../betting/rules.ts';
import { BET, betFields, limitFields, READ } from '../schemas.ts';
import { configOf, type HouseGameDeps } from '../settings.ts';
import { type BettingRound, currentRoundStatement, type Placed, placedStatement } from './queries.ts';
import type { Color } from './rules.ts';
import { ColorName, FairnessChain, SpeedRouletteInfo } from './schemas.ts';
import type { SpeedRoulette } from './service.ts';

type Deps = { speedRoulette: Pick<SpeedRoulette, 'info' | 'chains'> };

const SpeedRouletteBet = strictObject('SpeedRouletteBetRequest', { ...betFields, color: ColorName });

const SpeedRouletteResult = object('SpeedRouletteResult', {
  currencyId: CurrencyId,
  betAmount: Decimal,
  color: ColorName,
});

export const placeBet = operation({
  ...BET,
  path: '/casino/games/house/speed-roulette/bet',
  summary: 'Bet on a color in the current round',
  body: SpeedRouletteBet,
  response: SpeedRouletteResult,
  errors: [...betRefusals, bettingErrors.BETTING_CLOSED],
  handler: async ({ betting, games }: HouseGameDeps, { caller: by, body }) => {
    const { color, currencyId } = body;
    return betting.bet({ by, game: games.get('speed-roulette'), body }, (bet) =>
      placeRequest(bet, { color, answer: { currencyId, betAmount: formatUnits(bet.betUsd), color } }),
    );
  },
});

const SpeedRouletteTimeConfig = object('SpeedRouletteTimeConfig', {
  bettingMs: z.number().int(),
  waitingMs: z.number().int(),
  resultMs: z.number().int(),
});

const SpeedRouletteConfig = object('SpeedRouletteConfig', {
  ...limitFields,
  timeConfig: SpeedRouletteTimeConfig,
});

export const getConfig = operation(
  configOf('speed-roulette', {
    summary: 'Get the limits and phase times of speed-roulette',
    response: SpeedRouletteConfig,
    read: ({ games }) => games.config('speed-roulette'),
  }),
);

export const getInfo = operation({
  ...READ,
  path: '/casino/games/house/speed-roulette/info',
  summary: 'Get the current round with its bets, and the latest results',
  response: SpeedRouletteInfo,
  errors: [bettingErrors.ROUND_NOT_FOUND],
  handler: ({ speedRoulette }: Deps, { user }) => speedRoulette.info(user.id),
});

export const listChains = operation({
  method: 'GET',
  path: '/fairness/chains',
  tag: 'Fairness',
  access: 'anonymous',
  summary: 'List the seed chains of speed-roulette',
  description: 'Each chain commits to the seeds of its rounds before the public seed is known.',
  response: z.array(FairnessChain),
  handler: ({ speedRoulette }: Deps) => speedRoulette.chains(),
});

/** The round that accepts bets, if any, and the total stakes of its players in US dollars. */
type Table = { round: BettingRound | undefined; placed: Map<number, Units> };

/** The round is locked after the players, so that the runner waits for their batches before it closes the round. */
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

/** Builds the request that places a bet in the current round. The bet stays open (CREATED) until the round is settled. */
const placeRequest = <Answer extends object>(
  bet: FreshBet,
  { color, answer }: { color: Color; answer: Answer },
): GameRequest<Answer, Table> => ({
  ...bet,
  store: TABLE,
  decide(batch, table) {
    const { stake, row } = admit({ ...bet, refusal: refusalOf(bet, table) }, batch);
    const { id, maxProfit } = table.round!;
    return draftOf(batch, {
      ...stake,
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
    });
  },
});

const placedBy = ({ userId }: FreshBet, { placed }: Table): Units => placed.get(userId) ?? 0n;

/** The round's stake range applies to the sum of the player's bets in the round. */
function refusalOf(bet: FreshBet, table: Table): AppError | undefined {
  const { currencyId, decimals, rate, minStake, betUsd: usd, stake: units } = bet;
  if (!table.round) return bet.refusal ?? bettingErrors.BETTING_CLOSED({ game: bet.game.slug });
  const { minBet, maxBet } = table.round;
  const range = { currencyId, decimals, rate, minStake, minBet, maxBet };
  if (isInRange({ usd, units }, range) && placedBy(bet, table) + usd <= maxBet) return undefined;
  return commonErrors.AMOUNT_OUT_OF_RANGE(shownRange(range));
}
