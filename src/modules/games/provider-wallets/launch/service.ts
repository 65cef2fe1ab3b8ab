import type { z } from 'zod';
import type { SessionUser } from '../../../../http/access.ts';
import { iso } from '../../../../platform/clock.ts';
import type { Config } from '../../../../platform/config.ts';
import type { DatabaseClock } from '../../../../platform/database-clock.ts';
import { type Db, transaction } from '../../../../platform/db.ts';
import { commonErrors, messageOf } from '../../../../platform/errors.ts';
import type { Log } from '../../../../platform/log.ts';
import { getUser } from '../../../base/users/service.ts';
import { gateErrors } from '../../../compliance/gate/errors.ts';
import type { Gate } from '../../../compliance/gate/service.ts';
import { bettingErrors } from '../../betting/errors.ts';
import type { KnownProvider, LaunchRequest } from '../provider.ts';
import { launchErrors } from './errors.ts';
import type { GameLaunch, Launch } from './schemas.ts';
import { createSession, endSession, LIVES_HOURS } from './sessions.ts';

type Deps = {
  db: Db;
  config: Pick<Config, 'siteOrigins' | 'SITE_URL' | 'isDevelopment'>;
  gate: Gate;
  clock: DatabaseClock;
  countryOf: (ip: string) => string | null;
  /** Undefined: not configured here. */
  findProvider: (slug: string) => KnownProvider | undefined;
  log: Log;
};

export type LaunchGame = ReturnType<typeof createLaunch>;

type Asked = { user: SessionUser; ip: string; slug: string; body: z.output<typeof Launch> };
type Game = NonNullable<Awaited<ReturnType<typeof findGame>>>;
type Launched = z.input<typeof GameLaunch>;

/** Opens a provider's game for a player: what speaks against it is said in one order, then the provider is asked (providers.md 2). */
export const createLaunch =
  (deps: Deps) =>
  async (asked: Asked): Promise<Launched> => {
    const { body, ip, slug } = asked;
    const lobbyUrl = lobbyUrlOf(deps, body.returnUrl);
    const game = await findGame(deps.db, slug);
    if (!game) throw launchErrors.GAME_NOT_FOUND({ slug });
    const provider = providerOf(deps, game);
    const country = deps.countryOf(ip);
    const { isPlayOpen } = deps.gate.outlook(country);
    const isOpen = game.enabled && !game.removed_at && game.provider_enabled && isPlayOpen;
    if (!provider || !isOpen) throw bettingErrors.GAME_DISABLED({ game: slug });
    const user = await getUser(deps.db, asked.user.id);
    const place = { deps, asked, game, provider, country };
    const request: Omit<LaunchRequest, 'player'> = {
      gameCode: game.external_code!,
      language: user.language ?? 'en',
      device: body.device,
      ip,
      lobbyUrl,
    };
    return body.demo
      ? launchDemo(place, request)
      : launchReal(place, request, user.username ?? String(user.id));
  };

type Place = {
  deps: Deps;
  asked: Asked;
  game: Game;
  provider: KnownProvider;
  country: string | null;
};

async function launchDemo(
  { deps, game, provider, country }: Place,
  request: LaunchRequest,
): Promise<Launched> {
  if (deps.gate.outlook(country).isGeoBlocked) throw gateErrors.AUTH_GEO_BLOCKED();
  assertCountry(game, country);
  if (!(game.facts as { hasDemo?: boolean }).hasDemo)
    throw launchErrors.DEMO_NOT_AVAILABLE({ game: game.slug });
  const url = await ask(deps, provider, request);
  const expiresAt = new Date(deps.clock.now() + LIVES_HOURS * 3_600_000);
  return { url, sessionToken: null, expiresAt: iso(expiresAt) };
}

/** The session is committed before the provider is asked, which may call the wallet at once. */
async function launchReal(
  { deps, asked, game, provider, country }: Place,
  request: LaunchRequest,
  username: string,
): Promise<Launched> {
  const { user, body } = asked;
  const userId = user.id;
  const { token, expiresAt, currencyId } = await transaction(deps.db, async (tx) => {
    await deps.gate.assertMay(tx, { action: 'launch', userId, country });
    assertCountry(game, country);
    const currency = currencyOf(body.currencyId, game, provider);
    const session = { userId, providerId: provider.id, gameId: game.id, currencyId: currency, country };
    const made = await createSession(tx, { ...session, device: body.device, sessionId: user.sessionId });
    return { ...made, currencyId: currency };
  });
  try {
    const player = { userId, username, token, currencyId, country };
    const url = await ask(deps, provider, { ...request, player });
    return { url, sessionToken: token, expiresAt: iso(expiresAt) };
  } catch (error) {
    await transaction(deps.db, (tx) => endSession(tx, token));
    throw error;
  }
}

const findGame = (db: Db, slug: string) =>
  db
    .selectFrom('games')
    .innerJoin('game_providers', 'game_providers.id', 'games.provider_id')
    .select([
      'games.id',
      'games.slug',
      'games.type',
      'games.enabled',
      'removed_at',
      'external_code',
      'currencies',
      'facts',
      'games.blocked_countries',
      'game_providers.blocked_countries as provider_blocked_countries',
      'game_providers.enabled as provider_enabled',
      'game_providers.slug as provider_slug',
    ])
    .where('games.slug', '=', slug)
    .executeTakeFirst();

function providerOf({ findProvider }: Deps, game: Game): KnownProvider | undefined {
  const isLaunched = game.type === 'SLOTS' || game.type === 'EVO_GAME';
  if (!isLaunched || game.external_code === null) throw launchErrors.GAME_NOT_LAUNCHABLE({ game: game.slug });
  return findProvider(game.provider_slug);
}

function assertCountry(game: Game, country: string | null): void {
  const blocked = [...game.blocked_countries, ...game.provider_blocked_countries];
  if (country !== null && blocked.includes(country)) throw gateErrors.AUTH_GEO_BLOCKED({ scope: 'GAME' });
}

function currencyOf(currencyId: string | undefined, game: Game, { currencies }: KnownProvider): string {
  if (currencyId === undefined) throw launchErrors.CURRENCY_REQUIRED();
  const offered = currencies.map(({ ours }) => ours).filter((id) => game.currencies?.includes(id) ?? true);
  if (!offered.includes(currencyId))
    throw launchErrors.CURRENCY_NOT_SUPPORTED({ currencyId, currencies: offered });
  return currencyId;
}

/** Of a configured site: https, in development http too. */
function lobbyUrlOf({ config }: Deps, returnUrl: string | undefined): string {
  if (returnUrl === undefined) return config.SITE_URL;
  const url = URL.parse(returnUrl);
  const isSafe = url?.protocol === 'https:' || (config.isDevelopment && url?.protocol === 'http:');
  const isOurs =
    url && (config.siteOrigins.includes(url.origin) || url.origin === new URL(config.SITE_URL).origin);
  if (!url || !isSafe || !isOurs || url.username || url.password) {
    const message = 'needs to be an address of a configured site';
    throw commonErrors.VALIDATION_FAILED({ fields: [{ path: 'returnUrl', message }] });
  }
  return url.href;
}

/** Asked once: whether it took a launch that it did not answer is not known, and another one is another session. */
async function ask({ log }: Deps, provider: KnownProvider, request: LaunchRequest): Promise<string> {
  try {
    return (await provider.launch(request)).url;
  } catch (error) {
    log.warn({ provider: provider.slug, error: messageOf(error) }, 'a launch failed');
    throw launchErrors.PROVIDER_UNAVAILABLE({ provider: provider.slug });
  }
}
