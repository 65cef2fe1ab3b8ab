import type { z } from 'zod';
import { derived } from '../../../platform/derived.ts';
import type { Category, GameType, ShortGameIdentity } from '../bets/schemas.ts';
import type { Game, Provider } from './queries.ts';
import { fold } from './rules.ts';
import type { Known } from './state.ts';
import { rtpOf, toIdentity } from './view.ts';
import { matchesFilter } from './visible.ts';

/** A game in staff reports. */
export type GameLabel = {
  id: number;
  slug: string;
  name: string;
  type: GameType;
  /** The main category. */
  category: string;
  /** Null for a house game. */
  providerSlug: string | null;
  /** In percent; null if unknown. */
  configuredRtp: number | null;
  identity: z.input<typeof ShortGameIdentity>;
};

export type GameFilter = {
  category?: Category | undefined;
  providerSlugs?: readonly string[] | undefined;
  slug?: string | undefined;
  /** The filter matches any part of the name. */
  name?: string | undefined;
};

export type GameLabels = ReturnType<typeof createLabels>;

type Deps = {
  known: () => Known;
  /** Revenue share of providers in millionths, by slug. Default: 0. */
  fees: ReadonlyMap<string, bigint>;
};

/** Finds games in memory, including hidden and removed ones. */
export function createLabels({ known, fees }: Deps) {
  const labels = derived(
    () => [known()],
    ({ games, providers }) => ({
      byId: new Map(games.map((game) => [game.id, labelOf(game, providers.get(game.providerId)!)])),
    }),
  );
  return {
    find: (id: number): GameLabel | undefined => labels().byId.get(id),

    /** Returns the ids of the games that match a filter, or undefined if the filter is empty. */
    matching({ category, providerSlugs, slug, name }: GameFilter): number[] | undefined {
      if ([category, providerSlugs, slug, name].every((one) => one === undefined)) return undefined;
      const { games, providers } = known();
      const folded = name === undefined ? undefined : fold(name);
      const isOfProvider = (game: Game) =>
        providerSlugs === undefined || providerSlugs.includes(providers.get(game.providerId)!.slug);
      return games.flatMap((game) =>
        matchesFilter(game, { category, name: folded }) &&
        isOfProvider(game) &&
        (slug ?? game.slug) === game.slug
          ? [game.id]
          : [],
      );
    },

    /** Returns a provider's share of the revenue of its games, in millionths. */
    feePpmOf: (providerId: number): bigint => fees.get(known().providers.get(providerId)?.slug ?? '') ?? 0n,
  };
}

const labelOf = (game: Game, provider: Provider): GameLabel => ({
  id: game.id,
  slug: game.slug,
  name: game.name,
  type: game.type,
  category: game.categories[0] ?? game.type,
  providerSlug: provider.id === 0 ? null : provider.slug,
  configuredRtp: rtpOf(game),
  identity: toIdentity(game, provider),
});
