import { execFile } from 'node:child_process';
import { globSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, expect, test } from 'vitest';

const ASSETS = 'dist/web/console/assets';
/** Gzip, in kB. */
const FIRST_VISIT = 110;
const PAGE = 10;
/** What is loaded beside pages, by the beginning of its file: charts by pages that draw, the socket after the first paint. */
const APART = { chart: 25, client: 20 };
const KIT_LINES = 1500;

beforeAll(async () => {
  // Builds nothing where it is as its sources are.
  await promisify(execFile)(process.execPath, ['scripts/web.ts']);
});

const files = () => readdirSync(ASSETS).filter((name) => /\.(js|css)$/.test(name));
const kB = (names: readonly string[]) =>
  names.reduce((sum, name) => sum + statSync(join(ASSETS, `${name}.gz`)).size, 0) / 1000;
/** What a page names, with all that those import at once. */
function loadedBy(text: string, found = new Set<string>()): Set<string> {
  const names = files().filter((name) => text.includes(name) && !found.has(name));
  for (const name of names) found.add(name);
  for (const name of names) loadedBy(importsOf(name), found);
  return found;
}
const importsOf = (name: string) =>
  [...readFileSync(join(ASSETS, name), 'utf8').matchAll(/(?:from|import)\s*["'](\.\/[^"']+)["']/g)]
    .map((match) => match[1])
    .join(' ');
const first = () => loadedBy(readFileSync('dist/web/console/index.html', 'utf8'));

test('the first visit of the console', () => {
  const names = [...first()];
  expect(names.length).toBeGreaterThan(1);
  expect(kB(names), `${names.join(', ')} in kB`).toBeLessThanOrEqual(FIRST_VISIT);
});

const isApart = (name: string) => Object.keys(APART).some((start) => name.startsWith(`${start}-`));

test('charts and the socket', () => {
  for (const [start, most] of Object.entries(APART)) {
    const found = files().filter((name) => name.startsWith(`${start}-`));
    expect(found.length, start).toBeGreaterThan(0);
    expect(kB(found), `${found.join(', ')} in kB`).toBeLessThanOrEqual(most);
  }
});

test('every page, with what it alone brings', () => {
  const before = first();
  const pages = files().filter((name) => name.endsWith('.js') && !before.has(name) && !isApart(name));
  expect(pages.length).toBeGreaterThan(10);
  for (const name of pages) {
    const own = [...loadedBy(importsOf(name), new Set([name]))].filter(
      (one) => !before.has(one) && !isApart(one),
    );
    expect(kB(own), `${own.join(', ')} in kB`).toBeLessThanOrEqual(PAGE);
  }
});

test('the kit is small', () => {
  const lines = globSync('web/kit/*.{ts,tsx}').map(
    (file) => readFileSync(file, 'utf8').split('\n').length - 1,
  );
  expect(
    lines.reduce((sum, one) => sum + one, 0),
    'lines of the kit',
  ).toBeLessThanOrEqual(KIT_LINES);
});
