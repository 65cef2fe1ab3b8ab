import { fileURLToPath } from 'node:url';
import type { FastifyInstance } from 'fastify';
import { bind } from '../http/operation.ts';
import type { Route } from '../http/route.ts';
import { createApp } from '../http/server/app.ts';
import { verifierPage } from '../modules/games/house-games/module.ts';
import { closeEntrances } from '../modules/operations/debug/module.ts';
import { health } from '../modules/operations/health/module.ts';
import { isUnavailable } from '../platform/database/errors.ts';
import { AREAS } from './areas.ts';
import { socketDocument } from './asyncapi.ts';
import { documentInfo, neighbours } from './documents.ts';
import type { Services } from './services.ts';

/** Returns all routes of the main API. */
export const mainRoutes = (s: Services): Route[] => AREAS.flatMap((area) => area.routes?.(s) ?? []);

/** Returns the routes of the backoffice. They are operations of the main API under other paths. */
export const backofficeRoutes = (s: Services): Route[] =>
  AREAS.flatMap((area) => area.backofficeRoutes?.(s) ?? []);

/** Returns the routes of the realtime and worker parts, which are only the health and version endpoints. */
const shellRoutes = (s: Services): Route[] => bind(health.operations, s);

type Part = { title: string; description: string; routes: (s: Services) => Route[] };

export const PARTS = {
  api: {
    title: 'Croupier Main API',
    description:
      'Operations for players and staff: accounts, staff, wallets, games and bets. Amounts are decimal strings. Times are ISO 8601 ' +
      'in UTC.',
    routes: mainRoutes,
  },
  backoffice: {
    title: 'Croupier Backoffice API',
    description:
      'Operations for staff. This separate service offers the staff operations of the main API and uses the same data.',
    routes: backofficeRoutes,
  },
  realtime: {
    title: 'Croupier Realtime',
    description: 'Health and version of the realtime service.',
    routes: shellRoutes,
  },
  worker: {
    title: 'Croupier Worker',
    description: 'Health and version of the background worker.',
    routes: shellRoutes,
  },
} satisfies Record<string, Part>;

export type PartName = keyof typeof PARTS;

/** The web applications that web/build.ts builds. */
const WEB_APPS = [
  {
    name: 'lobby',
    base: '/play',
    about: 'the lobby, where players play in a browser',
    isFront: true,
    framesGames: true,
  },
  { name: 'console', base: '/console', about: 'the staff console', showsEnvironment: true },
].map((app) => ({ ...app, folder: fileURLToPath(new URL(`../../dist/web/${app.name}`, import.meta.url)) }));

/** The documentation site that `npm run docs` builds. */
const SITE = fileURLToPath(new URL('../../dist/docs', import.meta.url));

/**
 * Builds the HTTP application of one part without listening on a port. `extra` routes, for tests and benchmarks, are added after the part's
 * own routes.
 */
export function createPartApp(
  name: PartName,
  services: Services,
  extra: readonly Route[] = [],
): Promise<FastifyInstance> {
  const { title, description, routes } = PARTS[name];
  const all = [...routes(services), ...extra];
  const { config, log, metrics, limiter, sessions, captcha, apiKeys, audit, mfa, core, availability } =
    services;
  return createApp({
    name,
    title,
    description,
    document: () => documentInfo({ name, title, description }, config),
    config,
    log: log.named('http'),
    metrics,
    limiter,
    histories: services.histories,
    isStopping: core.isStopping,
    isUnavailable,
    isOutage: availability.isOutage,
    captcha,
    routes: isDemonstrated(services) ? closeEntrances(all, services.databaseClock) : all,
    auth: sessions.authenticator,
    apiKeys: apiKeys.authenticate,
    audit: audit.write,
    stepUp: mfa.stepUp.before,
    pages: name === 'api' ? [verifierPage()] : [],
    web:
      name === 'api'
        ? {
            apps: WEB_APPS,
            origins: webOrigins(config),
            brand: { name: config.BRAND_NAME, folder: config.BRAND_DIR, log: log.named('http') },
            environment: config.APP_ENV,
          }
        : undefined,
    site: name === 'api' ? SITE : undefined,
    links: config.isDevelopment ? neighbours(config) : [],
    sockets: name === 'api' || name === 'realtime' ? socketDocument : undefined,
    files: name === 'api' && config.FILE_STORAGE === 'disk' ? services.files.read : undefined,
  });
}

/**
 * Returns true if a demo may set this process's clock back. This is allowed only on a developer's machine, and never in the process that
 * runs the demo.
 */
const isDemonstrated = ({ config, processName }: Services): boolean =>
  config.APP_ENV === 'local' && processName !== 'demo';

const webOrigins = (config: Services['config']) => ({
  files: config.FILES_URL,
  realtime: config.REALTIME_URL,
  captchaScript: config.CAPTCHA_SCRIPT_URL,
  games: config.GAME_PROVIDERS.flatMap(({ launchOrigins }) => launchOrigins),
  site: config.PUBLIC_API_URL,
});
