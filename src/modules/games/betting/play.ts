import type { Caller } from '../../../http/access.ts';
import { iso } from '../../../platform/clock.ts';
import type { CountrySet } from '../../../platform/countries/rules.ts';
import { AppError } from '../../../platform/errors.ts';
import { formatUnits, type Rate, type Units } from '../../../platform/money.ts';
import { inputHash } from '../../base/idempotency/service.ts';
import type { Player } from '../../base/players/service.ts';
import type { Risk } from '../../money/bonus/rules.ts';
import type { Currencies } from '../../money/currencies/service.ts';
import { ALGORITHM_VERSION } from '../fairness/rules.ts';
import type { SeedPair } from '../fairness/service.ts';
import { bettingErrors } from './errors.ts';
import type { Batch, Credit, Effect, GameRequest } from './request.ts';
import { countedUsdOf, type Money, payoutsOf, type Return, stakeIn, type Terms } from './rules.ts';
import type { Settlement } from './settlement.ts';

export type Betting = ReturnType<typeof createBetting>;

/** The player of a bet, with the request's address. */
export type Bettor = Caller & {
  /** A refusal of new bets. The request can only get the response stored under its key. */
  refused?: AppError | undefined;
};

/** The common fields of bets on house games. `betAmount` is in US dollars. */
export type BetBody = { currencyId: string; betAmount: string; windowId?: string | undefined };

/** The properties of a game that bets need: limits in US dollars, RTP in percent. */
export type Game = {
  id: number;
  slug: string;
  enabled: boolean;
  settings: { minBet: Units; maxBet: Units; maxProfit: Units; rtp: number };
};

/** Converts an RTP in percent with at most two decimals to basis points. */
export const basisPoints = (rtp: number): number => Math.round(rtp * 100);

/** The fields that identify a request to the settlement. */
export type Call = Pick<GameRequest, 'userId' | 'country' | 'game' | 'repeat'>;

/** A new bet with everything that is known without the player's lock. */
export type FreshBet = Call &
  Terms & {
    /** Returns true if the game is still enabled when the bet is decided, because the bet may have waited. */
    isOpen?: () => boolean;
    currencyId: string;
    rtpBp: number;
    windowId: string | null;
    /**
     * A refusal that is known before the player is locked (amount out of range). It has lower priority than the gate's refusals and is
     * stored like any other.
     */
    refusal: AppError | undefined;
  };

/** The game of a bet that is placed and settled in one step. */
export type SingleStep<Answer extends object = object, Outcome extends object = object> = {
  inputs: object;
  /** Pure. Returns the bet's risk; called only for bets with a grant. */
  risk?: (() => Risk) | undefined;
  /** Pure. Plays the game on these seeds and terms. The multiplier is a fraction of `scale`, 0n for a loss. */
  play(seeds: SeedPair, nonce: number, terms: Terms): { outcome: Outcome } & Return;
  /** Pure. Returns the response body. */
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

/** A player's request. `operation` and `body` must be the same when an Idempotency-Key is repeated. */
export type Asked = { by: Bettor; game: GameRequest['game']; operation?: string; body: object };

/** A requested bet. `sideBetAmount`, in US dollars, is an additional stake. */
export type Order = { by: Bettor; game: Game; body: BetBody; sideBetAmount?: string | undefined };

type Deps = {
  currencies: Pick<Currencies, 'get' | 'freshRate'>;
  settlement: Pick<Settlement, 'settle'>;
  /** Returns true if a game is enabled now, because it may have been disabled while a bet waited. */
  isOn: (slug: string) => boolean;
  minStakeOf: (currency: { id: string; decimals: number }) => Units;
  /** Returns the countries whose rules apply to a bet. Returns a promise only if they must be read from the database. */
  countriesOf: (by: Bettor) => CountrySet | Promise<CountrySet>;
};

/** Creates the functions that send requests to the settlement. */
export function createBetting(deps: Deps) {
  const { settlement } = deps;
  const betting = {
    /** Settles a request that is not a new bet. */
    act: <Answer extends object>(
      asked: Asked,
      requestOf: (call: Call) => GameRequest<Answer>,
    ): Promise<Answer> =>
      from(deps, asked.by, (country) => settlement.settle(requestOf(callOf(asked, country)))),

    /** Places a bet. `requestOf` builds its request. A repeated key gets its stored response, even if the bet would be refused now. */
    bet<Answer extends object>(
      order: Order,
      requestOf: (terms: BetTerms) => GameRequest<Answer>,
    ): Promise<Answer> {
      return from(deps, order.by, (country) =>
        settlement.settle(betRequest({ deps, order, country }, requestOf)),
      );
    },

    /** Places a bet that is settled in one step. */
    play: <Answer extends object, Outcome extends object>(
      play: Order & SingleStep<Answer, Outcome>,
    ): Promise<Answer> => betting.bet(play, ({ bet }) => playRequest(bet, play)),
  };
  return betting;
}

/** Settles with the bettor's countries. Synchronous unless the countries must be read, so that the bet keeps its place in the queue. */
function from<Answer>(
  { countriesOf }: Deps,
  by: Bettor,
  settle: (country: CountrySet) => Promise<Answer>,
): Promise<Answer> {
  const countries = countriesOf(by);
  return countries instanceof Promise ? countries.then(settle) : settle(countries);
}

type Placed = { deps: Deps; order: Order; country: CountrySet };

/** Builds the request of a bet. A bet that is rejected before it is queued may still get the response stored under its key. */
function betRequest<Answer extends object>(
  { deps, order, country }: Placed,
  requestOf: (terms: BetTerms) => GameRequest<Answer>,
): GameRequest<Answer> {
  const { by } = order;
  try {
    if (by.refused) throw by.refused;
    return requestOf(termsOf({ deps, order, country }));
  } catch (error) {
    const isAsked = by.idempotencyKey !== undefined && error instanceof AppError;
    if (!isAsked || error.code === 'VALIDATION_FAILED') throw error;
    const decide = () => {
      throw error;
    };
    return { ...callOf(order, country), isRefused: true, decide };
  }
}

function callOf({ by, game, operation = `bet.${game.slug}`, body }: Asked, country: CountrySet): Call {
  const { userId, idempotencyKey: key } = by;
  const repeat = key ? { key, inputHash: inputHash(operation, body) } : undefined;
  return { userId, country, game, repeat };
}

/** A new bet, its side bet, and the minimum stake in its currency. */
export type BetTerms = { bet: FreshBet; side: Money | undefined; minStake: Units };

/**
 * Checks currency and rate, the format of the amounts, whether the game is enabled, and the range. Throws the first error, except that an
 * amount out of range is refused under the lock. The rate is fixed here and stored on the bet.
 */
function termsOf({ deps, order, country }: Placed): BetTerms {
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
    ...callOf(order, country),
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

/** Returns the response to a single-step bet. */
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

/** Builds the request of a bet that is settled in one step. */
export const playRequest = <Answer extends object, Outcome extends object>(
  bet: FreshBet,
  { inputs, risk, play, answer }: SingleStep<Answer, Outcome>,
): PlayRequest<Answer, Outcome> => {
  const whole = { ...bet, inputs, risk, play, answer };
  return { ...whole, decide: (batch) => playBet(whole, batch) };
};

/** Returns the effect of a bet in one step. Throws its refusal. */
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
    risk: bet.risk,
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
 * Returns the common part of every new bet: its stake as an effect, and the columns that do not depend on the game. Throws the first
 * refusal, in this order: game, gate, time between bets, the bet's own refusal, money. `sideStake` is an additional stake.
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

/** Enforces the minimum time between bets that the site or one of the player's countries sets. Actions on a round are not new bets. */
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
