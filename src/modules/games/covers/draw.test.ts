import fc from 'fast-check';
import { expect, test } from 'vitest';
import { drawCover } from './draw.ts';
import { DRAWINGS, PALETTES } from './motifs.ts';
import {
  type Covered,
  coverAddress,
  escapeXml,
  hashOf,
  linesOf,
  MOTIFS,
  motifOf,
  numbersFrom,
  picturesOf,
  printable,
} from './rules.ts';

const SEED = { seed: 36 };
const anyText = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 120 }),
  fc.string({ unit: 'grapheme', maxLength: 120 }),
  fc.constantFrom(
    '<svg onload="x">',
    '&amp;',
    ']]>',
    '"\'',
    '\u0000\u0007',
    '\ud800',
    '𝔸ß'.repeat(60),
    '﷽'.repeat(40),
  ),
);
const slug = fc.stringMatching(/^[a-z0-9][a-z0-9-]{0,55}$/);
const anyGame: fc.Arbitrary<Covered> = fc.record({ slug, name: anyText, providerName: fc.option(anyText) });

const TAG = /^<(\/?)([a-zA-Z]+)((?: [a-zA-Z-]+[12]?="(?:[^"<&]|&#\d+;)*")*)(\/?)>/;
const TEXT = /^(?:[^<&>]|&#\d+;)+/;

/** Parses a document that consists of elements and text. Returns the names of its elements and attributes. Throws if it is malformed. */
function namesIn(xml: string): Set<string> {
  const names = new Set<string>();
  const open: string[] = [];
  let rest = xml;
  while (rest !== '') {
    const [all = '', isEnd, name = '', attributes = '', isEmpty] = TAG.exec(rest) ?? TEXT.exec(rest) ?? [];
    if (all === '' || (name === '' && open.length === 0))
      throw new Error(`malformed at ${rest.slice(0, 40)}`);
    if (isEnd && open.pop() !== name) throw new Error(`${name} is closed but not open`);
    if (name && !isEnd && !isEmpty) open.push(name);
    if (name) names.add(name);
    for (const [, attribute] of attributes.matchAll(/ ([a-zA-Z-]+[12]?)="[^"]*"/g)) names.add(attribute!);
    rest = rest.slice(all.length);
  }
  if (open.length > 0) throw new Error(`${open} are not closed`);
  return names;
}

test('draws well-formed XML of at most 4 kB with only printable characters, whatever the name is', () => {
  fc.assert(
    fc.property(anyGame, (game) => {
      const svg = drawCover(game);
      for (const name of namesIn(svg))
        expect(name).not.toMatch(/^(script|style|image|a|use|foreignObject|href|on.*)$/i);
      expect(Buffer.byteLength(svg)).toBeLessThanOrEqual(4096);
      expect(svg.isWellFormed()).toBe(true);
      expect(svg).not.toMatch(/\p{Cc}|\uFFFE|\uFFFF|"(?:NaN|undefined|Infinity)/u);
    }),
    { ...SEED, numRuns: 500 },
  );
});

test('draws every motif on every palette within the limit', () => {
  const longest = { name: '&'.repeat(200), providerName: '&'.repeat(200) };
  const drawn = new Set<string>();
  for (let i = 0; drawn.size < MOTIFS.length * PALETTES.length && i < 20_000; i++) {
    const game = { slug: `${['', 'gem-', 'live-', 'wheel-', 'candy-', 'book-'][i % 6]}${i}`, ...longest };
    const svg = drawCover(game);
    drawn.add(`${motifOf(game.slug)} ${/stop-color="([^"]+)"/.exec(svg)![1]}`);
    expect(Buffer.byteLength(svg)).toBeLessThanOrEqual(4096);
  }
  expect(drawn.size).toBe(130);
  expect(new Set(Object.keys(DRAWINGS))).toEqual(new Set(MOTIFS));
});

test('draws the same cover for the same game, with an address that changes with everything that the cover shows', () => {
  fc.assert(
    fc.property(anyGame, anyGame, (a, b) => {
      expect(drawCover({ ...a })).toBe(drawCover(a));
      expect(coverAddress({ ...a })).toBe(coverAddress(a));
      if (drawCover(a) !== drawCover(b)) expect(coverAddress(a)).not.toBe(coverAddress(b));
    }),
    SEED,
  );
});

test.each([
  ['gem-rush', 'gems'],
  ['moon-wolf', 'moon'],
  ['pirate-bay', 'sea'],
  ['pharaohs', 'temple'],
  ['dragons', 'fire'],
  ['royal-fruits', 'fruit'],
  ['royal-flush', 'crown'],
  ['galaxy-x', 'space'],
  ['old-scroll', 'book'],
  ['game-show', 'wheel'],
  ['baccarat-a', 'table'],
  ['lucky-7', 'coins'],
  ['sugar', 'candy'],
])('chooses the motif of %s by its words: %s', (word, motif) => {
  expect(motifOf(word)).toBe(motif);
});

test('promises no live game unless the slug names one', () => {
  for (let i = 0; i < 500; i++) expect(['wheel', 'table']).not.toContain(motifOf(`x${i}`));
});

test.each([
  ['Candy', ['Candy']],
  ['Gem Rush', ['Gem', 'Rush']],
  ['Book of Secrets', ['Book of', 'Secrets']],
  ['The Extraordinary Adventures of Long Names', ['The Extraordinary', 'Adventures', 'of Long Names']],
])('splits %s into short lines', (name, lines) => {
  expect(linesOf(name)).toEqual(lines);
});

test('shortens long text and replaces characters that cannot be printed', () => {
  expect(printable('a\u0000b\n c', 10)).toBe('a b c');
  expect(printable('abcdef', 4)).toBe('abc…');
  expect(printable('ab cdef', 4)).toBe('ab…');
  expect(printable('abcd', 4)).toBe('abcd');
  expect(printable(' ab ', 2)).toBe('ab');
  expect(escapeXml(`<a b="c">'&`)).toBe('&#60;a b=&#34;c&#34;&#62;&#39;&#38;');
});

test('matches the published vectors of FNV-1a', () => {
  expect(['', 'a', 'foobar'].map(hashOf)).toEqual([0x811c9dc5, 0xe40c292c, 0xbf9cf968]);
});

// The covers and addresses of existing games change when these numbers change.
test('generates the same numbers from the same seed in every version', () => {
  const next = numbersFrom(1);
  expect([next(), next(), next()]).toMatchInlineSnapshot(`
    [
      0.6270739405881613,
      0.002735721180215478,
      0.5274470399599522,
    ]
  `);
});

test('uses custom pictures, or else those of the provider, or else the drawn cover', () => {
  const game = { slug: 'gem-rush', name: 'Gem Rush', providerName: 'Acme' };
  expect(picturesOf({ ...game, images: ['/a.png'], customImages: ['/b.png', '/c.png'] })).toEqual([
    '/b.png',
    '/c.png',
  ]);
  expect(picturesOf({ ...game, images: ['/a.png'], customImages: [] })).toEqual(['/a.png']);
  const cover = picturesOf({ ...game, images: [], customImages: [] });
  expect(cover).toEqual([coverAddress(game)]);
  for (const other of [{ slug: 'gems' }, { name: 'Gem rush' }, { providerName: null }])
    expect(coverAddress({ ...game, ...other }).split('v=')[1]).not.toBe(cover[0]!.split('v=')[1]);
});
