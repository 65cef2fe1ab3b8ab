import { z } from 'zod';
import type { SessionUser } from '../../../../http/access.ts';
import { operation } from '../../../../http/operation.ts';
import { CurrencyId, object, strictObject, Timestamp } from '../../../../http/schemas.ts';
import { iso } from '../../../../platform/clock.ts';
import type { Config } from '../../../../platform/config/config.ts';
import { type CountrySet, isCountryIn } from '../../../../platform/countries/rules.ts';
import type { DatabaseClock } from '../../../../platform/database/clock.ts';
import { type Db, transaction } from '../../../../platform/database/db.ts';
import { commonErrors, errors, messageOf } from '../../../../platform/errors.ts';
import { isPageOf } from '../../../../platform/net/rules.ts';
import type { Log } from '../../../../platform/observability/log.ts';
import { getUser } from '../../../base/users/service.ts';
import type { Countries, PlayerCountries } from '../../../compliance/countries/service.ts';
import { gateErrors, moneyInErrors } from '../../../compliance/gate/errors.ts';
import type { Gate } from '../../../compliance/gate/service.ts';
import { bettingErrors } from '../../betting/errors.ts';
import { createSession, endSession, LIFETIME_HOURS } from '../engine/sessions.ts';
import type { GameProviders } from './dialects/registry.ts';
import type { KnownProvider, LaunchRequest } from './provider.ts';

const launchErrors = errors({
  GAME_NOT_FOUND: [404, 'The game does not exist.'],
  GAME_NOT_LAUNCHABLE: [409, 'This game has no launch URL. Play it through its own operations.'],
  CURRENCY_REQUIRED: [400, 'Choose a currency (currencyId), or launch the demo.'],
  CURRENCY_NOT_SUPPORTED: [409, 'The game does not support this currency; see details.currencies.'],
  DEMO_NOT_AVAILABLE: [409, 'The game has no demo.'],
  PROVIDER_UNAVAILABLE: [502, 'The game provider did not respond. Try again later.'],
});

const Launch = strictObject('GameLaunchRequest', {
  currencyId: CurrencyId.optional().meta({ description: 'Required unless `demo` is true.' }),
  device: z.enum(['DESKTOP', 'MOBILE']).default('DESKTOP'),
  demo: z.boolean().default(false),
  returnUrl: z.string().max(2000).optional().meta({
    description: "The address that the game's close button opens. It must belong to a configured site.",
  }),
});

const GameLaunch = object('GameLaunch', {
  url: z.string().meta({ description: 'The address of the game. Open it in a frame or a window.' }),
  sessionToken: z.string().nullable().meta({ description: 'Null for a demo.' }),
  expiresAt: Timestamp,
});

export type LaunchDeps = {
  db: Db;
  config: Pick<Config, 'siteOrigins' | 'SITE_URL' | 'isDevelopment'>;
  gate: Gate;
  databaseClock: DatabaseClock;
  countries: Pick<Countries, 'countryOf'>;
  playerCountries: Pick<PlayerCountries, 'of'>;
  gameProviders: Pick<GameProviders, 'find'>;
  providerLog: Log;
};

type Game = NonNullable<Awaited<ReturnType<typeof findGame>>>;
type Launched = z.input<typeof GameLaunch>;

export const launchGame = operation({
  method: 'POST',
  path: '/casino/games/{slug}/launch',
  tag: 'Casino',
  access: 'auth',
  gate: 'launch',
  summary: "Launch a provider's game",
  description:
    "Returns the address of the game. A real-money session lasts eight hours. It ends earlier if the player's sign-in ends or the " +
    'same game is launched again. A player can have five game sessions at the same time. A demo has neither session nor wallet.',
  params: z.object({ slug: z.string().min(1).max(200) }),
  body: Launch,
  response: GameLaunch,
  errors: [
    launchErrors.GAME_NOT_FOUND,
    launchErrors.GAME_NOT_LAUNCHABLE,
    bettingErrors.GAME_DISABLED,
    ...moneyInErrors,
    gateErrors.PLAY_STOPPED,
    launchErrors.CURRENCY_REQUIRED,
    launchErrors.CURRENCY_NOT_SUPPORTED,
    launchErrors.DEMO_NOT_AVAILABLE,
    launchErrors.PROVIDER_UNAVAILABLE,
  ],
  async handler(deps: LaunchDeps, { user, ip, params: { slug }, body }): Promise<Launched> {
    const lobbyUrl = lobbyUrlOf(deps, body.returnUrl);
    const game = await findGame(deps.db, slug);
    if (!game) throw launchErrors.GAME_NOT_FOUND({ slug });
    const provider = providerOf(deps, game);
    const { isPlayOpen } = deps.gate.outlook(null);
    const isOpen = game.enabled && !game.removed_at && game.provider_enabled && isPlayOpen;
    if (!provider || !isOpen) throw bettingErrors.GAME_DISABLED({ game: slug });
    const { id, username, language } = await getUser(deps.db, user.id);
    const countries = await deps.playerCountries.of(deps.db, { userId: id, ip });
    const target = { deps, game, provider, country: deps.countries.countryOf(ip), countries };
    const request: Omit<LaunchRequest, 'player'> = {
      gameCode: game.external_code!,
      language: language ?? 'en',
      device: body.device,
      ip,
      lobbyUrl,
    };
    return body.demo
      ? launchDemo(target, request)
      : launchReal(target, request, { user, username: username ?? String(id), currencyId: body.currencyId });
  },
});

type Target = {
  deps: LaunchDeps;
  game: Game;
  provider: KnownProvider;
  /** The country of the request's IP address. */
  country: string | null;
  countries: CountrySet;
};

async function launchDemo(
  { deps, game, provider, countries }: Target,
  request: LaunchRequest,
): Promise<Launched> {
  if (deps.gate.outlook(countries).isGeoBlocked) throw gateErrors.AUTH_GEO_BLOCKED();
  assertCountry(game, countries);
  if (!(game.facts as { hasDemo?: boolean }).hasDemo)
    throw launchErrors.DEMO_NOT_AVAILABLE({ game: game.slug });
  const url = await requestLaunch(deps, provider, request);
  const expiresAt = new Date(deps.databaseClock.now() + LIFETIME_HOURS * 3_600_000);
  return { url, sessionToken: null, expiresAt: iso(expiresAt) };
}

/** Commits the session before calling the provider, because the provider may call the wallet immediately. */
async function launchReal(
  { deps, game, provider, country, countries }: Target,
  request: LaunchRequest,
  { user, username, currencyId }: { user: SessionUser; username: string; currencyId: string | undefined },
): Promise<Launched> {
  const userId = user.id;
  const session = await transaction(deps.db, async (tx) => {
    await deps.gate.assertMay(tx, { action: 'launch', userId, country });
    assertCountry(game, countries);
    const place = { userId, providerId: provider.id, gameId: game.id, country, countries };
    const currency = currencyOf(currencyId, game, provider);
    const { device } = request;
    const made = await createSession(tx, {
      ...place,
      currencyId: currency,
      device,
      sessionId: user.sessionId,
    });
    return { ...made, currencyId: currency };
  });
  const { token, expiresAt } = session;
  try {
    const player = { userId, username, token, currencyId: session.currencyId, country };
    const url = await requestLaunch(deps, provider, { ...request, player });
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

function providerOf({ gameProviders }: LaunchDeps, game: Game): KnownProvider | undefined {
  const isLaunched = game.type === 'SLOTS' || game.type === 'EVO_GAME';
  if (!isLaunched || game.external_code === null) throw launchErrors.GAME_NOT_LAUNCHABLE({ game: game.slug });
  return gameProviders.find(game.provider_slug);
}

function assertCountry(game: Game, countries: CountrySet): void {
  const blocked = [...game.blocked_countries, ...game.provider_blocked_countries];
  if (isCountryIn(countries, blocked)) throw gateErrors.AUTH_GEO_BLOCKED({ scope: 'GAME' });
}

function currencyOf(currencyId: string | undefined, game: Game, { currencies }: KnownProvider): string {
  if (currencyId === undefined) throw launchErrors.CURRENCY_REQUIRED();
  const offered = currencies.map(({ ours }) => ours).filter((id) => game.currencies?.includes(id) ?? true);
  if (!offered.includes(currencyId))
    throw launchErrors.CURRENCY_NOT_SUPPORTED({ currencyId, currencies: offered });
  return currencyId;
}

/** Returns the URL that the close button opens. The URL must be on a configured site and use https, or http in development. */
function lobbyUrlOf({ config }: LaunchDeps, returnUrl: string | undefined): string {
  if (returnUrl === undefined) return config.SITE_URL;
  const isSafe = config.isDevelopment || /^https:/i.test(returnUrl);
  if (!isSafe || !isPageOf(config.siteOrigins, returnUrl)) {
    const message = 'needs to be an address of a configured site';
    throw commonErrors.VALIDATION_FAILED({ fields: [{ path: 'returnUrl', message }] });
  }
  return new URL(returnUrl).href;
}

/** Calls the provider only once. After a timeout the launch may have succeeded, and a repeated call would create another session. */
async function requestLaunch(
  { providerLog }: LaunchDeps,
  provider: KnownProvider,
  request: LaunchRequest,
): Promise<string> {
  try {
    return (await provider.launch(request)).url;
  } catch (error) {
    providerLog.warn({ provider: provider.slug, error: messageOf(error) }, 'a launch failed');
    throw launchErrors.PROVIDER_UNAVAILABLE({ provider: provider.slug });
  }
}
