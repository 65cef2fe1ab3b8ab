import type { z } from 'zod';
import { invalidField } from '../../../platform/errors.ts';
import { isTooMuch, parseUnits, type Units } from '../../../platform/money.ts';
import type { Currencies } from '../../money/currencies/service.ts';
import {
  type BetBody,
  type Betting,
  type Bettor,
  basisPoints,
  resultOf,
  type SingleStep,
} from '../betting/play.ts';
import { usdDecimals } from '../betting/rules.ts';
import { firstNumber, stream } from '../fairness/hash.ts';
import { diceOdds, playDice } from './dice/rules.ts';
import type { DiceBet } from './dice/schemas.ts';
import { KENO_MULTIPLIERS, playKeno } from './keno/rules.ts';
import type { KenoBet } from './keno/schemas.ts';
import { limboPoint, limboTarget, playLimbo } from './limbo/rules.ts';
import type { LimboBet } from './limbo/schemas.ts';
import { playPlinko } from './plinko/rules.ts';
import type { PlinkoBet } from './plinko/schemas.ts';
import { playRoulette, type RouletteStake, rouletteStakes, totalOf } from './roulette/rules.ts';
import type { RouletteBet } from './roulette/schemas.ts';
import type { GameSlug } from './schemas.ts';
import type { GameSettings, HouseGames } from './settings.ts';

export type SingleStepGames = ReturnType<typeof createSingleStepGames>;

type Deps = { games: HouseGames; betting: Betting; currencies: Pick<Currencies, 'get'> };

/** The games whose bets take one step. */
export const createSingleStepGames = (deps: Deps) => ({
  dice: singleStep(deps, 'dice', (body: z.output<typeof DiceBet>, { rtp, maxMultiplier }) => {
    const { threshold, above } = body;
    const odds = diceOdds({ threshold, above }, { rtpBp: basisPoints(rtp), maxMultiplier });
    if (!odds) {
      const message = `needs at most two decimals and odds that pay between 1.01 and ${maxMultiplier} times the stake`;
      throw invalidField('threshold', message);
    }
    return {
      inputs: { threshold, above },
      play: ({ serverSeed, clientSeed }, nonce) =>
        playDice({ threshold, above }, odds, firstNumber(serverSeed, clientSeed, nonce)),
      answer: (bet) => ({ ...resultOf(bet), above, threshold }),
    };
  }),

  limbo: singleStep(deps, 'limbo', ({ multiplier }: z.output<typeof LimboBet>, settings) => {
    const { rtp, minMultiplier, maxMultiplier } = settings;
    const target = limboTarget({ multiplier }, settings);
    if (target === undefined) {
      const message = `needs to lie between ${minMultiplier} and ${maxMultiplier} with at most two decimals`;
      throw invalidField('multiplier', message);
    }
    return {
      inputs: { multiplier },
      play: ({ serverSeed, clientSeed }, nonce) =>
        playLimbo(target, limboPoint(basisPoints(rtp), firstNumber(serverSeed, clientSeed, nonce))),
      answer: (bet) => resultOf(bet),
    };
  }),

  keno: {
    ...singleStep(deps, 'keno', ({ risk, selected }: z.output<typeof KenoBet>) => ({
      inputs: { risk, selected },
      play: ({ serverSeed, clientSeed }, nonce) =>
        playKeno({ risk, selected }, stream(serverSeed, clientSeed, nonce)),
      answer: (bet) => resultOf(bet),
    })),
    config: () => ({ ...deps.games.config('keno'), multipliers: KENO_MULTIPLIERS }),
  },

  plinko: singleStep(deps, 'plinko', ({ risk, rowsCount }: z.output<typeof PlinkoBet>) => ({
    inputs: { risk, rowsCount },
    play: ({ serverSeed, clientSeed }, nonce) =>
      playPlinko({ risk, rowsCount }, stream(serverSeed, clientSeed, nonce)),
    answer: (bet) => resultOf(bet),
  })),

  roulette: singleStep(deps, 'roulette', (body: RouletteBody) => {
    const { stakes, total } = stakesOf(body, usdDecimals(deps.currencies.get(body.currencyId).decimals));
    return {
      inputs: body.params,
      play: ({ serverSeed, clientSeed }, nonce) =>
        playRoulette(stakes, total, firstNumber(serverSeed, clientSeed, nonce)),
      answer: (bet) => resultOf(bet),
    };
  }),
});

/** A game whose `stepOf` reads the bet of a body, or throws what is wrong with it. */
const singleStep = <
  Slug extends GameSlug,
  Body extends BetBody,
  Answer extends object,
  Outcome extends object,
>(
  { games, betting }: Deps,
  slug: Slug,
  stepOf: (body: Body, settings: GameSettings<Slug>) => SingleStep<Answer, Outcome>,
) => ({
  config: () => games.config(slug),
  async bet(by: Bettor, body: Body): Promise<Answer> {
    const game = games.get(slug);
    return betting.play({ by, game, body, ...stepOf(body, game.settings) });
  },
});

type RouletteBody = z.output<typeof RouletteBet>;

/** The entries and their sum, which has to be the bet. Throws 400 with the path of what is wrong. */
function stakesOf(body: RouletteBody, decimals: number): { stakes: RouletteStake[]; total: Units } {
  const { betAmount, params } = body;
  // Too much to be added up: the range refuses it.
  if (isTooMuch(betAmount, decimals)) return { stakes: [], total: 0n };
  const stakes = rouletteStakes(params.bets, decimals);
  if (!Array.isArray(stakes)) throw invalidField(`params.bets.${stakes.path}`, stakes.message);
  const total = totalOf(stakes);
  if (parseUnits(betAmount) !== total) throw invalidField('betAmount', 'needs to be the sum of the amounts');
  return { stakes, total };
}
