import { z } from 'zod';
import { operation } from '../../../http/operation.ts';
import { object } from '../../../http/schemas.ts';
import { invalidField } from '../../../platform/errors.ts';
import { formatUnits, isTooMuch, parseUnits, type Units } from '../../../platform/money.ts';
import { betRefusals, seriesRefusals } from '../betting/errors.ts';
import { type Order, playRequest } from '../betting/place.ts';
import type { PlayedBet, SingleStep } from '../betting/request.ts';
import { basisPoints, usdDecimals } from '../betting/rules.ts';
import { firstNumber, stream } from '../fairness/hash.ts';
import { diceOdds, diceRisk, playDice } from './dice/rules.ts';
import { KENO_MULTIPLIERS, playKeno } from './keno/rules.ts';
import { limboPoint, limboRisk, limboTarget, playLimbo } from './limbo/rules.ts';
import { playPlinko } from './plinko/rules.ts';
import { kenoRisk, plinkoRisk, rouletteRisk } from './risk/rules.ts';
import { playRoulette, type RouletteStake, rouletteStakes, totalOf } from './roulette/rules.ts';
import {
  BET,
  DiceBet,
  DiceConfig,
  DiceResult,
  type GameSlug,
  KenoBet,
  KenoConfig,
  KenoResult,
  LimboBet,
  LimboConfig,
  LimboResult,
  PlinkoBet,
  PlinkoConfig,
  PlinkoResult,
  RouletteBet,
  RouletteConfig,
  RouletteResult,
} from './schemas.ts';
import { configOf, type GameSettings, type HouseGame, type HouseGameDeps } from './settings.ts';

const SeriesCount = z
  .number()
  .int()
  .min(1)
  .max(100)
  .meta({ description: 'Number of bets. Each has the stake betAmount.' });

const UnknownBets = z.number().int().meta({
  description:
    'Number of bets that the database did not confirm in time. If it is above 0, repeat the request with the same Idempotency-Key.',
  example: 0,
});

const Refused = object('RefusedBet', {
  code: z.string(),
  message: z.string(),
  details: z.record(z.string(), z.unknown()).nullable(),
});

const ABOUT_SERIES =
  'Each bet is settled separately. Returns the placed bets in order; `refused` is the first error of the bets that were not ' +
  'placed. If no bet was placed, the response is that error.\n\nIf the connection to the database is lost, the outcome of some ' +
  'bets may be unknown: `unknown` is the number of these bets. Repeat the request with the same Idempotency-Key: the response ' +
  'contains the outcome of every bet, missing bets are placed, and none is placed twice. Without a key, check `GET ' +
  '/bets`.\n\nReturns 403 SERIES_CLOSED if `seriesByCountry` of `GET /config/USER` is false for any country linked to the ' +
  'player (address, account, registration, stated identity). If there is a minimum time between bets (`minBetIntervalMs`), only ' +
  'one bet is placed.';

export const dice = singleStep({
  slug: 'dice',
  bet: { summary: 'Bet on a roll above or below a threshold', body: DiceBet, response: DiceResult },
  config: { summary: 'Get the limits and RTP of dice', response: DiceConfig },
  step({ threshold, above }, { rtp, maxMultiplier }) {
    const odds = diceOdds({ threshold, above }, { rtpBp: basisPoints(rtp), maxMultiplier });
    if (!odds) {
      const message = `needs at most two decimals and odds that pay between 1.01 and ${maxMultiplier} times the stake`;
      throw invalidField('threshold', message);
    }
    return {
      inputs: { threshold, above },
      risk: () => diceRisk(odds),
      play: ({ serverSeed, clientSeed }, nonce) =>
        playDice({ threshold, above }, odds, firstNumber(serverSeed, clientSeed, nonce)),
      answer: (bet) => ({ ...withOffer(resultOf(bet), bet.outcome.didWin), above, threshold }),
    };
  },
});

export const limbo = singleStep({
  slug: 'limbo',
  bet: { summary: 'Bet that the result reaches a multiplier', body: LimboBet, response: LimboResult },
  config: { summary: 'Get the limits, multipliers and RTP of limbo', response: LimboConfig },
  step({ multiplier }, settings) {
    const { rtp, minMultiplier, maxMultiplier } = settings;
    const target = limboTarget({ multiplier }, settings);
    if (target === undefined) {
      const message = `needs to lie between ${minMultiplier} and ${maxMultiplier} with at most two decimals`;
      throw invalidField('multiplier', message);
    }
    return {
      inputs: { multiplier },
      risk: () => limboRisk(target, basisPoints(rtp)),
      play: ({ serverSeed, clientSeed }, nonce) =>
        playLimbo(target, limboPoint(basisPoints(rtp), firstNumber(serverSeed, clientSeed, nonce))),
      answer: (bet) => withOffer(resultOf(bet), bet.outcome.randomMultiplier >= bet.outcome.multiplier),
    };
  },
});

export const plinko = singleStep({
  slug: 'plinko',
  bet: { summary: 'Drop a ball through the rows', body: PlinkoBet, response: PlinkoResult },
  config: {
    summary: 'Get the limits of plinko and the delay between balls',
    response: PlinkoConfig,
  },
  step: ({ risk, rowsCount }) => ({
    inputs: { risk, rowsCount },
    risk: () => plinkoRisk({ risk, rowsCount }),
    play: ({ serverSeed, clientSeed }, nonce) =>
      playPlinko({ risk, rowsCount }, stream(serverSeed, clientSeed, nonce)),
    answer: (bet) => resultOf(bet),
  }),
});

export const keno = singleStep({
  slug: 'keno',
  bet: { summary: 'Bet on how many of your numbers are drawn', body: KenoBet, response: KenoResult },
  config: {
    summary: 'Get the limits and multipliers of keno',
    response: KenoConfig,
    read: ({ games }) => ({ ...games.config('keno'), multipliers: KENO_MULTIPLIERS }),
  },
  step: ({ risk, selected }) => ({
    inputs: { risk, selected },
    risk: () => kenoRisk({ risk, selected }),
    play: ({ serverSeed, clientSeed }, nonce) =>
      playKeno({ risk, selected }, stream(serverSeed, clientSeed, nonce)),
    answer: (bet) => resultOf(bet),
  }),
});

export const roulette = singleStep({
  slug: 'roulette',
  bet: { summary: 'Bet on positions of the roulette table', body: RouletteBet, response: RouletteResult },
  config: { summary: 'Get the limits of roulette', response: RouletteConfig },
  step(body, _, { currencies }) {
    const { stakes, total } = stakesOf(body, usdDecimals(currencies.get(body.currencyId).decimals));
    return {
      inputs: body.params,
      risk: () => rouletteRisk(stakes, total),
      play: ({ serverSeed, clientSeed }, nonce) =>
        playRoulette(stakes, total, firstNumber(serverSeed, clientSeed, nonce)),
      answer: (bet) => resultOf(bet),
    };
  },
});

/** Returns a game's operations: a bet, a series of bets, and the game's settings. */
function singleStep<
  Slug extends GameSlug,
  B extends z.ZodObject,
  R extends z.ZodType,
  C extends z.ZodType,
  Outcome extends object,
>({
  slug,
  bet,
  config,
  step,
}: {
  slug: Slug;
  bet: { summary: string; body: B; response: R };
  config: { summary: string; response: C; read?: (deps: HouseGameDeps) => z.input<C> };
  /** Parses the bet from a request body. Throws 400 VALIDATION_FAILED. */
  step: (
    body: z.output<B>,
    settings: GameSettings<Slug>,
    deps: HouseGameDeps,
  ) => SingleStep<z.input<R> & object, Outcome>;
}) {
  type Own = Order & { game: HouseGame<Slug>; body: z.output<B> };
  const place = async (deps: HouseGameDeps, order: Own): Promise<z.input<R>> => {
    const play = step(order.body, order.game.settings, deps);
    return deps.betting.bet(order, (fresh) => playRequest(fresh, play));
  };
  const read = config.read ?? (({ games }: HouseGameDeps) => games.config(slug) as z.input<C>);
  return [
    operation({
      ...BET,
      path: `/casino/games/house/${slug}/bet`,
      summary: bet.summary,
      body: bet.body,
      response: bet.response as z.ZodType,
      errors: betRefusals,
      handler: (deps: HouseGameDeps, { caller: by, body }) =>
        place(deps, { by, game: deps.games.get(slug), body: body as Own['body'] }),
    }),
    operation({
      ...BET,
      path: `/casino/games/house/${slug}/series`,
      summary: `Place up to 100 equal bets on ${slug}`,
      description: ABOUT_SERIES,
      body: bet.body.extend({ count: SeriesCount }),
      response: z.object({ bets: z.array(bet.response), refused: Refused.nullable(), unknown: UnknownBets }),
      errors: seriesRefusals,
      handler: async (deps: HouseGameDeps, { caller, body }) => {
        const each = body as Own['body'] & { count: number };
        return deps.series(caller, each.count, (by, refused) =>
          place(deps, { by, game: deps.games.get(slug), body: each, refused }),
        );
      },
    }),
    operation(configOf(slug, { ...config, read })),
  ];
}

/** Returns the common fields of the response to a bet, and its outcome. */
const resultOf = <Outcome extends object>(bet: PlayedBet<Outcome>) => ({
  currencyId: bet.currencyId,
  betAmount: formatUnits(bet.betUsd),
  payout: formatUnits(bet.payoutUsd),
  createdAt: bet.createdAt,
  betId: bet.betId,
  ...bet.outcome,
});

/** Returns the result of a game that stores the multiplier on offer even for lost bets. The displayed multiplier of a lost bet is 0. */
const withOffer = <Result extends { multiplier: number }>(result: Result, hasWon: boolean) => ({
  ...result,
  multiplier: hasWon ? result.multiplier : 0,
  offeredMultiplier: result.multiplier,
});

type RouletteBody = z.output<typeof RouletteBet>;

/** Returns the entries and their sum, which must equal the bet. Throws 400 VALIDATION_FAILED. */
function stakesOf(body: RouletteBody, decimals: number): { stakes: RouletteStake[]; total: Units } {
  const { betAmount, params } = body;
  // The amount is too large for a sum. The range check rejects it later.
  if (isTooMuch(betAmount, decimals)) return { stakes: [], total: 0n };
  const stakes = rouletteStakes(params.bets, decimals);
  if (!Array.isArray(stakes)) throw invalidField(`params.bets.${stakes.path}`, stakes.message);
  const total = totalOf(stakes);
  if (parseUnits(betAmount) !== total) throw invalidField('betAmount', 'needs to be the sum of the amounts');
  return { stakes, total };
}
