import { existsSync, readFileSync } from 'node:fs';
import type { FastifyInstance } from 'fastify';
import { socketDocument } from './asyncapi.ts';
import { createApp } from './http/app.ts';
import type { DocumentInfo, Link } from './http/pages.ts';
import type { Route } from './http/route.ts';
import { apiKeyStaffRoutes } from './modules/accounts/api-keys/staff.routes.ts';
import { accountRoutes } from './modules/accounts/auth/account/routes.ts';
import { identityRoutes } from './modules/accounts/auth/identity/routes.ts';
import { mfaRoutes } from './modules/accounts/auth/mfa/routes.ts';
import { authRoutes } from './modules/accounts/auth/routes.ts';
import {
  accountingBackofficeRoutes,
  accountingStaffRoutes,
} from './modules/backoffice/accounting/staff.routes.ts';
import { userAdminBackofficeRoutes, userAdminRoutes } from './modules/backoffice/user-admin/staff.routes.ts';
import { userNoteStaffRoutes } from './modules/backoffice/user-notes/staff.routes.ts';
import { accessStaffRoutes } from './modules/base/access/staff.routes.ts';
import { auditStaffRoutes } from './modules/base/audit/staff.routes.ts';
import { notificationRoutes } from './modules/base/notifications/routes.ts';
import { registrationInfoStaffRoutes } from './modules/base/registration-info/staff.routes.ts';
import { siteConfigRoutes } from './modules/base/site-config/routes.ts';
import {
  siteConfigBackofficeRoutes,
  siteConfigStaffRoutes,
} from './modules/base/site-config/staff.routes.ts';
import { userRoutes } from './modules/base/users/routes.ts';
import { countryRoutes } from './modules/compliance/countries/routes.ts';
import { countryStaffRoutes } from './modules/compliance/countries/staff.routes.ts';
import { kycRoutes } from './modules/compliance/kyc/routes.ts';
import { kycStaffRoutes } from './modules/compliance/kyc/staff.routes.ts';
import { limitRoutes } from './modules/compliance/limits/routes.ts';
import { limitStaffRoutes } from './modules/compliance/limits/staff.routes.ts';
import { userStatsRoutes } from './modules/engagement/user-stats/routes.ts';
import {
  userStatsBackofficeRoutes,
  userStatsStaffRoutes,
} from './modules/engagement/user-stats/staff.routes.ts';
import { betRoutes } from './modules/games/bets/routes.ts';
import { betBackofficeRoutes, betStaffRoutes } from './modules/games/bets/staff.routes.ts';
import { betQueueStaffRoutes } from './modules/games/betting/staff.routes.ts';
import { fairnessRoutes } from './modules/games/fairness/routes.ts';
import { blackjackDebugRoutes, blackjackRoutes } from './modules/games/house-games/blackjack/routes.ts';
import { diceRoutes } from './modules/games/house-games/dice/routes.ts';
import { kenoRoutes } from './modules/games/house-games/keno/routes.ts';
import { limboRoutes } from './modules/games/house-games/limbo/routes.ts';
import { minesRoutes } from './modules/games/house-games/mines/routes.ts';
import { monkeyRunRoutes } from './modules/games/house-games/monkey-run/routes.ts';
import { plinkoRoutes } from './modules/games/house-games/plinko/routes.ts';
import { returnStaffRoutes } from './modules/games/house-games/returns/staff.routes.ts';
import { rouletteRoutes } from './modules/games/house-games/roulette/routes.ts';
import { proofRoutes } from './modules/games/house-games/routes.ts';
import { speedRouletteRoutes } from './modules/games/house-games/speed-roulette/routes.ts';
import { houseGameStaffRoutes } from './modules/games/house-games/staff.routes.ts';
import { verifierPage } from './modules/games/house-games/verify/serve.ts';
import { currencyRoutes } from './modules/money/currencies/routes.ts';
import { depositRoutes } from './modules/money/payments/deposits/routes.ts';
import {
  depositBackofficeRoutes,
  depositStaffRoutes,
} from './modules/money/payments/deposits/staff.routes.ts';
import { withdrawalRoutes } from './modules/money/payments/withdrawals/routes.ts';
import {
  withdrawalBackofficeRoutes,
  withdrawalBlockStaffRoutes,
  withdrawalStaffRoutes,
} from './modules/money/payments/withdrawals/staff.routes.ts';
import { skinRoutes } from './modules/money/skins/routes.ts';
import { walletRoutes } from './modules/money/wallet/routes.ts';
import { debugRoutes } from './modules/operations/debug/routes.ts';
import { coreRoutes, healthRoute } from './modules/operations/health/routes.ts';
import { logLevelStaffRoutes } from './modules/operations/log-levels/staff.routes.ts';
import { queueDebugRoutes } from './modules/operations/queue-debug/routes.ts';
import type { Config } from './platform/config.ts';
import { isUnavailable } from './platform/database-errors.ts';
import type { Services } from './services.ts';
import { TAGS } from './tags.ts';

/** Which routes each service serves: one domain, several doors. */
export const mainRoutes = (s: Services): Route[] => [
  ...coreRoutes(s.core),
  ...siteConfigRoutes(s.siteConfig),
  ...siteConfigStaffRoutes(s.siteConfig),
  ...logLevelStaffRoutes(s.logLevels),
  ...authRoutes(s.auth),
  ...accountRoutes(s.account),
  ...identityRoutes(s.identity, s.config),
  ...mfaRoutes(s.mfa),
  ...userRoutes(s.users),
  ...notificationRoutes(s.notifications),
  ...countryRoutes(s.countries),
  ...countryStaffRoutes(s.countries),
  ...registrationInfoStaffRoutes(s.registrationInfos),
  ...accessStaffRoutes(s.access),
  ...apiKeyStaffRoutes(s.apiKeys),
  ...auditStaffRoutes(s.audit),
  ...userNoteStaffRoutes(s.userNotes),
  ...userAdminRoutes(s.userAdmin),
  ...userStatsRoutes(s.userStats),
  ...userStatsStaffRoutes(s.userStats),
  ...currencyRoutes(s.currencies),
  ...walletRoutes(s.wallet),
  ...accountingStaffRoutes(s.accounting),
  ...limitRoutes(s.userLimits),
  ...limitStaffRoutes(s.userLimits),
  ...kycRoutes(s.kyc),
  ...kycStaffRoutes(s.kyc),
  ...betRoutes(s.bets),
  ...betStaffRoutes(s.bets),
  ...depositRoutes(s.deposits),
  ...depositStaffRoutes(s.deposits),
  ...withdrawalRoutes(s.withdrawals),
  ...withdrawalStaffRoutes(s.withdrawals),
  ...withdrawalBlockStaffRoutes(s.withdrawalBlocks),
  ...skinRoutes(s.skins),
  ...diceRoutes(s.dice),
  ...minesRoutes(s.mines),
  ...monkeyRunRoutes(s.monkeyRun),
  ...blackjackRoutes(s.blackjack),
  ...limboRoutes(s.limbo),
  ...kenoRoutes(s.keno),
  ...plinkoRoutes(s.plinko),
  ...rouletteRoutes(s.roulette),
  ...speedRouletteRoutes(s.speedRoulette),
  ...fairnessRoutes(s.fairness),
  ...proofRoutes(s.proof),
  ...betQueueStaffRoutes(s.betQueue),
  ...houseGameStaffRoutes(s.houseGameAdministration),
  ...returnStaffRoutes(s.returns),
  ...(s.config.isDevelopment
    ? [...debugRoutes(s.debug), ...queueDebugRoutes(s.queueDebug), ...blackjackDebugRoutes(s.blackjack)]
    : []),
];

/** The same operations behind other addresses: what differs is said here. */
export const backofficeRoutes = (s: Services): Route[] => [
  healthRoute(s.core, 'Health'),
  ...siteConfigBackofficeRoutes(s.siteConfig),
  ...apiKeyStaffRoutes(s.apiKeys).map((r) => ({
    ...r,
    path: r.path.replace('/admin', ''),
    tag: 'Api Keys',
  })),
  ...registrationInfoStaffRoutes(s.registrationInfos).map((r) => ({
    ...r,
    path: '/registration-info/{userId}',
    tag: 'Registration Info',
  })),
  ...accessStaffRoutes(s.access).map((r) => ({
    ...r,
    path: r.path.replace('/admin', ''),
    tag: 'User',
    access: r.path.endsWith('/{id}/permissions') ? r.access : ('superadmin' as const),
  })),
  ...userAdminBackofficeRoutes(s.userAdmin),
  ...userStatsBackofficeRoutes(s.userStats),
  ...accountingBackofficeRoutes(s.accounting),
  ...betBackofficeRoutes(s.bets),
  ...depositBackofficeRoutes(s.deposits),
  ...withdrawalBackofficeRoutes(s.withdrawals),
  ...limitStaffRoutes(s.userLimits).map((r) => ({
    ...r,
    path: r.path.replace('/admin', ''),
    tag: 'User Limits',
  })),
];

/** Realtime and worker answer for their health only. */
const shellRoutes = (s: Services): Route[] => coreRoutes(s.core);

type Part = { title: string; description: string; routes: (s: Services) => Route[] };

export const PARTS = {
  api: {
    title: 'Croupier Main API',
    description:
      'Players and administration: accounts, staff, wallets, games, bets. Amounts are decimal strings, times ISO 8601 in UTC.',
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

/** What the OpenAPI document of a part begins with: how to get started, where there is something to start with. */
export function documentInfo(name: PartName, { isDevelopment }: Pick<Config, 'isDevelopment'>): DocumentInfo {
  const { title, description } = PARTS[name];
  const file = new URL(`introductions/${name}.md`, import.meta.url);
  if (!existsSync(file)) return { title, description, tags: TAGS };
  const text = readFileSync(file, 'utf8');
  const told = isDevelopment
    ? text.replace(/<!-- \/?development -->\n/g, '')
    : text.replace(/<!-- development -->\n[\s\S]*?<!-- \/development -->\n/g, '');
  return { title, description: told, tags: TAGS };
}

/** On a developer's machine the parts and the sandbox are side by side; elsewhere nobody is told where the others are. */
function neighbours({ PORT, BACKOFFICE_PORT, SANDBOX_PORT }: Config): Link[] {
  const at = (port: number, path = '/') => `http://127.0.0.1:${port}${path}`;
  return [
    { name: 'main API', url: at(PORT), about: 'the service of players and administration' },
    { name: 'backoffice', url: at(BACKOFFICE_PORT), about: 'the service of staff' },
    { name: 'sandbox', url: at(SANDBOX_PORT), about: 'stands in for the world outside' },
    { name: 'inbox', url: at(SANDBOX_PORT, '/inbox'), about: 'every mail that the platform sends' },
    { name: 'site', url: at(SANDBOX_PORT, '/site/'), about: 'a small front end: sign up and sign in here' },
  ];
}

/** The HTTP application of one part, not listening yet. `extra` routes come after its own (tests, benchmark). */
export function createPartApp(
  name: PartName,
  services: Services,
  extra: readonly Route[] = [],
): Promise<FastifyInstance> {
  const { title, description, routes } = PARTS[name];
  const { config, log, metrics, limiter, sessions, captcha, apiKeys, audit, mfa, core } = services;
  return createApp({
    name,
    title,
    description,
    document: () => documentInfo(name, config),
    config,
    log: log.named('http'),
    metrics,
    limiter,
    isStopping: core.isStopping,
    isUnavailable,
    captcha,
    routes: [...routes(services), ...extra],
    auth: sessions.authenticator,
    apiKeys: apiKeys.authenticate,
    audit: audit.write,
    stepUp: mfa.stepUp.before,
    pages: name === 'api' ? [verifierPage()] : [],
    links: config.isDevelopment ? neighbours(config) : [],
    sockets: name === 'api' || name === 'realtime' ? socketDocument : undefined,
    files: name === 'api' && config.FILE_STORAGE === 'disk' ? services.files.read : undefined,
  });
}
