import type { z } from 'zod';
import type { Access } from './access.ts';
import type { ContextOf, ResponseOf, Route, TypedRoute } from './route.ts';

/** A key check that receives its module's dependencies as its first argument; see `Route.keyCheck`. */
type KeyCheck<Deps> = (deps: Deps, key: string | undefined) => Promise<unknown>;

/**
 * A route whose handler receives its module's dependencies as its first argument. The file of an operation contains all code that only this
 * operation uses.
 */
export type Operation<Deps> = Omit<Route, 'handler' | 'keyCheck'> & {
  keyCheck?: KeyCheck<Deps>;
  // biome-ignore lint/suspicious/noExplicitAny: operations of different types share one list
  handler: (deps: Deps, context: any) => unknown;
};

/** Defines an operation: checks its types and sets the default status (201 for POST, otherwise 200). */
export function operation<
  Deps,
  const A extends Access,
  B extends z.ZodType | undefined = undefined,
  Q extends z.ZodObject | undefined = undefined,
  P extends z.ZodObject | undefined = undefined,
  H extends z.ZodObject | undefined = undefined,
  R extends z.ZodType | undefined = undefined,
>(
  definition: Omit<TypedRoute<A, B, Q, P, H, R>, 'handler' | 'keyCheck'> & {
    keyCheck?: KeyCheck<Deps>;
    handler: (deps: Deps, context: ContextOf<A, B, Q, P, H>) => ResponseOf<R>;
  },
): Operation<Deps> {
  return {
    status: definition.method === 'POST' ? 201 : 200,
    ...definition,
  } as unknown as Operation<Deps>;
}

/** Converts operations into routes that pass these dependencies to their handlers and checks of API keys. */
export const bind = <Deps>(operations: readonly Operation<Deps>[], deps: Deps): Route[] =>
  operations.map(({ keyCheck, ...one }) => ({
    ...one,
    ...(keyCheck && { keyCheck: (key) => keyCheck(deps, key) }),
    handler: (context) => one.handler(deps, context),
  }));
