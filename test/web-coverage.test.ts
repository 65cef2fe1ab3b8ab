import { globSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { RIGHTS } from '../client/api.ts';

/** Operations of staff that no screen uses, each with its reason. */
const WITHOUT_SCREEN: Readonly<Record<string, string>> = {};

const paths = JSON.parse(readFileSync('docs/openapi/main.json', 'utf8')).paths as Record<string, object>;
const operations = Object.entries(paths).flatMap(([path, methods]) =>
  Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
);
const ofStaff = operations.filter((op) => op in RIGHTS);
const sources = globSync('web/console/**/*.{ts,tsx}').map((file) => readFileSync(file, 'utf8'));
const literals = new Set(
  sources.flatMap((source) => [...source.matchAll(/'([A-Z]+ \/[^']*)'/g)].map((m) => m[1]!)),
);

test('every operation of staff is used by a screen', () => {
  expect(ofStaff.length).toBeGreaterThan(100);
  const unused = ofStaff.filter((op) => !literals.has(op) && !(op in WITHOUT_SCREEN));
  expect(unused).toEqual([]);
});

test('what a screen uses, or is not there, is no exception', () => {
  const wrong = Object.keys(WITHOUT_SCREEN).filter((op) => literals.has(op) || !ofStaff.includes(op));
  expect(wrong).toEqual([]);
});

test('operations that only staff calls name the right that they need', () => {
  const open = operations.filter((op) => /^\S+ \/admin\//.test(op) && !(op in RIGHTS));
  expect(open).toEqual([]);
});
