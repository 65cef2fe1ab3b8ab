import { z } from 'zod';
import { route } from '../../../http/route.ts';
import { betErrors } from '../bets/errors.ts';
import { BetPath } from '../bets/schemas.ts';
import { actionRefusals, betRefusals, seriesRefusals, startRefusals } from '../betting/errors.ts';
import type { Bettor } from '../betting/play.ts';
import type { SeriesOf } from '../betting/series.ts';
import { DiceBet, DiceConfig, DiceResult } from './dice/schemas.ts';
import { KenoBet, KenoConfig, KenoResult } from './keno/schemas.ts';
import { LimboBet, LimboConfig, LimboResult } from './limbo/schemas.ts';
import { PlinkoBet, PlinkoConfig, PlinkoResult } from './plinko/schemas.ts';
import type { Proof } from './proof.ts';
import { RouletteBet, RouletteConfig, RouletteResult } from './roulette/schemas.ts';
import { FairnessBet, Refused, SeriesCount, UnknownBets } from './schemas.ts';
import type { SingleStepGames } from './service.ts';

const CASINO = { tag: 'Casino', access: 'auth' } as const;
/** What the routes of bets have in common. */
export const BET = { ...CASINO, method: 'POST', gate: 'bet', idempotent: true } as const;

/** What the routes that start a round of a game have in common. */
export const START = { ...BET, errors: startRefusals } as const;

/** What the routes that act on an open round have in common: players who may not bet may finish their round. */
export const ACTION = { ...BET, gate: 'finish', onLane: true, errors: actionRefusals } as const;

/** What the routes that only show a game have in common. */
export const SHOW = { ...CASINO, method: 'GET' } as const;

/** The route that shows limits and other settings of a game. */
export const configRoute = <C extends z.ZodType>(
  slug: string,
  { summary, response, read }: { summary: string; response: C; read: () => z.input<C> },
) =>
  route({
    ...SHOW,
    path: `/casino/games/house/${slug}/config`,
    summary,
    response: response as z.ZodType,
    handler: read,
  });

export const proofRoutes = (proof: Proof) => [
  route({
    method: 'GET',
    path: '/fairness/bets/{betId}',
    tag: 'Fairness',
    access: 'anonymous',
    summary: 'What anybody needs to check a bet',
    params: BetPath,
    response: FairnessBet,
    errors: [betErrors.BET_NOT_FOUND],
    handler: ({ params }) => proof.bet(params.betId),
  }),
];

export const singleStepRoutes = (games: SingleStepGames & { series: SeriesOf }) => [
  ...routesOf(games.series, {
    slug: 'dice',
    game: games.dice,
    bet: {
      summary: 'Bet that the roll lies above or below a threshold',
      body: DiceBet,
      response: DiceResult,
    },
    config: { summary: 'Limits and return of dice', response: DiceConfig },
  }),
  ...routesOf(games.series, {
    slug: 'limbo',
    game: games.limbo,
    bet: { summary: 'Bet that the point reaches a multiplier', body: LimboBet, response: LimboResult },
    config: { summary: 'Limits, targets and return of limbo', response: LimboConfig },
  }),
  ...routesOf(games.series, {
    slug: 'keno',
    game: games.keno,
    bet: { summary: 'Bet on how many selected numbers are drawn', body: KenoBet, response: KenoResult },
    config: { summary: 'Limits and multipliers of keno', response: KenoConfig },
  }),
  ...routesOf(games.series, {
    slug: 'plinko',
    game: games.plinko,
    bet: { summary: 'Drop a ball through the rows', body: PlinkoBet, response: PlinkoResult },
    config: {
      summary: 'Limits of plinko and how long clients wait between two balls',
      response: PlinkoConfig,
    },
  }),
  ...routesOf(games.series, {
    slug: 'roulette',
    game: games.roulette,
    bet: { summary: 'Bet on positions of the layout', body: RouletteBet, response: RouletteResult },
    config: { summary: 'Limits of roulette', response: RouletteConfig },
  }),
];

type SingleStepGame<B extends z.ZodObject, R extends z.ZodType, C extends z.ZodType> = {
  slug: string;
  game: {
    bet(by: Bettor, body: z.output<B>): Promise<z.input<R>>;
    config(): z.input<C>;
  };
  bet: { summary: string; body: B; response: R };
  config: { summary: string; response: C };
};

/** A bet, many of them in one request, and the game's limits. */
const routesOf = <B extends z.ZodObject, R extends z.ZodType, C extends z.ZodType>(
  series: SeriesOf,
  { slug, game, bet, config }: SingleStepGame<B, R, C>,
) => [
  route({
    ...BET,
    path: `/casino/games/house/${slug}/bet`,
    summary: bet.summary,
    body: bet.body,
    response: bet.response as z.ZodType,
    errors: betRefusals,
    handler: ({ caller, body }) => game.bet(caller, body as z.output<B>),
  }),
  route({
    ...BET,
    path: `/casino/games/house/${slug}/series`,
    summary: `The same bet on ${slug} many times, each for itself`,
    description:
      'Answers the bets that were made, in order. What refused the first of the others is in `refused`; when none was made it is the answer.\n\n' +
      'When the connection to the database breaks at the wrong moment nobody knows of some bets whether they were made: `unknown` counts them. ' +
      'Repeat the request with the same Idempotency-Key: it answers what became of every bet, makes those that were not made, and none twice. ' +
      'Without a key look at `GET /bets`.\n\n' +
      'Where `seriesByCountry` of `GET /config/USER` is false for a country that the player is known by (address, account, registration, stated ' +
      'identity), 403 SERIES_CLOSED. Where bets need time between them (`minBetIntervalMs`) one bet is made and the others are refused.',
    body: bet.body.extend({ count: SeriesCount }),
    response: z.object({ bets: z.array(bet.response), refused: Refused.nullable(), unknown: UnknownBets }),
    errors: seriesRefusals,
    handler: async ({ caller, body }) => {
      const each = body as z.output<B> & { count: number };
      return series(caller, each.count, (by) => game.bet(by, each));
    },
  }),
  configRoute(slug, { ...config, read: () => game.config() }),
];
