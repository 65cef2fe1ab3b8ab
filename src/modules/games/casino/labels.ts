import type { z } from 'zod';
import { derived } from '../../../platform/derived.ts';
import type { Category, GameType, ShortGameIdentity } from '../bets/schemas.ts';
import type { Game, Provider } from './queries.ts';
import { fold } from './rules.ts';
import { rtpOf, toIdentity } from './show.ts';
import type { Known } from './state.ts';
import { isMeant } from './visible.ts';

/** A game as reports of staff name it. */
export type GameLabel = {
  id: number;
  slug: string;
  name: string;
  type: GameType;
  /** The main one. */
  category: string;
  /** Null: the house. */
  providerSlug: string | null;
  /** In percent; null: unknown. */
  configuredRtp: number | null;
  identity: z.input<typeof ShortGameIdentity>;
};

export type GameFilter = {
  category?: Category | undefined;
  providerSlugs?: readonly string[] | undefined;
  slug?: string | undefined;
  /** A part of it. */
  name?: string | undefined;
};

export type GameLabels = ReturnType<typeof createLabels>;

type Deps = {
  known: () => Known;
  /** What providers get of what their games bring, in millionths, by slug; nothing where it is not named. */
  fees: ReadonlyMap<string, bigint>;
};

/** All games, hidden and removed ones too, from memory. */
export function createLabels({ known, fees }: Deps) {
  const labels = derived(
    () => [known()],
    ({ games, providers }) => ({
      byId: new Map(games.map((game) => [game.id, labelOf(game, providers.get(game.providerId)!)])),
    }),
  );
  return {
    find: (id: number): GameLabel | undefined => labels().byId.get(id),

    /** The ids of the games that a filter means; undefined: all of them. */
    matching({ category, providerSlugs, slug, name }: GameFilter): number[] | undefined {
      if ([category, providerSlugs, slug, name].every((one) => one === undefined)) return undefined;
      const { games, providers } = known();
      const folded = name === undefined ? undefined : fold(name);
      const isOfProvider = (game: Game) =>
        providerSlugs === undefined || providerSlugs.includes(providers.get(game.providerId)!.slug);
      return games.flatMap((game) =>
        isMeant(game, { category, name: folded }) && isOfProvider(game) && (slug ?? game.slug) === game.slug
          ? [game.id]
          : [],
      );
    },

    /** What a provider gets of what its games bring, in millionths. */
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
