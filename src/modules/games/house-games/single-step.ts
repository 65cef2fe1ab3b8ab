import { z } from 'zod';
import { operation } from '../../../http/operation.ts';
import { object } from '../../../http/schemas.ts';
import { betRefusals, seriesRefusals } from '../betting/errors.ts';
import type { Bettor, Order } from '../betting/place.ts';
import { BET, configOf, type HouseGameDeps, type SingleStepGame } from './common.ts';
import type { GameSlug } from './schemas.ts';

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

/** Returns a game's operations: a bet, a series of bets, and the game's settings. */
export function singleStep<
  Slug extends GameSlug,
  B extends z.ZodObject,
  R extends z.ZodType,
  C extends z.ZodType,
  Outcome extends object,
>({ slug, bet, config, step }: SingleStepGame<Slug, B, R, C, Outcome>) {
  type Body = z.output<B> & Order['body'];
  const place = async (deps: HouseGameDeps, by: Bettor, body: Body): Promise<z.input<R>> => {
    const game = deps.games.get(slug);
    return deps.betting.play({ by, game, body }, step(body, game.settings, deps));
  };
  return [
    operation({
      ...BET,
      path: `/casino/games/house/${slug}/bet`,
      summary: bet.summary,
      body: bet.body,
      response: bet.response as z.ZodType,
      errors: betRefusals,
      handler: (deps: HouseGameDeps, { caller, body }) => place(deps, caller, body as Body),
    }),
    operation({
      ...BET,
      path: `/casino/games/house/${slug}/series`,
      summary: `Place up to 100 equal bets on ${slug}`,
      description:
        'Each bet is settled separately. Returns the placed bets in order; `refused` is the first error of the bets that were not ' +
        'placed. If no bet was placed, the response is that error.\n\nIf the connection to the database is lost, the outcome of some ' +
        'bets may be unknown: `unknown` is the number of these bets. Repeat the request with the same Idempotency-Key: the response ' +
        'contains the outcome of every bet, missing bets are placed, and none is placed twice. Without a key, check `GET ' +
        '/bets`.\n\nReturns 403 SERIES_CLOSED if `seriesByCountry` of `GET /config/USER` is false for any country linked to the ' +
        'player (address, account, registration, stated identity). If there is a minimum time between bets (`minBetIntervalMs`), only ' +
        'one bet is placed.',
      body: bet.body.extend({ count: SeriesCount }),
      response: z.object({ bets: z.array(bet.response), refused: Refused.nullable(), unknown: UnknownBets }),
      errors: seriesRefusals,
      handler: async (deps: HouseGameDeps, { caller, body }) => {
        const each = body as Body & { count: number };
        return deps.series(caller, each.count, (by) => place(deps, by, each));
      },
    }),
    operation(
      configOf(slug, {
        ...config,
        read: config.read ?? (({ games }) => games.config(slug) as z.input<C>),
      }),
    ),
  ];
}
