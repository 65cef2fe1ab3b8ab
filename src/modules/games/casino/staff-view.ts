import type { z } from 'zod';
import { iso } from '../../../platform/clock.ts';
import { isListed } from '../../money/bonus/rules.ts';
import type { Game, Provider } from './queries.ts';
import { casinoErrors, type GameAdmin, type GameProviderAdmin } from './schemas.ts';
import type { CasinoDeps } from './service.ts';
import type { Known, Played } from './state.ts';
import { infoOf, nameOf } from './view.ts';

/** Returns a game with the fields for staff. Throws 404 GAME_NOT_FOUND. */
export async function getStaffGame(deps: CasinoDeps, slug: string): Promise<z.input<typeof GameAdmin>> {
  const game = deps.catalogue.state.now().bySlug.get(slug);
  if (!game) throw casinoErrors.GAME_NOT_FOUND();
  const promos = await deps.promosForSomeGames();
  const played = await deps.catalogue.played.now();
  return toStaffGame(deps, game, { played, withInfo: true, promos });
}

/** Returns a provider with the fields for staff. Throws 404 PROVIDER_NOT_FOUND. */
export function getStaffProvider(deps: CasinoDeps, slug: string): z.input<typeof GameProviderAdmin> {
  const providers = deps.catalogue.state.now().providers.values();
  const provider = providers.find((one) => one.slug === slug);
  if (!provider) throw casinoErrors.PROVIDER_NOT_FOUND();
  return toStaffProvider(deps, provider);
}

type Deps = Pick<CasinoDeps, 'catalogue' | 'config'>;
type Promos = Awaited<ReturnType<CasinoDeps['promosForSomeGames']>>;

const isoOrNull = (at: Date | undefined): string | null => (at ? iso(at) : null);

/** Returns a game with the fields for staff. */
export function toStaffGame(
  deps: Deps,
  game: Game,
  { played, withInfo, promos }: { played: Played; withInfo: boolean; promos: Promos },
): z.input<typeof GameAdmin> {
  const provider = deps.catalogue.state.now().providers.get(game.providerId)!;
  return {
    type: game.type,
    categories: [...game.categories],
    id: game.id,
    createdAt: iso(game.createdAt),
    addedAt: iso(game.addedAt),
    lastPlayedAt: isoOrNull(played.lastPlayed.get(game.id)),
    slug: game.slug,
    name: game.name,
    providerId: game.providerId,
    walletId: provider.slug,
    provider: toStaffProvider(deps, provider),
    enabled: game.enabled,
    tags: [...game.tags],
    originalSlug: game.code,
    info: withInfo ? infoOf(game) : null,
    settings: game.type === 'HOUSE_GAME' ? game.settings : null,
    images: [...game.images],
    customImages: [...game.customImages],
    promoGameWhitelist: promos.flatMap(({ id, games }) => (isListed(games, game) ? [String(id)] : [])),
  };
}

const counts = new WeakMap<Known['games'], ReadonlyMap<number, number>>();

/** Returns the number of games on each provider's list, by provider id. */
function countsOf({ games }: Known): ReadonlyMap<number, number> {
  const kept = counts.get(games);
  if (kept) return kept;
  const listed = games.filter(({ removedAt }) => removedAt === null);
  const made = new Map(
    [...Map.groupBy(listed, (game) => game.providerId)].map(([id, own]) => [id, own.length]),
  );
  counts.set(games, made);
  return made;
}

/** Returns a provider with the fields for staff. */
export function toStaffProvider(
  { catalogue, config }: Pick<Deps, 'catalogue' | 'config'>,
  provider: Provider,
): z.input<typeof GameProviderAdmin> {
  return {
    id: provider.id,
    name: nameOf(provider, config.BRAND_NAME),
    originName: provider.originName,
    createdAt: iso(provider.createdAt),
    slug: provider.slug,
    prefix: provider.prefix,
    enabled: provider.enabled,
    gamesCount: countsOf(catalogue.state.now()).get(provider.id) ?? 0,
    images: [...provider.images],
    customImages: [...provider.customImages],
  };
}
