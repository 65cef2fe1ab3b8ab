import type { z } from 'zod';
import { iso } from '../../../platform/clock.ts';
import type { GameInfo, GameProviderPublic, GamePublic, ShortGameIdentity } from '../bets/schemas.ts';
import type { Game, Provider } from './queries.ts';
import type { Known } from './state.ts';

export type Shown = z.input<typeof GamePublic>;

/** Custom images where there are any, else those of the supplier. */
const imagesOf = ({ images, customImages }: Pick<Game, 'images' | 'customImages'>): string[] => [
  ...(customImages.length > 0 ? customImages : images),
];

/** The house is called by its brand until staff gives it another name. */
export const nameOf = ({ id, name, originName }: Provider, brand: string): string =>
  id === 0 && name === originName ? brand : name;

export const toPublicProvider = (provider: Provider, brand: string): z.input<typeof GameProviderPublic> => ({
  id: provider.id,
  name: nameOf(provider, brand),
  slug: provider.slug,
  images: imagesOf(provider),
});

/** A game by its name alone. */
export const toIdentity = (game: Game, provider: Provider): z.input<typeof ShortGameIdentity> => ({
  id: game.id,
  slug: game.slug,
  name: game.name,
  type: game.type,
  images: imagesOf(game),
  providerName: provider.id === 0 ? null : provider.name,
});

type About = {
  known: Pick<Known, 'providers'>;
  brand: string;
  /** When anybody last played it. A game that nobody has played yet shows when it was added. */
  lastPlayed: Date | undefined;
};

/** A game as players see it in a list. */
export function toPublic(game: Game, { known, brand, lastPlayed }: About): Shown {
  return {
    categories: [...game.categories],
    id: game.id,
    addedAt: iso(game.addedAt),
    lastPlayedAt: iso(lastPlayed ?? game.addedAt),
    type: game.type,
    slug: game.slug,
    name: game.name,
    images: imagesOf(game),
    info: null,
    provider: toPublicProvider(known.providers.get(game.providerId)!, brand),
  };
}

/** The return in percent that players are shown; null: unknown. */
export function rtpOf({ type, settings, facts, staffRtp }: Game): number | null {
  if (type === 'HOUSE_GAME') return typeof settings.rtp === 'number' ? settings.rtp : null;
  return staffRtp ?? facts.rtp ?? null;
}

export function infoOf(game: Game): z.input<typeof GameInfo> {
  const { facts, settings } = game;
  const amount = (value: unknown) => (typeof value === 'string' ? value : null);
  return {
    description: facts.description ?? null,
    rtp: rtpOf(game),
    volatility: facts.volatility ?? null,
    minBetUsd: amount(settings.minBet),
    maxBetUsd: amount(settings.maxBet),
    maxWinMultiplier: facts.maxWinMultiplier ?? null,
    hasDemo: facts.hasDemo ?? false,
    hasFreeSpins: facts.hasFreeSpins ?? false,
  };
}
