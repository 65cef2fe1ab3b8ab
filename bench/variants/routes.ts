import { mainRoutes } from '../../src/apps.ts';
import type { Route } from '../../src/http/route.ts';
import { createBetting, type PlayRequest } from '../../src/modules/games/betting/play.ts';
import type { GameRequest } from '../../src/modules/games/betting/request.ts';
import { createRounds } from '../../src/modules/games/betting/rounds.ts';
import { playSeries } from '../../src/modules/games/betting/series.ts';
import { minesRoutes } from '../../src/modules/games/house-games/mines/routes.ts';
import { createMines } from '../../src/modules/games/house-games/mines/service.ts';
import { singleStepRoutes } from '../../src/modules/games/house-games/routes.ts';
import type { GameSlug } from '../../src/modules/games/house-games/schemas.ts';
import { createSingleStepGames } from '../../src/modules/games/house-games/service.ts';
import { createPool } from '../../src/platform/db.ts';
import type { Services } from '../../src/services.ts';
import { pathOf, SINGLE_GAMES } from '../games.ts';
import type { Variant } from '../protocol.ts';
import { READ_NAMES, routeOf } from '../reads.ts';
import type { Settle } from './bet.ts';
import { asNoop, asNoopRead, settleNothing } from './noop.ts';
import { createStatement } from './statement.ts';
import { createTextbook } from './textbook.ts';

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

/** `/config/{code}` leads to `/config/USER`. */
const leadsTo = (path: string, asked: string): boolean =>
  new RegExp(`^${path.replace(/\{\w+\}/g, '[^/]+')}$`).test(asked);

/** The project's own routes and services of the games, so that nothing differs but the settlement behind them. */
function betRoutes(
  variant: Variant,
  { db, currencies, games, countries, siteConfig }: Services,
  settle: Settle,
): Route[] {
  const betting = createBetting({
    currencies,
    isOn: (slug) => games.get(slug as GameSlug).enabled,
    minStakeOf: siteConfig.minStakeOf,
    countryOf: countries.countryOf,
    settlement: {
      settle: async <Answer extends object>(request: GameRequest<Answer>) =>
        (await settle(request as object as PlayRequest)) as Answer,
    },
  });
  const routes = [
    ...singleStepRoutes({
      ...createSingleStepGames({ games, betting, currencies }),
      series: playSeries,
    }),
    ...minesRoutes(createMines({ games, rounds: createRounds({ db, betting }) })),
  ];
  return SINGLE_GAMES.map((game) => {
    const own = routes.find(({ path }) => path === pathOf('ours', game))!;
    return { ...own, path: pathOf(variant, game) };
  });
}
