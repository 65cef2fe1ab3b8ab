import { LRUCache } from 'lru-cache';
import { type CountrySet, codesIn, countrySetOf, isCountryIn } from '../../../platform/countries/rules.ts';
import { derived } from '../../../platform/derived.ts';
import type { Category, GameType } from '../bets/schemas.ts';
import type { Game, Provider } from './queries.ts';
import { byText } from './rules.ts';
import type { Known, Played } from './state.ts';

export type Wanted = {
  /** The player's countries in which at least one game is blocked; undefined if there are no such countries. */
  country: string | undefined;
  category?: Category | undefined;
  type?: GameType | undefined;
  providerId?: number | undefined;
  /** The normalised search string. */
  name?: string | undefined;
};

type Order = keyof ReturnType<typeof createOrders>;
export type Visible = ReturnType<typeof createVisible>;

/** Maximum number of cached responses. */
const MAX_RESPONSES = 1000;
/** Maximum number of cached lists, which may contain thousands of games. */
const MAX_LISTS = 200;

/**
 * The visible games, as one array per order. An array is built on the first request after a change. Lists are filtered copies of these
 * arrays.
 */
export function createVisible(known: () => Known, played: () => Played) {
  const orders = createOrders(known, played);
  /** Countries in which at least one game is blocked. */
  const countries = derived(
    () => [orders.id(), known().providers],
    (all, providers): ReadonlySet<string> => {
      const blocked = [...all, ...providers.values()].flatMap(({ blockedCountries }) => blockedCountries);
      return new Set(blocked);
    },
  );
  const lists = derived(
    () => [orders.id(), known().providers, played().players],
    (..._) => ({ kept: new LRUCache<string, readonly Game[]>({ max: MAX_LISTS }) }),
  );
  const answers = derived(
    () => [known(), played()],
    (..._) => ({ kept: new LRUCache<string, object>({ max: MAX_RESPONSES }) }),
  );
  return {
    /** Returns true if at least one game or provider is blocked in at least one country. */
    isRuled: () => countries().size > 0,

    /** Returns the player's countries in which at least one game is blocked, or undefined if there are no such countries. */
    different: (known: CountrySet): string | undefined =>
      countrySetOf(codesIn(known).filter((code) => isCountryIn(code, countries()))) ?? undefined,

    isSeen: (game: Game, country: string | undefined): boolean => {
      const { providers } = known();
      return isVisible(game, providers) && !isBlocked(game, providers, country);
    },

    /**
     * Returns the matching games in the requested order: by name from A to Z, newest first or most popular first. Games that are equal in
     * this order are sorted by id.
     */
    list(order: Order, wanted: Wanted): readonly Game[] {
      const all = orders[order]();
      const { country, category, type, providerId, name } = wanted;
      const parts = [country, category, type, providerId, name];
      if (parts.every((part) => part === undefined)) return all;
      return keep(lists().kept, JSON.stringify([order, ...parts.map((part) => part ?? null)]), () =>
        all.filter((game) => matchesFilter(game, wanted) && !isBlocked(game, known().providers, country)),
      );
    },

    /** Returns the games in an order that is specific to the player, cached until the next change. */
    own: (key: string, make: () => readonly Game[]): readonly Game[] =>
      keep(lists().kept, `own ${key}`, make),

    /**
     * Returns a response that is the same for all players, cached until the next change. The response is frozen, so that it is serialized
     * only once.
     */
    answer: <T extends object>(key: string, make: () => T): T =>
      keep(answers().kept, key, () => Object.freeze(make())) as T,
  };
}

/** The visible games in each order. Games that are equal in an order are sorted by id. */
function createOrders(known: () => Known, played: () => Played) {
  const games = derived(
    () => [known()],
    (now): Game[] => now.games.filter((game) => isVisible(game, now.providers)),
  );
  const byName = derived(
    () => [games()],
    (all): Game[] => all.toSorted((a, b) => byText(a.folded, b.folded) || a.id - b.id),
  );
  const newest = derived(
    () => [games()],
    (all): Game[] => all.toSorted((a, b) => b.addedAt.getTime() - a.addedAt.getTime() || a.id - b.id),
  );
  const popular = derived(
    () => [games(), played().players],
    (all, players): Game[] => {
      const count = (game: Game) => players.get(game.id) ?? 0;
      return all.toSorted((a, b) => count(b) - count(a) || a.id - b.id);
    },
  );
  return { id: games, name: byName, addedAt: newest, popular };
}

function isVisible(game: Game, providers: ReadonlyMap<number, Provider>): boolean {
  return game.enabled && game.removedAt === null && providers.get(game.providerId)?.enabled === true;
}

function isBlocked(
  game: Game,
  providers: ReadonlyMap<number, Provider>,
  country: string | undefined,
): boolean {
  if (country === undefined) return false;
  const provider = providers.get(game.providerId)!;
  return isCountryIn(country, game.blockedCountries) || isCountryIn(country, provider.blockedCountries);
}

/** Returns true if a game matches a filter. */
export function matchesFilter(
  game: Game,
  { category, type, providerId, name }: Omit<Wanted, 'country'>,
): boolean {
  return (
    (category === undefined || game.categories.includes(category)) &&
    (type === undefined || game.type === type) &&
    (providerId === undefined || game.providerId === providerId) &&
    (name === undefined || game.folded.includes(name))
  );
}

function keep<T extends object>(kept: LRUCache<string, T>, key: string, make: () => T): T {
  const found = kept.get(key);
  if (found !== undefined) return found;
  const made = make();
  kept.set(key, made);
  return made;
}
