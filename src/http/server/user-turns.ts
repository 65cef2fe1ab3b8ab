import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Config } from '../../platform/config/config.ts';
import { commonErrors } from '../../platform/errors.ts';
import {
  type ConcurrencyLimitByKey,
  createConcurrencyLimitByKey,
} from '../../platform/limits/concurrency-limit.ts';
import type { Route } from '../route.ts';
import { admitAgain, limitOf } from './guard.ts';
import type { AppOptions } from './options.ts';

/** Limits how many of one user's calls may use connections of the general pool, so that other users also get connections. */
export type UserTurns = {
  money: ConcurrencyLimitByKey | undefined;
  other: ConcurrencyLimitByKey | undefined;
};

type Bounds = Pick<
  Config,
  'USER_MONEY_AT_ONCE' | 'USER_MONEY_WAITING' | 'USER_CALLS_AT_ONCE' | 'USER_CALLS_WAITING'
>;

export function createUserTurns(config: Bounds): UserTurns {
  const refusal = () => commonErrors.TOO_MANY_AT_ONCE({ retryAfterSeconds: 1 });
  const turns = (concurrency: number, queue: number) =>
    concurrency > 0 ? createConcurrencyLimitByKey({ concurrency, queue, refusal }) : undefined;
  return {
    money: turns(config.USER_MONEY_AT_ONCE, config.USER_MONEY_WAITING),
    other: turns(config.USER_CALLS_AT_ONCE, config.USER_CALLS_WAITING),
  };
}

type Work = (request: FastifyRequest, reply: FastifyReply) => Promise<unknown>;

/**
 * Applies the user's limits to calls to a route. Calls that move money have their own limit, because each of them occupies a connection
 * while it waits for the player's lock. Throws 429 TOO_MANY_AT_ONCE. After a wait, the caller's permissions are checked again.
 */
export function inTurnOf(route: Route, turns: UserTurns, options: AppOptions): (work: Work) => Work {
  const mine = turnsOf(route, turns);
  if (!mine) return (work) => work;
  return (work) => async (request, reply) => {
    const key = request.user!.id;
    const wait = mine.enter(key);
    try {
      if (wait !== undefined) {
        await wait;
        await admitAgain(request, route, options);
      }
      return await work(request, reply);
    } finally {
      mine.leave(key);
    }
  };
}

/** Returns true if calls to a route count towards the user's limits. All calls by signed-in users do, except bets. */
export function hasUserTurns({ access, gate, onLane }: Route): boolean {
  const isOpen = access === 'anonymous' || access === 'signature' || access === 'apikey';
  return !isOpen && !onLane && gate !== 'bet';
}

function turnsOf(route: Route, { money, other }: UserTurns): ConcurrencyLimitByKey | undefined {
  if (!hasUserTurns(route)) return undefined;
  return limitOf(route) === 'money' ? money : other;
}
