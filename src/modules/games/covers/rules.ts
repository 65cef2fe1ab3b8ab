/** A game as its cover shows it. The provider is null for house games. */
export type Covered = { slug: string; name: string; providerName: string | null };

/** Changed whenever covers are drawn differently, so that browsers load them again. */
const DRAWING = 1;

/** Returns the address of a game's cover. Its version changes with the cover, so browsers do not show a cached one after a change. */
export const coverAddress = (game: Covered): string => `/covers/${game.slug}.svg?v=${versionOf(game)}`;

type Pictures = { images: readonly string[]; customImages: readonly string[] };

/** Returns the pictures of a game that players see: the custom ones, otherwise the provider's, otherwise the drawn cover. */
export function picturesOf({ images, customImages, ...game }: Covered & Pictures): string[] {
  const given = customImages.length > 0 ? customImages : images;
  return given.length > 0 ? [...given] : [coverAddress(game)];
}

/** Returns the version of a cover. It changes with everything that the cover shows. */
const versionOf = ({ slug, name, providerName }: Covered): string =>
  hashOf(JSON.stringify([DRAWING, slug, name, providerName])).toString(36);

/** Returns a 32-bit hash of a string (FNV-1a over its UTF-16 units). */
export function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  return hash >>> 0;
}

/** Returns a generator of numbers from 0 to 1 that depends only on the seed (mulberry32). */
export function numbersFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

export type Motif = (typeof MOTIFS)[number];

export const MOTIFS = [
  ...(['gems', 'moon', 'sea', 'temple', 'fire', 'fruit', 'crown', 'space', 'book', 'coins'] as const),
  ...(['candy', 'wheel', 'table'] as const),
] as const;

/** Words in a slug that choose the motif. The first match counts. */
const WORDS: readonly (readonly [RegExp, Motif])[] = [
  [/gem|jewel|diamond|crystal|opal|ruby|amber|azure/, 'gems'],
  [/moon|wolf|night|howl|shadow/, 'moon'],
  [/sea|ocean|pirate|ship|tide|harbour|pearl/, 'sea'],
  [/pyramid|temple|pharaoh|sun|aztec|nile/, 'temple'],
  [/fire|dragon|inferno|ember|blaze|hot/, 'fire'],
  [/fruit|orchard|cherry|lemon|berry|seven/, 'fruit'],
  [/king|queen|crown|royal\b|empire/, 'crown'],
  [/star|space|cosmic|planet|orbit|galaxy|comet/, 'space'],
  [/book|legend|scroll|saga|secret/, 'book'],
  [/wheel|show|spin/, 'wheel'],
  [/live|blackjack|roulette|baccarat|table|lounge/, 'table'],
  [/coin|gold|clover|luck|rich|pot/, 'coins'],
  [/candy|sweet|sugar|bonbon/, 'candy'],
];

/** The wheel and the table are left out, because they would promise a live game. */
const BY_CHANCE = MOTIFS.slice(0, -2);

/** Returns the motif that a word of the slug chooses, or otherwise one by the slug's hash. */
export const motifOf = (slug: string): Motif =>
  WORDS.find(([word]) => word.test(slug))?.[1] ?? BY_CHANCE[(hashOf(slug) >>> 8) % BY_CHANCE.length]!;

/** Names that are longer than this get a third line. */
const LONG = 22;

/** Splits a name between words into lines whose longest one is as short as possible. */
export function linesOf(name: string): string[] {
  const words = name.split(' ');
  return inLines(words, Math.min(words.length, name.length > LONG ? 3 : 2));
}

function inLines(words: readonly string[], count: number): string[] {
  if (count === 1) return [words.join(' ')];
  const longest = (lines: readonly string[]) => Math.max(...lines.map(({ length }) => length));
  const ways = Array.from({ length: words.length - count + 1 }, (_, i) => [
    words.slice(0, i + 1).join(' '),
    ...inLines(words.slice(i + 1), count - 1),
  ]);
  return ways.reduce((best, lines) => (longest(lines) < longest(best) ? lines : best));
}

/** Returns printable text in one line, at most `length` characters long. XML forbids most control characters. */
export function printable(text: string, length: number): string {
  const plain = text.replace(/[^\p{L}\p{M}\p{N}\p{P}\p{S}]+/gu, ' ').trim();
  const characters = [...plain];
  if (characters.length <= length) return plain;
  return `${characters
    .slice(0, length - 1)
    .join('')
    .trimEnd()}…`;
}

/** Escapes text for XML. */
export const escapeXml = (text: string): string =>
  text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
