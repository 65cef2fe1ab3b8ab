import { currencyToUsdDown, type Rate, type Units } from '../../../platform/money.ts';
import type { Catalogue } from '../../games/casino/service.ts';
import { betOf } from '../../games/provider-wallets/free-rounds/rules.ts';
import type { FreeRoundsService, NewFreeRounds } from '../../games/provider-wallets/free-rounds/service.ts';
import type { Currencies } from '../../money/currencies/service.ts';
import type { PromoRow } from './queries.ts';
import type { FreeSpins, Problem } from './terms/rules.ts';

export type FreeSpinsDeps = {
  catalogue: Pick<Catalogue, 'state'>;
  currencies: Pick<Currencies, 'find' | 'rateOf' | 'freshRate'>;
  freeRounds: Pick<FreeRoundsService, 'canGive' | 'scaleOf' | 'order'>;
};

type Offered = { gameId: number; providerId: number; betAt: (usd: Units, rate: Rate) => Units };

/** Where free spins of a game are given in a currency, or why they are not. */
function offered(deps: FreeSpinsDeps, gameSlug: string, currencyId: string): Offered | Problem {
  const game = deps.catalogue.state.now().bySlug.get(gameSlug);
  if (!game?.facts.hasFreeSpins || game.removedAt !== null || !deps.freeRounds.canGive(game.providerId))
    return { path: 'reward.gameSlug', message: 'is no game on which a configured provider gives free spins' };
  const { id: gameId, providerId, currencies } = game;
  const scale = deps.freeRounds.scaleOf(providerId, currencyId);
  const currency = deps.currencies.find(currencyId);
  if (!scale || !currency || !(currencies?.includes(currencyId) ?? true))
    return { path: 'reward.currencyId', message: 'is no currency in which the game is played' };
  const { decimals } = currency;
  return { gameId, providerId, betAt: (usd, rate) => betOf(usd, { rate, decimals, scale }) };
}

/** What keeps free spins from being given. */
export function freeSpinProblems(
  deps: FreeSpinsDeps,
  { gameSlug, currencyId, valueUsd }: FreeSpins,
): Problem[] {
  const found = offered(deps, gameSlug, currencyId);
  if ('message' in found) return [found];
  const { rate } = deps.currencies.rateOf(currencyId);
  const least = rate === 0n ? 0n : currencyToUsdDown(found.betAt(0n, rate), rate);
  return valueUsd < least
    ? [{ path: 'reward.freeSpinValueUsd', message: 'is less than the smallest stake in this currency' }]
    : [];
}

/** What the spins of a promotion come to at the rate of now. Undefined: they cannot be given any more. Throws 409 RATE_STALE. */
export function spinsOf(deps: FreeSpinsDeps, promo: PromoRow): Omit<NewFreeRounds, 'grantId'> | undefined {
  const {
    game_slug: slug,
    currency_id: currencyId,
    free_spins: rounds,
    free_spin_value_usd: valueUsd,
  } = promo;
  const found = offered(deps, slug!, currencyId);
  if ('message' in found) return undefined;
  const { gameId, providerId, betAt } = found;
  const bet = betAt(valueUsd!, deps.currencies.freshRate(currencyId));
  return { gameId, providerId, currencyId, rounds: rounds!, bet };
}
