import { LRUCache } from 'lru-cache';
import { derived } from '../../../platform/derived.ts';
import type { Category, GameType } from '../bets/schemas.ts';
import type { Played } from './played.ts';
import type { Game, Provider } from './queries.ts';
import { byText } from './rules.ts';
import type { Known } from './state.ts';

export type Wanted = {
  /** Where the player is; undefined: in no country that anything is blocked in. */
  country: string | undefined;
  category?: Category | undefined;
  type?: GameType | undefined;
  providerId?: number | undefined;
  /** Folded. */
  name?: string | undefined;
};

type Order = keyof ReturnType<typeof createOrders>;
export type Visible = ReturnType<typeof createVisible>;

/** Answers that are kept. */
const KEPT = 1000;
/** Lists of thousands of games that are kept. */
const KEPT_LISTS = 200;

/**
 * The games that players see, one array for each order, made when it is first asked for after a change. Every list is one of these
 * arrays, filtered.
 */
export function createVisible(known: () => Known, played: () => Played) {
  const orders = createOrders(known, played);
  /** Countries in which not everything may be played. */
  const countries = derived(
    () => [orders.id(), known().providers],
    (all, providers): ReadonlySet<string> => {
      const blocked = [...all, ...providers.values()].flatMap(({ blockedCountries }) => blockedCountries);
      return new Set(blocked);
    },
  );
  const lists = derived(
    () => [orders.id(), known().providers, played().players],
    (..._) => ({ kept: new LRUCache<string, readonly Game[]>({ max: KEPT_LISTS }) }),
  );
  const answers = derived(
    () => [known(), played()],
    (..._) => ({ kept: new LRUCache<string, object>({ max: KEPT }) }),
  );
  return {
    /** The country, where it makes a difference. */
    different: (country: string | null) =>
      country !== null && countries().has(country) ? country : undefined,

    isSeen: (game: Game, country: string | undefined): boolean => {
      const { providers } = known();
      return isVisible(game, providers) && !isBlocked(game, providers, country);
    },

    /** In their order: names from a to z, the newest and the most popular first; ties by id. */
    list(order: Order, wanted: Wanted): readonly Game[] {
      const all = orders[order]();
      const { country, category, type, providerId, name } = wanted;
      const parts = [country, category, type, providerId, name];
      if (parts.every((part) => part === undefined)) return all;
      return keep(lists().kept, JSON.stringify([order, ...parts.map((part) => part ?? null)]), () =>
        all.filter((game) => isMeant(game, wanted) && !isBlocked(game, known().providers, country)),
      );
    },

    /** An order that one player sees, kept while nothing changes. */
    own: (key: string, make: () => readonly Game[]): readonly Game[] =>
      keep(lists().kept, `own ${key}`, make),

    /** What is the same for everybody until something changes; frozen, so that it is spelt out once. */
    answer: <T extends object>(key: string, make: () => T): T =>
      keep(answers().kept, key, () => Object.freeze(make())) as T,
  };
}

/** The games that players see, in each order; ties by id. */
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
  return game.blockedCountries.includes(country) || provider.blockedCountries.includes(country);
}

/** Whether a filter means a game. */
export function isMeant(game: Game, { category, type, providerId, name }: Omit<Wanted, 'country'>): boolean {
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
