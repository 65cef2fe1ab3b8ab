/** Longest slug, with room for its number. */
const LONGEST = 56;

/** Segments of paths that are no games: a slug must not be one of them. */
const RESERVED = ['all', 'main', 'house', 'providers', 'commission', 'favorite', 'bulk', 'hydrate'];

/** Text as part of an address: letters without accents, digits, hyphens. */
export const kebab = (text: string): string =>
  text
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .replace(/['’]/g, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '');

export type Named = { code: string; name: string };

/** Gives slugs that nobody has yet, for ever: `taken` holds all that ever were, and those that are given. */
export function createSlugs(prefix: string | null, taken: Set<string>) {
  for (const word of RESERVED) taken.add(word);
  const next = new Map<string, number>();
  return ({ code, name }: Named): string => {
    const spoken = kebab(name) || kebab(code) || 'game';
    const base = kebab(`${prefix ?? ''} ${spoken}`)
      .slice(0, LONGEST)
      .replace(/-+$/, '');
    let slug = base;
    for (let n = next.get(base) ?? 2; taken.has(slug); n++) {
      slug = `${base}-${n}`;
      next.set(base, n + 1);
    }
    taken.add(slug);
    return slug;
  };
}

/** A list with less than four fifths of the games of the one before is taken for an error of the provider. */
export const isShort = (codes: number, before: number | undefined): boolean =>
  before !== undefined && codes * 5 < before * 4;

/** Lists in a row from which a game is missing before it is hidden. */
export const MISSED_LISTS = 2;
