import { type Route, route } from '../../src/http/route.ts';
import { DiceBet, DiceResult } from '../../src/modules/house-games/dice/schemas.ts';
import { createPool } from '../../src/platform/db.ts';
import type { Services } from '../../src/services.ts';
import { PATHS, type Variant } from '../protocol.ts';
import type { DiceAnswer, DiceInput } from './bet.ts';
import { createNoop } from './noop.ts';
import { createStatement } from './statement.ts';
import { createTextbook } from './textbook.ts';

type Bet = (userId: number, body: DiceInput) => DiceAnswer | Promise<DiceAnswer>;

const POOL_SIZE = 16;
/** Long: a bet that waits for the pool is slow, not refused. */
const PATIENCE_MS = 30_000;

/** The extra routes of a variant's server, and how to let go of what they hold. */
export async function variantRoutes(
  variant: Variant,
  services: Services,
  databaseUrl: string,
): Promise<{ routes: Route[]; close: () => Promise<void> }> {
  if (variant === 'ours') return { routes: [], close: async () => {} };
  if (variant === 'noop') return { routes: [betRoute(variant, createNoop())], close: async () => {} };
  const pool = createPool(
    {
      connectionString: databaseUrl,
      poolSize: POOL_SIZE,
      connectTimeoutMs: PATIENCE_MS,
      statementTimeoutMs: PATIENCE_MS,
      name: `bench ${variant}`,
    },
    services.log,
  );
  const create = variant === 'textbook' ? createTextbook : createStatement;
  return { routes: [betRoute(variant, await create(services, pool))], close: () => pool.end() };
}

/** The same declaration as the project's own route, so that guards, schemas and serialisation are the same. */
function betRoute(variant: Variant, bet: Bet): Route {
  return route({
    method: 'POST',
    path: PATHS[variant],
    tag: 'Benchmark',
    access: 'auth',
    gate: 'bet',
    idempotent: true,
    summary: `A dice bet, ${variant}`,
    body: DiceBet,
    status: 201,
    response: DiceResult,
    handler: async ({ user, body }) => bet(user.id, body),
  });
}
