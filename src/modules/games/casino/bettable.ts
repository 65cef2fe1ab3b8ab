import type { Game } from './queries.ts';
import { codeKey, type Known } from './state.ts';

/** What a bet on a provider's game has to know of it. */
export type Bettable = {
  id: number;
  /** Bets are taken on it: it is in the catalogue, and neither it nor its provider is switched off. */
  isPlayable: boolean;
  /** The house's edge, in millionths of a stake. */
  edgePpm: number;
};

/** Games as the wallet of providers looks them up, from memory. */
export function createBettable(now: () => Known, edgePpmOf: (gameId: number) => number) {
  const shown = (game: Game | undefined): Bettable | undefined =>
    game && {
      id: game.id,
      isPlayable: game.enabled && game.removedAt === null && now().providers.get(game.providerId)!.enabled,
      edgePpm: edgePpmOf(game.id),
    };
  return {
    find: (providerId: number, code: string) => shown(now().byCode.get(codeKey(providerId, code))),
    get: (id: number) => shown(now().byId.get(id)),
  };
}
