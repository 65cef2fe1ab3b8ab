import type { Caller } from '../../../http/access.ts';
import type { CountrySet } from '../../../platform/countries/rules.ts';
import { AppError } from '../../../platform/errors.ts';
import type { Units } from '../../../platform/money.ts';
import { inputHash } from '../../base/idempotency/service.ts';
import type { Currencies } from '../../money/currencies/service.ts';
import { bettingErrors } from './errors.ts';
import { playBet } from './play.ts';
import type { Batch, Call, FreshBet, GameRequest, SingleStep } from './request.ts';
import { basisPoints, stakeIn } from './rules.ts';
import type { Settlement } from './settlement.ts';

export type Betting = ReturnType<typeof createBetting>;

/** A player's request. If an Idempotency-Key is repeated, `operation` and `body` must be the same. */
export type Asked = { by: Caller; game: GameRequest['game']; operation?: string; body: object };

/** A requested bet on a house game. `betAmount` and the additional stake `sideBetAmount` are in US dollars. */
export type Order = {
  by: Caller;
  /** Limits in US dollars, RTP in percent. */
  game: GameRequest['game'] & {
    settings: { minBet: Units; maxBet: Units; maxProfit: Units; rtp: number };
  };
  body: { currencyId: string; betAmount: string; windowId?: string | undefined };
  sideBetAmount?: string | undefined;
  /** The error with which the bet is rejected. The request can then only return the response stored under its key. */
  refused?: AppError | undefined;
};

type Deps = {
  currencies: Pick<Currencies, 'get' | 'freshRate'>;
  settlement: Pick<Settlement, 'settle'>;
  /** Returns true if a game is still enabled. It may have been disabled while a bet was waiting. */
  isOn: (slug: string) => boolean;
  minStakeOf: (currency: { id: string; decimals: number }) => Units;
  /** Returns the countries whose rules apply to a bet. Returns a promise only if they must be read from the database. */
  countriesOf: (by: Caller) => CountrySet | Promise<CountrySet>;
};

/** Creates the functions that send requests to the settlement. */
export function createBetting(deps: Deps) {
  const { settlement } = deps;
  return {
    /** Settles a request that is not a new bet. */
    act: <Answer extends object>(
      asked: Asked,
      requestOf: (call: Call) => GameRequest<Answer>,
    ): Promise<Answer> =>
      from(deps, asked.by, (country) => settlement.settle(requestOf(callOf(asked, country)))),

    /** Places a bet. `requestOf` builds its request. A repeated key returns the stored response, even if the bet would be rejected now. */
    bet: <Answer extends object>(
      order: Order,
      requestOf: (bet: FreshBet) => GameRequest<Answer>,
    ): Promise<Answer> =>
      from(deps, order.by, (country) => {
        const call = callOf(order, country);
        return settlement.settle(unlessRefused(order, call, () => requestOf(freshBet(deps, order, call))));
      }),
  };
}

/**
 * Settles the bet under the rules of the bettor's countries. Synchronous unless the countries must be read, so that the bet keeps its
 * position in the queue.
 */
function from<Answer>(
  { countriesOf }: Deps,
  by: Caller,
  settle: (country: CountrySet) => Promise<Answer>,
): Promise<Answer> {
  const countries = countriesOf(by);
  return countries instanceof Promise ? countries.then(settle) : settle(countries);
}

function callOf({ by, game, operation = `bet.${game.slug}`, body }: Asked, country: CountrySet): Call {
  const { userId, idempotencyKey: key } = by;
  const repeat = key ? { key, inputHash: inputHash(operation, body) } : undefined;
  return { userId, country, game, repeat };
}

/** Builds the request of a bet. A bet that is rejected before it is queued may still get the response stored under its key. */
function unlessRefused<Answer extends object>(
  { refused }: Order,
  call: Call,
  build: () => GameRequest<Answer>,
): GameRequest<Answer> {
  try {
    if (refused) throw refused;
    return build();
  } catch (error) {
    if (!call.repeat || !(error instanceof AppError) || error.code === 'VALIDATION_FAILED') throw error;
    const decide = () => {
      throw error;
    };
    return { ...call, isRefused: true, decide };
  }
}

/**
 * Checks currency and rate, the format of the amounts, whether the game is enabled, and the amount's range. Throws the first error, except
 * that an amount out of range is rejected later, under the lock. The rate is fixed here and stored with the bet.
 */
function freshBet(deps: Deps, { game, body, sideBetAmount }: Order, call: Call): FreshBet {
  const { currencies, minStakeOf, isOn } = deps;
  const { minBet, maxBet, maxProfit, rtp } = game.settings;
  const { id: currencyId, decimals } = currencies.get(body.currencyId);
  const rate = currencies.freshRate(currencyId);
  const minStake = minStakeOf({ id: currencyId, decimals });
  const range = { currencyId, decimals, rate, minStake, minBet, maxBet };
  const main = stakeIn('betAmount', body.betAmount, range);
  const side =
    sideBetAmount === undefined
      ? undefined
      : stakeIn('sideBetAmount', sideBetAmount, { ...range, maxBet: main.usd });
  if (!isOn(game.slug)) throw bettingErrors.GAME_DISABLED({ game: game.slug });
  return {
    ...call,
    isOpen: () => isOn(game.slug),
    currencyId,
    decimals,
    rate,
    betUsd: main.usd,
    stake: main.units,
    minStake,
    side: side && { usd: side.usd, units: side.units },
    maxProfitUsd: maxProfit,
    rtpBp: basisPoints(rtp),
    windowId: body.windowId ?? null,
    refusal: main.refusal ?? side?.refusal,
  };
}

/** Builds the request of a bet that is settled in one step. */
export const playRequest = <Answer extends object, Outcome extends object>(
  bet: FreshBet,
  step: SingleStep<Answer, Outcome>,
) => ({
  ...bet,
  ...step,
  decide: (batch: Batch) => playBet(bet, step, batch),
});
