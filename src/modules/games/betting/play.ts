import type { Caller } from '../../../http/access.ts';
import { iso } from '../../../platform/clock.ts';
import { AppError } from '../../../platform/errors.ts';
import { formatUnits, type Rate, type Units } from '../../../platform/money.ts';
import { inputHash } from '../../base/idempotency/rules.ts';
import type { Player } from '../../base/players/service.ts';
import type { Currencies } from '../../money/currencies/service.ts';
import { ALGORITHM_VERSION } from '../fairness/rules.ts';
import type { SeedPair } from '../fairness/service.ts';
import { bettingErrors } from './errors.ts';
import type { Batch, Credit, Effect, GameRequest } from './request.ts';
import { countedUsdOf, type Money, payoutsOf, type Return, stakeIn, type Terms } from './rules.ts';
import type { Settlement } from './settlement.ts';

export type Betting = ReturnType<typeof createBetting>;

/** Who bets, from where. */
export type Bettor = Caller & {
  /** What already speaks against a new bet: only the answer stored under the key is given. */
  refused?: AppError | undefined;
};

/** What every bet on a house game carries. `betAmount` is in US dollars. */
export type BetBody = { currencyId: string; betAmount: string; windowId?: string | undefined };

/** A game as bets need it: its limits in US dollars, its return in percent. */
export type Game = {
  id: number;
  slug: string;
  enabled: boolean;
  settings: { minBet: Units; maxBet: Units; maxProfit: Units; rtp: number };
};

/** RTP in basis points: an integer, because rtp has at most two decimals. */
export const basisPoints = (rtp: number): number => Math.round(rtp * 100);

/** A request as the settlement identifies it. */
export type Call = Pick<GameRequest, 'userId' | 'country' | 'game' | 'repeat'>;

/** A bet that is about to be made, with all that is known of it without the player's lock. */
export type FreshBet = Call &
  Terms & {
    /** Whether the game is still on when the bet's turn comes: it may have waited. */
    isOpen?: () => boolean;
    currencyId: string;
    rtpBp: number;
    windowId: string | null;
    /** A refusal known before the lock (amount out of range): it comes after the gate's and is stored like any other. */
    refusal: AppError | undefined;
  };

/** A bet that is made and settled in one step. */
export type SingleStep<Answer extends object = object, Outcome extends object = object> = {
  inputs: object;
  /** Pure: the game's rules on these seeds and terms. The multiplier is over `scale`, 0n for a loss. */
  play(seeds: SeedPair, nonce: number, terms: Terms): { outcome: Outcome } & Return;
  /** Pure: the body of the answer. */
  answer(bet: PlayedBet<Outcome>): Answer;
};

export type PlayedBet<Outcome extends object> = {
  betId: string;
  currencyId: string;
  betUsd: Units;
  createdAt: string;
  payoutUsd: Units;
  outcome: Outcome;
};

/** Who asks for what. `operation` and `body` must be the same when an Idempotency-Key is repeated. */
export type Asked = { by: Bettor; game: GameRequest['game']; operation?: string; body: object };

/** A bet as it comes in. `sideBetAmount` in US dollars is staked with it. */
export type Order = { by: Bettor; game: Game; body: BetBody; sideBetAmount?: string | undefined };

type Deps = {
  currencies: Pick<Currencies, 'get' | 'freshRate'>;
  settlement: Pick<Settlement, 'settle'>;
  /** Whether a game takes bets at this moment: it may have been switched off while a bet waited. */
  isOn: (slug: string) => boolean;
  minStakeOf: (currency: { id: string; decimals: number }) => Units;
  countryOf: (ip: string) => string | null;
};

/** The way that every request takes to the settlement, and bets in one step. */
export function createBetting(deps: Deps) {
  const { settlement } = deps;
  const betting = {
    /** Settles what is no new bet. */
    act: <Answer extends object>(
      asked: Asked,
      requestOf: (call: Call) => GameRequest<Answer>,
    ): Promise<Answer> => settlement.settle(requestOf(callOf(deps, asked))),

    /** Makes a bet, of the kind that `requestOf` builds. A key that has an answer gives it, whatever speaks against the bet now. */
    bet<Answer extends object>(
      order: Order,
      requestOf: (terms: BetTerms) => GameRequest<Answer>,
    ): Promise<Answer> {
      const { by } = order;
      let request: GameRequest<Answer>;
      try {
        if (by.refused) throw by.refused;
        request = requestOf(termsOf(deps, order));
      } catch (error) {
        const isAsked = by.idempotencyKey !== undefined && error instanceof AppError;
        if (!isAsked || error.code === 'VALIDATION_FAILED') throw error;
        const decide = () => {
          throw error;
        };
        request = { ...callOf(deps, order), isRefused: true, decide };
      }
      return settlement.settle(request);
    },

    /** A bet in one step. */
    play: <Answer extends object, Outcome extends object>(
      play: Order & SingleStep<Answer, Outcome>,
    ): Promise<Answer> => betting.bet(play, ({ bet }) => playRequest(bet, play)),
  };
  return betting;
}

function callOf({ countryOf }: Deps, { by, game, operation = `bet.${game.slug}`, body }: Asked): Call {
  const { userId, ip, idempotencyKey: key } = by;
  const repeat = key ? { key, inputHash: inputHash(operation, body) } : undefined;
  return { userId, country: countryOf(ip), game, repeat };
}

/** A new bet, what is staked beside it, and the least that may be staked in its currency. */
export type BetTerms = { bet: FreshBet; side: Money | undefined; minStake: Units };

/**
 * Currency and rate, stake, whether the game is on (after the form of the amounts), range: throws what is wrong, save that an amount
 * out of range is refused under the lock. The rate is fixed here and stored on the bet.
 */
function termsOf(deps: Deps, order: Order): BetTerms {
  const { game, body, sideBetAmount } = order;
  const { currencies, minStakeOf, isOn } = deps;
  const { minBet, maxBet, maxProfit, rtp } = game.settings;
  const { id: currencyId, decimals } = currencies.get(body.currencyId);
  const rate = currencies.freshRate(currencyId);
  const minStake = minStakeOf({ id: currencyId, decimals });
  const range = { currencyId, decimals, rate, minStake, minBet, maxBet };
  const main = stakeIn('betAmount', body.betAmount, range);
  const more =
    sideBetAmount === undefined
      ? undefined
      : stakeIn('sideBetAmount', sideBetAmount, { ...range, maxBet: main.usd });
  if (!isOn(game.slug)) throw bettingErrors.GAME_DISABLED({ game: game.slug });
  const bet: FreshBet = {
    ...callOf(deps, order),
    isOpen: () => isOn(game.slug),
    currencyId,
    decimals,
    rate,
    betUsd: main.usd,
    stake: main.units,
    maxProfitUsd: maxProfit,
    rtpBp: basisPoints(rtp),
    windowId: body.windowId ?? null,
    refusal: main.refusal ?? more?.refusal,
  };
  return { bet, side: more && { usd: more.usd, units: more.units }, minStake };
}

/** What every answer to a single-step bet shows, its outcome included. */
export const resultOf = <Outcome extends object>({
  currencyId,
  betId,
  createdAt,
  betUsd,
  payoutUsd,
  outcome,
}: PlayedBet<Outcome>) => ({
  currencyId,
  betAmount: formatUnits(betUsd),
  payout: formatUnits(payoutUsd),
  createdAt,
  betId,
  ...outcome,
});

export type PlayRequest<Answer extends object = object, Outcome extends object = object> = FreshBet &
  SingleStep<Answer, Outcome> &
  GameRequest<Answer>;

/** A bet that is settled in one step. */
export const playRequest = <Answer extends object, Outcome extends object>(
  bet: FreshBet,
  { inputs, play, answer }: SingleStep<Answer, Outcome>,
): PlayRequest<Answer, Outcome> => {
  const whole = { ...bet, inputs, play, answer };
  return { ...whole, decide: (batch) => playBet(whole, batch) };
};

/** The effect of a bet in one step. Throws its refusal. */
export function playBet<Answer extends object, Outcome extends object>(
  bet: FreshBet & SingleStep<Answer, Outcome>,
  batch: Batch,
): Effect<Answer> {
  const { player, effect, row } = admit(bet, batch);
  const nonce = batch.nonce(player);
  const { outcome, multiplier, scale } = bet.play(batch.pair(player.seedPairId), nonce, bet);
  const paid = payoutsOf({ ...bet, multiplier, scale });
  const credit = payout(paid.payout, bet.rate);
  return {
    ...effect,
    credit,
    takesNonce: true,
    settled: {
      ...row,
      seedPairId: player.seedPairId,
      nonce,
      payout: paid.payout,
      usdPayout: credit.countedUsd,
      inputs: JSON.stringify(bet.inputs),
      outcome: JSON.stringify(outcome),
    },
    answer: ({ base, at }) =>
      bet.answer({
        betId: String(base + BigInt(row.id)),
        currencyId: bet.currencyId,
        createdAt: iso(at),
        betUsd: bet.betUsd,
        payoutUsd: paid.payoutUsd,
        outcome,
      }),
  };
}

/**
 * What every new bet begins with: its stake as an effect, and the columns that do not depend on its kind. Throws the first refusal:
 * game, gate, time between bets, its own, money. `sideStake` is staked with it.
 */
export function admit(bet: FreshBet, batch: Batch, sideStake: Units = 0n) {
  const { userId, currencyId, game, rate } = bet;
  const { offset } = batch;
  const player = batch.player(userId);
  const units = bet.stake + sideStake;
  const staked = { units, countedUsd: countedUsdOf(units, rate) };
  if (bet.isOpen?.() === false) throw bettingErrors.GAME_DISABLED({ game: game.slug });
  const first = batch.refusalOf(bet, staked.countedUsd) ?? tooSoon(bet, player, batch) ?? bet.refusal;
  if (first) throw first;
  const wallet = batch.wallet(userId, currencyId);
  const funds = batch.fund({ wallet, units, usd: staked.countedUsd, gameId: game.id });
  return {
    player,
    effect: { wallet, staked, funds, madeBy: player, entry: { offset } },
    row: {
      id: offset,
      userId,
      gameId: game.id,
      currencyId,
      amount: units,
      usdAmount: staked.countedUsd,
      betUsd: bet.betUsd,
      usdRate: rate,
      maxProfitUsd: bet.maxProfitUsd,
      rtpBp: bet.rtpBp,
      algorithmVersion: ALGORITHM_VERSION,
      windowId: bet.windowId,
    },
  };
}

/** The least time between two bets, where the country prescribes one. Actions on a round are not new bets. */
function tooSoon({ country }: FreshBet, player: Player, batch: Batch): AppError | undefined {
  const { minBetIntervalMs } = batch.outlook(country);
  const last = minBetIntervalMs > 0 ? batch.lastBetAt(player) : null;
  if (!last) return undefined;
  const retryAfterMs = minBetIntervalMs - (batch.at.getTime() - last.getTime());
  if (retryAfterMs <= 0) return undefined;
  const retryAfterSeconds = Math.ceil(retryAfterMs / 1000);
  return bettingErrors.BET_TOO_SOON({ minBetIntervalMs, retryAfterMs, retryAfterSeconds });
}

export const NO_SEEDS = { seedPairId: null, nonce: null };

export const payout = (units: Units, rate: Rate): Credit => ({
  kind: 'bet.payout',
  units,
  countedUsd: countedUsdOf(units, rate),
});
