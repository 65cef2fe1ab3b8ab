import { sql } from 'kysely';
import { type Clock, systemClock } from '../../../../../platform/clock.ts';
import type { Config } from '../../../../../platform/config/config.ts';
import type { GameProviderSettings } from '../../../../../platform/config/settings/game-providers.ts';
import { textArray } from '../../../../../platform/database/arrays.ts';
import type { Db } from '../../../../../platform/database/db.ts';
import type { Log } from '../../../../../platform/observability/log.ts';
import { webhookErrors } from '../../../../base/webhooks/schemas.ts';
import type { GameProvider, KnownProvider } from '../provider.ts';
import { assertLaunchUrl, createCurrencies, type DialectDeps } from './client.ts';
import { createGeneric } from './generic/provider.ts';
import { createHub88 } from './hub88/provider.ts';
import { createPragmatic } from './pragmatic/provider.ts';
import { createSoftswiss } from './softswiss/provider.ts';

const DIALECTS = {
  generic: createGeneric,
  hub88: createHub88,
  softswiss: createSoftswiss,
  pragmatic: createPragmatic,
} as const satisfies Record<GameProvider['dialect'], (deps: DialectDeps) => GameProvider>;

export type GameProviders = ReturnType<typeof createGameProviders>;

type Deps = { config: Config; log: Log; clock?: Clock };

const NOT_SYNCED = -1;

/** Creates the clients of the configured game providers (GAME_PROVIDERS). */
export function createGameProviders(deps: Deps) {
  const { config, log, clock = systemClock } = deps;
  const settings = config.GAME_PROVIDERS;
  const providers = new Map<string, KnownProvider>(
    settings.map((one) => [one.slug, { ...create(one, { config, log, clock }), id: NOT_SYNCED }]),
  );
  return {
    all: [...providers.values()] as readonly KnownProvider[],
    find: (slug: string): KnownProvider | undefined => providers.get(slug),
    /** Throws 404 PROVIDER_NOT_FOUND. */
    get(slug: string): KnownProvider {
      const provider = providers.get(slug);
      if (!provider) throw webhookErrors.PROVIDER_NOT_FOUND();
      return provider;
    },
    /** Writes the configured providers to the database and loads their ids. Called once at startup. */
    async sync(db: Db): Promise<void> {
      await writeRows(db, settings);
      const slugs = settings.map(({ slug }) => slug);
      const rows =
        slugs.length === 0
          ? []
          : await db.selectFrom('game_providers').select(['id', 'slug']).where('slug', 'in', slugs).execute();
      for (const { id, slug } of rows) providers.get(slug)!.id = id;
    },
  };
}

function create(
  settings: GameProviderSettings,
  deps: Pick<DialectDeps, 'config' | 'log' | 'clock'>,
): GameProvider {
  const currencies = createCurrencies(settings.currencies);
  const provider = DIALECTS[settings.dialect]({ settings, currencies, ...deps });
  return {
    ...provider,
    launch: async (request) => assertLaunchUrl((await provider.launch(request)).url, settings.launchOrigins),
  };
}

/**
 * The name of an existing provider is kept, because staff may have changed it. An unchanged row is not updated, so that other processes do
 * not reload it.
 */
async function writeRows(db: Db, settings: readonly GameProviderSettings[]): Promise<void> {
  for (const { slug, name, prefix = null, blockedCountries } of settings)
    await sql`
      insert into game_providers as p (slug, name, origin_name, prefix, blocked_countries)
      values (${slug}, ${name}, ${name}, ${prefix}, ${textArray(blockedCountries)}::text[])
      on conflict (slug) do update set prefix = excluded.prefix, blocked_countries = excluded.blocked_countries
      where (p.prefix, p.blocked_countries) is distinct from (excluded.prefix, excluded.blocked_countries)`.execute(
      db,
    );
}
