import type { Route } from '../../src/http/route.ts';
import { answerOf, play, type Settle } from './bet.ts';

const FIRST_ID = 1_000_000;
const SEEDS = { serverSeed: '0123456789abcdef'.repeat(4), clientSeed: 'bench' };

/** Responds to bets without moving money, and without players or a database. */
export const settleNothing: Settle = async (bet) =>
  answerOf(bet, play(bet, SEEDS, 0), { id: BigInt(FIRST_ID), at: new Date() });

/** Returns a route that handles only the first request. It returns the same response to every later request. */
export function asNoopRead(route: Route): Route {
  let sample: unknown;
  return {
    ...route,
    path: `/bench/noop${route.path}`,
    handler: async (context) => {
      sample ??= await route.handler(context);
      return sample;
    },
  };
}

/**
 * Returns a route on which a bet costs only HTTP, authentication, validation and serialisation. The response is the first bet's response
 * with a new id and time, without game rules, database or HMAC.
 */
export function asNoop(route: Route): Route {
  let sample: object | undefined;
  let bets = 0;
  return {
    ...route,
    handler: async (context) => {
      sample ??= (await route.handler(context)) as object;
      return { ...sample, createdAt: new Date().toISOString(), betId: String(FIRST_ID + bets++) };
    },
  };
}
