import { currencyToUsdDown, type Rate, type Units } from '../../../platform/money.ts';
import type { Catalogue, Game } from '../../games/casino/service.ts';
import type { FreeRoundsService, NewFreeRounds } from '../../games/seamless-wallet/providers/free-rounds.ts';
import { betOf } from '../../games/seamless-wallet/providers/rules.ts';
import type { Currencies } from '../../money/currencies/service.ts';
import type { PromoRow } from './queries.ts';
import type { FreeSpins, Problem } from './terms/rules.ts';

type FreeSpinsDeps = {
  catalogue: Pick<Catalogue, 'state'>;
  currencies: Pick<Currencies, 'find' | 'rateOf' | 'freshRate'>;
  freeRounds: Pick<FreeRoundsService, 'canGive' | 'scaleOf' | 'order'>;
};

type Offer = { gameId: number; providerId: number; betAt: (usd: Units, rate: Rate) => Units };

/** Returns true if promotions can give free spins of the game. */
export const givesFreeSpins = (
  { canGive }: Pick<FreeSpinsDeps['freeRounds'], 'canGive'>,
  { facts, removedAt, providerId }: Game,
): boolean => facts.hasFreeSpins === true && removedAt === null && canGive(providerId);

/** Returns how free spins of a game are ordered in a currency, or the reason why this is impossible. */
function findOffer(deps: FreeSpinsDeps, gameSlug: string, currencyId: string): Offer | Problem {
  const game = deps.catalogue.state.now().bySlug.get(gameSlug);
  if (!game || !givesFreeSpins(deps.freeRounds, game))
    return {
      path: 'reward.gameSlug',
      message: 'is a game without free spins; choose one of a configured provider that has them',
    };
  const { id: gameId, providerId, currencies } = game;
  const scale = deps.freeRounds.scaleOf(providerId, currencyId);
  const currency = deps.currencies.find(currencyId);
  if (!scale || !currency || !(currencies?.includes(currencyId) ?? true))
    return { path: 'reward.currencyId', message: 'is not a currency of the game' };
  const { decimals } = currency;
  return { gameId, providerId, betAt: (usd, rate) => betOf(usd, { rate, decimals, scale }) };
}

/** Returns the reasons why free spins cannot be ordered. */
export function freeSpinProblems(
  deps: FreeSpinsDeps,
  { gameSlug, currencyId, valueUsd }: FreeSpins,
): Problem[] {
  const found = findOffer(deps, gameSlug, currencyId);
  if ('message' in found) return [found];
  const { rate } = deps.currencies.rateOf(currencyId);
  const least = rate === 0n ? 0n : currencyToUsdDown(found.betAt(0n, rate), rate);
  return valueUsd < least
    ? [{ path: 'reward.freeSpinValueUsd', message: 'is below the minimum stake in this currency' }]
    : [];
}

/**
 * Returns the order for a promotion's free spins at the current rate, or undefined if the spins can no longer be ordered. Throws 409
 * RATE_STALE.
 */
export function spinsOf(deps: FreeSpinsDeps, promo: PromoRow): Omit<NewFreeRounds, 'grantId'> | undefined {
  const {
    game_slug: slug,
    currency_id: currencyId,
    free_spins: rounds,
    free_spin_value_usd: valueUsd,
  } = promo;
  const found = findOffer(deps, slug!, currencyId);
  if ('message' in found) return undefined;
  const { gameId, providerId, betAt } = found;
  const bet = betAt(valueUsd!, deps.currencies.freshRate(currencyId));
  return { gameId, providerId, currencyId, rounds: rounds!, bet };
}
