import { mainRoutes } from '../../src/app/apps.ts';
import type { Services } from '../../src/app/services.ts';
import { bind } from '../../src/http/operation.ts';
import type { Route } from '../../src/http/route.ts';
import { createBetting } from '../../src/modules/games/betting/place.ts';
import type { GameRequest } from '../../src/modules/games/betting/request.ts';
import { createRounds } from '../../src/modules/games/betting/rounds.ts';
import { playSeries } from '../../src/modules/games/betting/series.ts';
import { houseGames } from '../../src/modules/games/house-games/module.ts';
import type { GameSlug } from '../../src/modules/games/house-games/schemas.ts';
import { createPool } from '../../src/platform/database/db.ts';
import { pathOf, SINGLE_GAMES } from '../games.ts';
import type { Variant } from '../protocol.ts';
import { READ_NAMES, routeOf } from '../reads.ts';
import type { PlayRequest, Settle } from './bet.ts';
import { asNoop, asNoopRead, settleNothing } from './noop.ts';
import { createStatement } from './statement.ts';
import { createTextbook } from './textbook.ts';

const POOL_SIZE = 16;
/** The timeout is long, so that a bet that waits for a connection of the pool is slow but not rejected. */
const PATIENCE_MS = 30_000;

/** Returns the additional routes of a variant's server, and a function to release their resources. */
export async function variantRoutes(
  variant: Variant,
  services: Services,
  databaseUrl: string,
): Promise<{ routes: Route[]; close: () => Promise<void> }> {
  if (variant === 'ours') return { routes: [], close: async () => {} };
  if (variant === 'noop') {
    const routes = [...betRoutes(variant, services, settleNothing).map(asNoop), ...readRoutes(services)];
    return { routes, close: async () => {} };
  }
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
  const routes = betRoutes(variant, services, await create(services, pool));
  return { routes, close: () => pool.end() };
}

const readRoutes = (services: Services): Route[] =>
  mainRoutes(services)
    .filter(({ method, path }) => method === 'GET' && READ_NAMES.some((name) => leadsTo(path, routeOf(name))))
    .map(asNoopRead);

/** Returns true if a path matches a template: `/config/USER` matches `/config/{code}`. */
const leadsTo = (path: string, asked: string): boolean =>
  new RegExp(`^${path.replace(/\{\w+\}/g, '[^/]+')}$`).test(asked);

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
  return SINGLE_GAMES.map((game) => {
    const own = routes.find(({ path }) => path === pathOf('ours', game))!;
    return { ...own, path: pathOf(variant, game) };
  });
}
