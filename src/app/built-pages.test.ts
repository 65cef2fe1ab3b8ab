import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeEach, expect, test } from 'vitest';
import { hashPageSources, PAGES_MARK, warnOfPages } from './built-pages.ts';

const root = mkdtempSync(join(tmpdir(), 'croupier-pages-'));
const write = (file: string, text: string) => {
  mkdirSync(dirname(join(root, file)), { recursive: true });
  writeFileSync(join(root, file), text);
};
const warnings = () => {
  const lines: [unknown, string][] = [];
  warnOfPages(root, { warn: (fields, message) => lines.push([fields, message]) });
  return lines;
};
const remedy = { remedy: expect.stringContaining('npm run web') };

beforeEach(() => {
  rmSync(root, { recursive: true });
  write('web/build.ts', '');
  write('web/lobby/main.tsx', 'first');
});
afterAll(() => rmSync(root, { recursive: true }));

test('warns when the pages are not built', () => {
  expect(warnings()).toEqual([[remedy, expect.stringContaining('not built')]]);
});

test('warns when the pages were built from other sources', () => {
  write(PAGES_MARK, hashPageSources(root));
  expect(warnings()).toEqual([]);
  write('web/lobby/main.tsx', 'second');
  expect(warnings()).toEqual([[remedy, expect.stringContaining('another version')]]);
});

test('accepts the built pages of a container image, which contains no sources', () => {
  write(PAGES_MARK, hashPageSources(root));
  rmSync(join(root, 'web'), { recursive: true });
  expect(warnings()).toEqual([]);
});
