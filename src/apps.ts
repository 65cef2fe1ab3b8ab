import type { FastifyInstance } from 'fastify';
import { createApp } from './http/app.ts';
import type { Route } from './http/route.ts';
import { authRoutes } from './modules/auth/routes.ts';
import { betRoutes } from './modules/bets/routes.ts';
import { coreRoutes, healthRoute } from './modules/core/routes.ts';
import { currencyRoutes } from './modules/currencies/routes.ts';
import { debugRoutes } from './modules/debug/routes.ts';
import { fairnessRoutes } from './modules/fairness/routes.ts';
import { diceRoutes } from './modules/house-games/dice/routes.ts';
import { proofRoutes } from './modules/house-games/routes.ts';
import { userRoutes } from './modules/users/routes.ts';
import { walletRoutes } from './modules/wallet/routes.ts';
import { isUnavailable } from './platform/db.ts';
import type { Services } from './services.ts';

/** Which routes each service serves: one domain, several doors. */
export const mainRoutes = (s: Services): Route[] => [
  ...coreRoutes(s.core),
  ...authRoutes(s.auth),
  ...userRoutes(s.users),
  ...currencyRoutes(s.currencies),
  ...walletRoutes(s.wallet),
  ...betRoutes(s.bets),
  ...diceRoutes(s.dice),
  ...fairnessRoutes(s.fairness),
  ...proofRoutes(s.proof),
  ...(s.config.isDevelopment ? debugRoutes(s.debug) : []),
];

export const backofficeRoutes = (s: Services): Route[] => [healthRoute(s.core, 'Health')];

/** Realtime and worker answer for their health only. */
const shellRoutes = (s: Services): Route[] => coreRoutes(s.core);

type Part = { title: string; description: string; routes: (s: Services) => Route[] };

export const PARTS = {
  api: {
    title: 'Croupier Main API',
    description:
      'Players and administration: accounts, wallets, games, bets. Amounts are decimal strings, times ISO 8601 in UTC.',
    routes: mainRoutes,
  },
  backoffice: {
    title: 'Croupier Backoffice API',
    description: 'Staff: the same domain as the main API behind a door of its own.',
    routes: backofficeRoutes,
  },
  realtime: {
    title: 'Croupier Realtime',
    description: 'Health of the realtime application.',
    routes: shellRoutes,
  },
  worker: { title: 'Croupier Worker', description: 'Health of the background worker.', routes: shellRoutes },
} satisfies Record<string, Part>;

export type PartName = keyof typeof PARTS;

/** The HTTP application of one part, not listening yet. `extra` routes come after its own (tests, benchmark). */
export function createPartApp(
  name: PartName,
  services: Services,
  extra: readonly Route[] = [],
): Promise<FastifyInstance> {
  const { title, description, routes } = PARTS[name];
  const { config, log, metrics, limiter, sessions, captcha } = services;
  return createApp({
    title,
    description,
    config,
    log,
    metrics,
    limiter,
    isUnavailable,
    captcha,
    routes: [...routes(services), ...extra],
    auth: sessions.authenticator,
  });
}
