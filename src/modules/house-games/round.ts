import { type AppError, commonErrors } from '../../platform/errors.ts';
import { formatUnits, parseUnits, type Rate, type Units } from '../../platform/money.ts';
import type { Currencies } from '../currencies/service.ts';
import { inputHash } from '../idempotency/rules.ts';
import type { BetRequest } from './batch.ts';
import { stakeOf, usdDecimals } from './rules.ts';
import { basisPoints, type GameSlug, type HouseGame, type HouseGames } from './settings.ts';
import type { Settlement } from './settlement.ts';

export type Rounds = ReturnType<typeof createRounds>;

/** What every bet on a house game carries. `betAmount` is in US dollars. */
export type BetBody = { currencyId: string; betAmount: string; windowId?: string | undefined };

/** Who bets, from where. */
export type Bettor = { userId: number; ip: string; idempotencyKey: string | undefined };

type Bet = {
  by: Bettor;
  game: HouseGame<GameSlug>;
  body: BetBody;
  inputs: object;
  play: BetRequest['play'];
  answer: BetRequest['answer'];
};

/**
 * The way every single-step house bet takes: currency and rate, stake, range, and then the queue of the settlement. The
 * rate is fixed here and stored on the bet.
 */
export function createRounds({
  currencies,
  settlement,
  games,
  countryOf,
}: {
  currencies: Currencies;
  settlement: Settlement;
  games: Pick<HouseGames, 'get'>;
  countryOf: (ip: string) => string | null;
}) {
  return {
    play({ by, game, body, inputs, play, answer }: Bet): Promise<object> {
      const { userId, ip, idempotencyKey } = by;
      const currency = currencies.get(body.currencyId);
      const rate = currencies.freshRate(currency.id);
      const { betUsd, stake, refusal } = stakeIn(body.betAmount, { decimals: currency.decimals, rate, game });
      return settlement.settle({
        userId,
        country: countryOf(ip),
        game,
        currency,
        isOpen: () => games.get(game.slug).enabled,
        rate,
        betUsd,
        stake,
        refusal,
        inputs,
        play,
        answer,
        rtpBp: basisPoints(game.settings.rtp),
        maxProfitUsd: game.settings.maxProfit,
        windowId: body.windowId ?? null,
        repeat: idempotencyKey
          ? { key: idempotencyKey, inputHash: inputHash(`bet.${game.slug}`, body) }
          : undefined,
      });
    },
  };
}

type Terms = { decimals: number; rate: Rate; game: HouseGame<GameSlug> };

/** Dollars and stake of a bet; too many decimals or nothing at all is a malformed amount, the limits are a refusal. */
function stakeIn(
  betAmount: string,
  { decimals, rate, game }: Terms,
): { betUsd: Units; stake: Units; refusal: AppError | undefined } {
  const betUsd = parseUnits(betAmount, usdDecimals(decimals));
  if (betUsd === undefined || betUsd === 0n) {
    const message = `needs to be above zero with at most ${usdDecimals(decimals)} decimals`;
    throw commonErrors.VALIDATION_FAILED({ fields: [{ path: 'betAmount', message }] });
  }
  const stake = stakeOf(betUsd, rate, decimals);
  const { minBet, maxBet } = game.settings;
  const isInRange = betUsd >= minBet && betUsd <= maxBet && stake > 0n;
  const limits = { minBet: formatUnits(minBet), maxBet: formatUnits(maxBet) };
  return { betUsd, stake, refusal: isInRange ? undefined : commonErrors.AMOUNT_OUT_OF_RANGE(limits) };
}
