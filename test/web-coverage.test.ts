import { globSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { RIGHTS } from '../client/api.ts';

/** Staff operations that no screen uses, each with its reason. */
const WITHOUT_SCREEN: Readonly<Record<string, string>> = {
  'GET /admin/payments/withdraw/stats':
    'the console counts the lists themselves, so that a count equals its list',
};

const paths = JSON.parse(readFileSync('docs/openapi/main.json', 'utf8')).paths as Record<string, object>;
const operations = Object.entries(paths).flatMap(([path, methods]) =>
  Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
);
const ofStaff = operations.filter((op) => op in RIGHTS);
const literalsOf = (files: string[]): ReadonlySet<string> =>
  new Set(
    globSync(files).flatMap((file) =>
      [...readFileSync(file, 'utf8').matchAll(/['"]([A-Z]+ \/[^'"]*)['"]/g)].map((m) => m[1]!),
    ),
  );
const literals = literalsOf(['web/console/**/*.{ts,tsx}']);

test('uses every staff operation in a screen', () => {
  expect(ofStaff.length).toBeGreaterThan(100);
  const unused = ofStaff.filter((op) => !literals.has(op) && !(op in WITHOUT_SCREEN));
  expect(unused).toEqual([]);
});

test('lists no exception for an operation that a screen uses or that does not exist', () => {
  const wrong = Object.keys(WITHOUT_SCREEN).filter((op) => literals.has(op) || !ofStaff.includes(op));
  expect(wrong).toEqual([]);
});

test('lists the required permission in staff-only operations', () => {
  const open = operations.filter((op) => /^\S+ \/admin\//.test(op) && !(op in RIGHTS));
  expect(open).toEqual([]);
});

/** Player operations that no page calls, by the beginning of their path or by name, each with its reason. */
const WITHOUT_PAGE: Readonly<Record<string, string>> = {
  '/webhooks/': 'providers call it',
  '/sportsbook/external/': 'the sportsbook calls it',
  '/external/': 'partners call it with a key',
  '/external-auth/': 'the CRM calls it with a key',
  '/marketing/': 'the CRM calls it with a key',
  '/debug/': 'for tests, never in production',
  '/health': 'monitoring calls it',
  '/version': 'monitoring calls it',
  'POST /casino/games/house/blackjack/initDebug': 'for tests, never in production',
  'POST /send-message': 'for tests of the queue',
  'POST /emit-event': 'for tests of the queue',
  'GET /': 'for tests of the queue',
  'DELETE /': 'for tests of the queue',
  'GET /messages': 'for tests of the queue',
  'GET /covers/{slug}.svg': 'images in the catalogue lead there',
  'GET /auth/google': 'a link leads there',
  'GET /auth/google/callback': 'the provider leads there',
  'POST /auth/google/callback': 'the provider redirects there',
  'GET /auth/steam': 'a link leads there',
  'GET /auth/steam/return': 'the provider leads there',
  'POST /auth/steam/return': 'the provider redirects there',
};
const isCoveredBy = (exception: string, op: string): boolean =>
  exception.startsWith('/') ? op.split(' ')[1]!.startsWith(exception) : op === exception;

const ofPlayers = operations.filter((op) => !(op in RIGHTS) && !/^\S+ \/admin\//.test(op));
const inPages = literalsOf(['{web/lobby,web/kit}/**/*.{ts,tsx}', 'client/call.ts']);

test('uses every player operation in a page', () => {
  expect(ofPlayers.length).toBeGreaterThan(100);
  const unused = ofPlayers.filter((op) => !inPages.has(op));
  const missing = unused.filter((op) => !Object.keys(WITHOUT_PAGE).some((one) => isCoveredBy(one, op)));
  expect(missing).toEqual([]);
});

test('lists no exception for an operation that a page uses or that does not exist', () => {
  const wrong = Object.keys(WITHOUT_PAGE).filter((exception) => {
    const covered = ofPlayers.filter((op) => isCoveredBy(exception, op));
    return covered.length === 0 || covered.some((op) => inPages.has(op));
  });
  expect(wrong).toEqual([]);
});
