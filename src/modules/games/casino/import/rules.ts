/** Maximum length of a slug without its number. */
const LONGEST = 56;

/** Path segments that cannot be slugs. */
const RESERVED = ['all', 'main', 'house', 'providers', 'commission', 'favorite', 'bulk', 'hydrate'];

/** Converts text to a URL segment: letters without accents, digits and hyphens. */
export const kebab = (text: string): string =>
  text
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .replace(/['’]/g, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '');

export type Named = { code: string; name: string };

/** Returns the function that creates unique slugs. `taken` contains all slugs ever used, and receives the new ones. */
export function createSlugs(prefix: string | null, taken: Set<string>) {
  for (const word of RESERVED) taken.add(word);
  const next = new Map<string, number>();
  return ({ code, name }: Named): string => {
    const readable = kebab(name) || kebab(code) || 'game';
    const base = kebab(`${prefix ?? ''} ${readable}`)
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

/** A list with less than four fifths of the previous list's games is treated as a provider error. */
export const isShort = (codes: number, before: number | undefined): boolean =>
  before !== undefined && codes * 5 < before * 4;

/** A game is hidden after it was missing in this number of consecutive lists. */
export const MISSED_LISTS = 2;
