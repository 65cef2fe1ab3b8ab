/** Normalises a string for comparison: lowercase, without accents. */
export const fold = (text: string): string => text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();

export const byText = (a: string, b: string): number => Number(a > b) - Number(a < b);

/** Returns one page of sorted rows, optionally in reverse order. Pages beyond the end are empty. */
export function pageIn<T>(
  rows: readonly T[],
  { page, take }: { page: number; take: number },
  isReversed: boolean,
): T[] {
  const offset = (page - 1) * take;
  if (!isReversed) return rows.slice(offset, offset + take);
  const end = Math.max(0, rows.length - offset);
  return rows.slice(Math.max(0, end - take), end).reverse();
}

/** Hashes an integer to 32 bits (the finalizer of MurmurHash3). */
function mix(value: number): number {
  let h = value | 0;
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return (h ^ (h >>> 16)) >>> 0;
}

/** Returns the UTC day of a time as the number of days since 1970. */
export const dayOf = (ms: number): number => Math.floor(ms / 86_400_000);

/** Maximum number of rows. An index below this number and a 32-bit hash together fit exactly in a double. */
const MOST = 2 ** 20;

/**
 * Shuffles rows in an order that is stable for one player and day. `rows` must be sorted by id, because rows with equal hashes keep that
 * order.
 */
export function shuffled<T extends { id: number }>(
  rows: readonly T[],
  { userId, day }: { userId: number; day: number },
): T[] {
  if (rows.length > MOST) throw new Error(`${rows.length} rows are too many to be shuffled`);
  const seed = mix(mix(userId) + day);
  const keys = Float64Array.from(rows, (row, place) => mix(row.id ^ seed) * MOST + place).sort();
  return Array.from(keys, (key) => rows[key % MOST]!);
}

/** A commission rule. If `category` or `gameId` is null, the rule covers all categories or games. `ppm` is in millionths of the stake. */
export type Rule = {
  id: number;
  providerId: number;
  category: string | null;
  gameId: number | null;
  ppm: number;
  payload: unknown;
  createdAt: Date;
  updatedAt: Date;
};

/** The properties of a game that rules depend on. `rtp` is in percent. */
export type Priced = {
  id: number;
  type: 'SLOTS' | 'HOUSE_GAME' | 'EVO_GAME' | 'SPORTSBOOK';
  categories: readonly string[];
  rtp: number | null;
};

export type Match =
  | 'PROVIDER_CATEGORY_GAME'
  | 'PROVIDER_GAME'
  | 'PROVIDER_CATEGORY'
  | 'PROVIDER'
  | 'TYPE_DEFAULT';

const PERCENT = 10_000;
const DEFAULTS = { SLOTS: 4 * PERCENT, EVO_GAME: PERCENT / 2, SPORTSBOOK: 3 * PERCENT } as const;

/**
 * Returns the most specific rule that applies to a game, among the rules of its provider. If equally specific rules for several of the
 * game's categories apply, returns the rule for the first of these categories. If no rule applies, `rule` is null and the default of the
 * game's type is used.
 */
export function effectiveOf(
  game: Priced,
  rules: readonly Rule[],
): { match: Match; rule: Rule | null; ppm: number } {
  const find = (gameId: number | null, category: string | null) =>
    rules.find((rule) => rule.gameId === gameId && rule.category === category);
  const ofCategory = (gameId: number | null) => {
    for (const category of game.categories) {
      const rule = find(gameId, category);
      if (rule) return rule;
    }
    return undefined;
  };
  const candidates: [Match, Rule | undefined][] = [
    ['PROVIDER_CATEGORY_GAME', ofCategory(game.id)],
    ['PROVIDER_GAME', find(game.id, null)],
    ['PROVIDER_CATEGORY', ofCategory(null)],
    ['PROVIDER', find(null, null)],
  ];
  for (const [match, rule] of candidates) if (rule) return { match, rule, ppm: rule.ppm };
  return { match: 'TYPE_DEFAULT', rule: null, ppm: defaultOf(game) };
}

/** Returns the house edge of a new bet on the game, in millionths of the stake. */
export const edgePpmOf = (game: Priced, rules: readonly Rule[]): number => effectiveOf(game, rules).ppm;

function defaultOf({ type, rtp }: Priced): number {
  if (type !== 'HOUSE_GAME') return DEFAULTS[type];
  return rtp === null ? 0 : 100 * PERCENT - Math.round(rtp * PERCENT);
}

const PERCENT_TEXT = /^(\d{1,3})(?:\.(\d{1,4}))?$/;

/** Converts a percentage (0 to 100, up to four decimals) to millionths. Returns undefined for other strings. */
export function readPercent(text: string): number | undefined {
  const [, whole, decimals = ''] = PERCENT_TEXT.exec(text) ?? [];
  if (whole === undefined) return undefined;
  const ppm = Number(whole) * PERCENT + Number(decimals.padEnd(4, '0'));
  return ppm <= 100 * PERCENT ? ppm : undefined;
}

/** Converts millionths to a percentage without trailing zeros. */
export function percentOf(ppm: number): string {
  const decimals = String(ppm % PERCENT)
    .padStart(4, '0')
    .replace(/0+$/, '');
  return `${Math.floor(ppm / PERCENT)}${decimals && `.${decimals}`}`;
}

/** Maximum length of a slug without its numeric suffix. */
const LONGEST = 56;

/** Path segments that cannot be slugs. */
const RESERVED = [
  'all',
  'main',
  'house',
  'providers',
  'commission',
  'favorite',
  'bulk',
  'hydrate',
  'categories',
];

/** Converts a string to a URL segment: letters without accents, digits and hyphens. */
export const kebab = (text: string): string =>
  text
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .replace(/['’]/g, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '');

export type Named = { code: string; name: string };

/** Returns a function that creates unique slugs. `taken` contains all slugs ever used; new slugs are added to it. */
export function createSlugs(prefix: string | null, taken: Set<string>) {
  for (const word of RESERVED) taken.add(word);
  const next = new Map<string, number>();
  return ({ code, name }: Named): string => {
    const readable = kebab(name) || kebab(code) || 'game';
    const base = kebab(`${prefix ?? ''} ${readable}`)
      .slice(0, LONGEST)
      .replace(/-$/, '');
    let slug = base;
    for (let n = next.get(base) ?? 2; taken.has(slug); n++) {
      slug = `${base}-${n}`;
      next.set(base, n + 1);
    }
    taken.add(slug);
    return slug;
  };
}

/** If a list contains fewer than four fifths of the previous list's games, it is treated as an error of the provider. */
export const isShort = (codes: number, before = 0): boolean => codes * 5 < before * 4;

/** A game is hidden after it has been missing from this number of consecutive lists. */
export const MISSED_LISTS = 2;
