import { z } from 'zod';
import { route } from '../../../http/route.ts';
import { betErrors } from '../bets/errors.ts';
import { BetPath } from '../bets/schemas.ts';
import { seriesRefusals } from '../betting/errors.ts';
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

type SingleStep<B extends z.ZodObject, R extends z.ZodType> = {
  slug: string;
  body: B;
  response: R;
  bet: (by: Bettor, body: z.output<B>) => Promise<z.input<R>>;
  series: Rounds['series'];
};

/** The same bet many times in one request, for a game whose bets take one step. */
export const seriesRoute = <B extends z.ZodObject, R extends z.ZodType>({
  slug,
  ...game
}: SingleStep<B, R>) =>
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
    body: game.body.extend({ count: SeriesCount }),
    status: 201,
    response: z.object({ bets: z.array(game.response), refused: Refused.nullable(), unknown: UnknownBets }),
    errors: seriesRefusals,
    handler: async ({ user, ip, body, idempotencyKey }) => {
      const bet = body as z.output<B> & { count: number };
      return game.series({ userId: user.id, ip, idempotencyKey }, bet.count, (by) => game.bet(by, bet));
    },
  });
