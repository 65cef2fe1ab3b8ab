import { z } from 'zod';
import { object, Timestamp } from '../../../http/schemas.ts';
import { iso } from '../../../platform/clock.ts';
import type { GameInfo, GameProviderPublic, GamePublic, ShortGameIdentity } from '../bets/schemas.ts';
import { type Covered, picturesOf } from '../covers/rules.ts';
import type { Game, Provider } from './queries.ts';
import { percentOf, type Rule } from './rules.ts';
import type { Known } from './state.ts';

export type PublicGame = z.input<typeof GamePublic>;

/** Returns the custom images, or the provider's images if there are none. */
const imagesOf = ({ images, customImages }: Pick<Game, 'images' | 'customImages'>): string[] => [
  ...(customImages.length > 0 ? customImages : images),
];

/** Returns the data that a game's cover shows. */
export const coverOf = ({ slug, name }: Game, provider: Provider): Covered => ({
  slug,
  name,
  providerName: provider.id === 0 ? null : provider.name,
});

/** The provider of the house games is displayed under the name of the brand until staff rename it. */
export const nameOf = ({ id, name, originName }: Provider, brand: string): string =>
  id === 0 && name === originName ? brand : name;

export const toPublicProvider = (provider: Provider, brand: string): z.input<typeof GameProviderPublic> => ({
  id: provider.id,
  name: nameOf(provider, brand),
  slug: provider.slug,
  images: imagesOf(provider),
});

/** Returns the short form of a game. */
export const toIdentity = (game: Game, provider: Provider): z.input<typeof ShortGameIdentity> => ({
  id: game.id,
  slug: game.slug,
  name: game.name,
  type: game.type,
  images: picturesOf({ ...game, ...coverOf(game, provider) }),
  providerName: provider.id === 0 ? null : provider.name,
});

type About = {
  known: Pick<Known, 'providers'>;
  brand: string;
  /** The time at which a player last played the game. */
  lastPlayed: Date | undefined;
};

/** Returns a game as players see it in lists. */
export function toPublic(game: Game, { known, brand, lastPlayed }: About): PublicGame {
  const provider = known.providers.get(game.providerId)!;
  return {
    categories: [...game.categories],
    id: game.id,
    addedAt: iso(game.addedAt),
    lastPlayedAt: lastPlayed ? iso(lastPlayed) : null,
    type: game.type,
    slug: game.slug,
    name: game.name,
    images: picturesOf({ ...game, ...coverOf(game, provider) }),
    info: null,
    provider: toPublicProvider(provider, brand),
  };
}

/** Returns the RTP that players see, in percent, or null if it is unknown. */
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

const OpenObject = z.record(z.string(), z.unknown());

export const GgrCommissionRule = object('GgrCommissionRule', {
  ggrPercent: z.string(),
  category: z.string().nullable(),
  id: z.string(),
  createdAt: Timestamp,
  updatedAt: Timestamp,
  providerId: z.number().int(),
  gameId: z.number().int().nullable(),
  payload: OpenObject.nullable(),
});
export type CommissionRule = z.input<typeof GgrCommissionRule>;

export const toCommissionRule = ({
  id,
  ppm,
  payload,
  createdAt,
  updatedAt,
  providerId,
  category,
  gameId,
}: Rule): CommissionRule => ({
  ggrPercent: percentOf(ppm),
  category,
  id: String(id),
  createdAt: iso(createdAt),
  updatedAt: iso(updatedAt),
  providerId,
  gameId,
  payload: payload as CommissionRule['payload'],
});
