import { z } from 'zod';
import { route } from '../../../http/route.ts';
import { betErrors } from '../bets/errors.ts';
import { BetPath } from '../bets/schemas.ts';
import { betRefusals, seriesRefusals } from '../betting/errors.ts';
import type { Bettor, Rounds } from '../betting/round.ts';
import type { Proof } from './proof.ts';
import { FairnessBet, Refused, SeriesCount, UnknownBets } from './schemas.ts';

export const proofRoutes = (proof: Proof) => [
  route({
    method: 'GET',
    path: '/fairness/bets/{betId}',
    tag: 'Fairness',
    access: 'anonymous',
    summary: 'What anybody needs to check a bet',
    params: BetPath,
    status: 200,
    response: FairnessBet,
    errors: [betErrors.BET_NOT_FOUND],
    handler: ({ params }) => proof.bet(params.betId),
  }),
];

type SingleStep<B extends z.ZodObject, R extends z.ZodType, C extends z.ZodType> = {
  slug: string;
  game: {
    bet(by: Bettor, body: z.output<B>): Promise<z.input<R>>;
    series: Rounds['series'];
    config(): z.input<C>;
  };
  bet: { summary: string; body: B; response: R };
  config: { summary: string; response: C };
};

/** What a game whose bets take one step offers: a bet, many of them in one request, and its limits. */
export const singleStepRoutes = <B extends z.ZodObject, R extends z.ZodType, C extends z.ZodType>({
  slug,
  game,
  bet,
  config,
}: SingleStep<B, R, C>) => [
  route({
    method: 'POST',
    path: `/casino/games/house/${slug}/bet`,
    tag: 'Casino',
    access: 'auth',
    gate: 'bet',
    idempotent: true,
    summary: bet.summary,
    body: bet.body,
    status: 201,
    response: bet.response as z.ZodType,
    errors: betRefusals,
    handler: ({ caller, body }) => game.bet(caller, body as z.output<B>),
  }),
  seriesRoute({ slug, game, bet }),
  route({
    method: 'GET',
    path: `/casino/games/house/${slug}/config`,
    tag: 'Casino',
    access: 'auth',
    summary: config.summary,
    status: 200,
    response: config.response as z.ZodType,
    handler: () => game.config(),
  }),
];

/** The same bet many times in one request, for a game whose bets take one step. */
const seriesRoute = <B extends z.ZodObject, R extends z.ZodType>({
  slug,
  game,
  bet,
}: Pick<SingleStep<B, R, z.ZodType>, 'slug' | 'bet'> & {
  game: Pick<SingleStep<B, R, z.ZodType>['game'], 'bet' | 'series'>;
}) =>
  route({
    method: 'POST',
    path: `/casino/games/house/${slug}/series`,
    tag: 'Casino',
    access: 'auth',
    gate: 'bet',
    idempotent: true,
    summary: `The same bet on ${slug} many times, each for itself`,
    description:
      'Answers the bets that were made, in order. What refused the first of the others is in `refused`; when none was made it is the answer.\n\n' +
      'When the connection to the database breaks at the wrong moment nobody knows of some bets whether they were made: `unknown` counts them. ' +
      'Repeat the request with the same Idempotency-Key: it answers what became of every bet, makes those that were not made, and none twice. ' +
      'Without a key look at `GET /bets`.\n\n' +
      'Where `seriesByCountry` of `GET /config/USER` is false for a country that the player is known by (address, account, registration, stated ' +
      'identity), 403 SERIES_CLOSED. Where bets need time between them (`minBetIntervalMs`) one bet is made and the others are refused.',
    body: bet.body.extend({ count: SeriesCount }),
    status: 201,
    response: z.object({ bets: z.array(bet.response), refused: Refused.nullable(), unknown: UnknownBets }),
    errors: seriesRefusals,
    handler: async ({ caller, body }) => {
      const each = body as z.output<B> & { count: number };
      return game.series(caller, each.count, (by) => game.bet(by, each));
    },
  });
