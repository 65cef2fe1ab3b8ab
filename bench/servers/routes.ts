/** The routes of variants: the platform's own operations with another implementation behind them. */
import { mainRoutes } from '../../src/app/apps.ts';
import type { Services } from '../../src/app/services.ts';
import { bind } from '../../src/http/operation.ts';
import type { Route } from '../../src/http/route.ts';
import { webhookErrors } from '../../src/modules/base/webhooks/schemas.ts';
import { createBetting } from '../../src/modules/games/betting/place.ts';
import type { GameRequest } from '../../src/modules/games/betting/request.ts';
import { createRounds } from '../../src/modules/games/betting/rounds.ts';
import { playSeries } from '../../src/modules/games/betting/series.ts';
import { houseGames } from '../../src/modules/games/house-games/module.ts';
import type { GameSlug } from '../../src/modules/games/house-games/schemas.ts';
import type { WalletResponse } from '../../src/modules/games/seamless-wallet/engine/call.ts';
import { createPool } from '../../src/platform/database/db.ts';
import { units } from '../../src/platform/money.ts';
import { NOOP } from '../load/protocol.ts';
import { pathBy, READS, routeOf, SINGLE_GAMES, type Variant } from './plays.ts';
import { answerOf, createTextbook, type PlayRequest, play, type Settle } from './textbook.ts';

const POOL_SIZE = 16;
/** The timeout is long, so that a bet that waits for a connection of the pool is slow but not rejected. */
const PATIENCE_MS = 30_000;

/** Returns the additional routes of a variant's server, and a function to release their resources. */
export async function variantRoutes(
  variant: Variant,
  services: Services,
  databaseUrl: string,
): Promise<{ routes: Route[]; close: () => Promise<void> }> {
  const close = async () => {};
  if (variant === 'ours') return { routes: [], close };
  if (variant === 'noop') {
    const bets = betRoutes(variant, services, settleNothing);
    const noops = bets.map((route) => asNoop(route, route.path, newBet));
    const routes = [...noops, ...readRoutes(services), ...callRoutes(services), ...listRoutes(services)];
    return { routes, close };
  }
  const timeouts = { connectTimeoutMs: PATIENCE_MS, statementTimeoutMs: PATIENCE_MS };
  const name = `bench ${variant}`;
  const pool = createPool(
    { connectionString: databaseUrl, poolSize: POOL_SIZE, name, ...timeouts },
    services.log,
  );
  const routes = betRoutes(variant, services, createTextbook(services, pool));
  return { routes, close: () => pool.end() };
}

/** Returns the project's own game operations, so that only the settlement behind them differs. */
function betRoutes(variant: Variant, services: Services, settle: Settle): Route[] {
  const { db, currencies, games, playerCountries, siteConfig } = services;
  const betting = createBetting({
    currencies,
    isOn: (slug) => games.get(slug as GameSlug).enabled,
    minStakeOf: siteConfig.minStakeOf,
    countriesOf: playerCountries.ofBet,
    settlement: {
      settle: async <Answer extends object>(request: GameRequest<Answer>) =>
        (await settle(request as object as PlayRequest)) as Answer,
    },
  });
  const rounds = createRounds({ db, betting });
  const routes = bind(houseGames.operations, { ...services, betting, rounds, series: playSeries });
  return routes
    .filter(({ path }) => SINGLE_GAMES.some((game) => routeOf(game) === path))
    .map((own) => ({ ...own, path: pathBy(variant, own.path) }));
}

const FIRST_ID = 1_000_000;
const SEEDS = { serverSeed: '0123456789abcdef'.repeat(4), clientSeed: 'bench' };

/** Responds to bets without moving money, and without players or a database. */
const settleNothing: Settle = async (bet) =>
  answerOf(bet, play(bet, SEEDS, 0), { id: BigInt(FIRST_ID), at: new Date() });

/**
 * Returns a route that handles only the first request. It returns the same response to every later request, after `renew`. A request then
 * costs only HTTP, authentication, validation and serialisation, without database or HMAC.
 */
function asNoop(route: Route, path: string, renew = (sample: unknown): unknown => sample): Route {
  let sample: unknown;
  const handler: Route['handler'] = async (context) => {
    sample ??= await route.handler(context);
    return renew(sample);
  };
  return { ...route, path, handler };
}

let bets = 0;
const newBet = (sample: unknown) => ({
  ...(sample as object),
  createdAt: new Date().toISOString(),
  betId: String(FIRST_ID + bets++),
});

const readRoutes = (services: Services): Route[] =>
  mainRoutes(services)
    .filter(({ method, path }) => method === 'GET' && READS.some((name) => leadsTo(path, routeOf(name))))
    .map((route) => asNoop(route, `${NOOP}${route.path}`));

/** Returns true if a path matches a template: `/config/USER` matches `/config/{code}`. */
const leadsTo = (path: string, asked: string): boolean =>
  new RegExp(`^${path.replace(/\{\w+\}/g, '[^/]+')}$`).test(asked);

/** Returns the catalogue of games as two no-op operations, one for lists and one for searches. */
function listRoutes(services: Services): Route[] {
  const list = mainRoutes(services).find(({ method, path }) => method === 'GET' && path === '/casino/games')!;
  return ['list', 'search'].map((name) => asNoop(list, `${NOOP}/games-${name}`));
}

const CALLBACKS = '/webhooks/games/{provider}';

/** Returns provider callbacks that only check the signature. Each always returns its first response. */
function callRoutes(all: Services): Route[] {
  const responses = new Map<string, { status: number; body: object }>();
  return mainRoutes(all)
    .filter(({ path }) => path.startsWith(CALLBACKS))
    .map((route) => ({
      ...route,
      path: `${NOOP}${route.path}`,
      handler({ params, notice, setStatus }) {
        const action = route.path.slice(CALLBACKS.length + 1);
        const provider = all.gameProviders.get(params.provider);
        const { raw, headers } = notice!;
        if (!provider.verify(raw, headers)) throw webhookErrors.SIGNATURE_INVALID();
        const name = `${params.provider} ${action}`;
        const response = responses.get(name) ?? provider.answer(action, accepted(), {});
        responses.set(name, response);
        setStatus(response.status);
        return response.body;
      },
    }));
}

function accepted(): WalletResponse {
  return {
    status: 'OK',
    balance: units('1000000'),
    currencyId: 'USDT',
    actions: [{ id: 'a-transaction', transactionId: '1000000', at: new Date(), isRepeated: false }],
    isRepeated: false,
  };
}
