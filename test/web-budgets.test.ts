import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';

/**
 * Maximum sizes in kB after gzip: of the first visit (`first`), and of a page or a game with its own files (`page`, `games`). `apart`
 * contains the sizes of other files by the beginning of their name.
 */
type Budget = {
  first: number;
  page: number;
  games: Readonly<Record<string, number>>;
  apart: Readonly<Record<string, number>>;
};

const GAMES = [
  'dice',
  'limbo',
  'keno',
  'plinko',
  'roulette',
  'mines',
  'monkey-run',
  'blackjack',
  'speed-roulette',
];
/** Chunks outside the page budgets. Pages with charts load `chart`; pages with forms load `forms`; pages with tables or amounts load `tables`;
 * every page loads `client` after the first paint, and `lists` when it is idle. */
const APART = { client: 20, forms: 8, tables: 3.2 };
const BUDGETS: Readonly<Record<'console' | 'lobby', Budget>> = {
  // `list-page` is the engine of the console's lists, `review-frame` that of its queues, `suggest` the fields that suggest values, and `palette` is loaded when it is opened.
  console: {
    first: 140,
    page: 10,
    games: {},
    apart: {
      ...APART,
      chart: 25,
      waiting: 3,
      lists: 55,
      'list-page': 10,
      'review-frame': 4,
      suggest: 3,
      palette: 4.5,
    },
  },
  lobby: {
    first: 130,
    page: 10,
    // `panel` is the frame that the games share. It is part of each of them.
    games: Object.fromEntries([...GAMES, 'panel'].map((game) => [game, 20])),
    // `auto-fields`, `below`, `big-win` and `series` are loaded by `panel`, which is part of each game already.
    // `drawer` and `last-bet` are the proof of a bet with the rules of all games. They are loaded when the proof is shown.
    apart: {
      ...APART,
      'auto-fields': 2,
      below: 2,
      'big-win': 1,
      series: 2,
      drawer: 9,
      'last-bet': 14,
      lists: 55,
      codes: 5,
      'code-prompt': 4,
    },
  },
};
describe.each(Object.entries(BUDGETS))('%s', (name, budget) => {
  const folder = `dist/web/${name}`;
  const assets = join(folder, 'assets');
  const files = () => readdirSync(assets).filter((file) => /\.(js|css)$/.test(file));
  const kB = (names: readonly string[]) =>
    names.reduce((sum, file) => sum + statSync(join(assets, `${file}.gz`)).size, 0) / 1000;
  const importsOf = (file: string) =>
    [...readFileSync(join(assets, file), 'utf8').matchAll(/(?:from|import)\s*["'](\.\/[^"']+)["']/g)]
      .map((match) => match[1])
      .join(' ');
  /** Returns the files that are named in a string, and all files that they import statically. */
  const loadedBy = (text: string, found = new Set<string>()): Set<string> => {
    const names = files().filter((file) => text.includes(file) && !found.has(file));
    for (const file of names) found.add(file);
    for (const file of names) loadedBy(importsOf(file), found);
    return found;
  };
  const first = () => loadedBy(readFileSync(join(folder, 'index.html'), 'utf8'));
  /** Returns the files with the texts of the user interface. A page also waits for one of these files. */
  const awaited = () => files().filter((file) => /^(en|de|es|pt)-.{8}[.]js$/.test(file));
  const startsWith = (file: string, start: string) => new RegExp(`^${start}([.]..)?-.{8}[.]`).test(file);
  const isApart = (file: string) => Object.keys(budget.apart).some((start) => startsWith(file, start));

  test('limits the size of the first visit', () => {
    const names = [...first()];
    expect(names.length).toBeGreaterThan(1);
    const words = Math.max(0, ...awaited().map((file) => kB([file])));
    // The font and the icons are compressed already, or loaded with the first paint.
    const others = readdirSync(assets).filter((file) => /\.woff2$|^icons-.*\.svg\.gz$/.test(file));
    const kept = others.reduce((sum, file) => sum + statSync(join(assets, file)).size, 0) / 1000;
    expect(kB(names) + words + kept, `${names.join(', ')} in kB`).toBeLessThanOrEqual(budget.first);
  });

  test('limits the files that are loaded in addition to pages', () => {
    for (const [start, most] of Object.entries(budget.apart)) {
      const found = files().filter((file) => startsWith(file, start));
      expect(found.length, start).toBeGreaterThan(0);
      for (const file of found) expect(kB([file]), file).toBeLessThanOrEqual(most);
    }
  });

  test('limits the size of every page and the files that only this page loads', () => {
    const before = first();
    const pages = files().filter((file) => file.endsWith('.js') && !before.has(file) && !isApart(file));
    expect(pages.length).toBeGreaterThan(10);
    for (const file of pages) {
      const own = [...loadedBy(importsOf(file), new Set([file]))].filter(
        (one) => !before.has(one) && !isApart(one),
      );
      const game = Object.keys(budget.games).find((one) => startsWith(file, one));
      expect(kB(own), `${own.join(', ')} in kB`).toBeLessThanOrEqual(
        game ? budget.games[game]! : budget.page,
      );
    }
  });
});
