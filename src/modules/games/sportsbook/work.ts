import type { GameRequest } from '../betting/request.ts';
import { type ProviderRequest, WALLET, type WalletState } from '../provider-wallets/state.ts';

export type { WalletState } from '../provider-wallets/state.ts';

type Named = {
  userId: number;
  provider: { id: number; slug: string };
  betId: string | undefined;
  ids: readonly string[];
};

/** A request of the sportsbook: the same rows as of every provider are read for it, and what the player owes. */
export function requestOf<Answer extends object>(
  { userId, provider, betId, ids }: Named,
  decide: GameRequest<Answer, WalletState>['decide'],
): ProviderRequest<Answer> {
  const keys = ids.map((transactionId) => ({ providerId: provider.id, transactionId }));
  return {
    userId,
    // What holds for a country is asked with that of the launch.
    country: null,
    game: { id: 0, slug: provider.slug },
    repeat: undefined,
    ids: MOST_IDS,
    store: WALLET,
    wants: {
      transactions: keys,
      references: keys,
      rounds: betId === undefined ? [] : [{ userId, providerId: provider.id, ref: betId }],
      tokenHash: undefined,
      providerId: provider.id,
      repaysClaims: true,
    },
    decide,
  };
}

/** A transaction, what it moves, what becomes a claim or pays one, and a tombstone. */
const MOST_IDS = 5;
