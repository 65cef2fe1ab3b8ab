import { readFileSync } from 'node:fs';
import type { FastifyInstance } from 'fastify';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Player, startApp } from './kit/app.ts';
import { fixture } from './kit/fixture.ts';
import { fingerprint } from './kit/http/fingerprint.ts';
import { rawRequest } from './kit/http/raw-http.ts';
import { type Elsewhere, startElsewhere } from './kit/processes/environments.ts';

const elsewhere = {} as Record<'local' | 'staging' | 'production' | 'productionBackoffice', Elsewhere>;
const app = fixture(startApp);
beforeAll(async () => {
  elsewhere.local = await startElsewhere(app, 'local');
  elsewhere.staging = await startElsewhere(app, 'staging');
  elsewhere.production = await startElsewhere(app, 'production');
  elsewhere.productionBackoffice = await startElsewhere(app, 'production', { part: 'backoffice' });
});
afterAll(async () => {
  for (const one of Object.values(elsewhere)) await one.stop();
});

/** Returns the actual routes as the router lists them, in the form "METHOD /path/{}". */
function served(instance: FastifyInstance): string[] {
  return routed(instance).filter((operation) => !operation.startsWith('HEAD '));
}

/** Like `served`, but includes HEAD routes, which the router adds to each GET. */
function routed(instance: FastifyInstance): string[] {
  const parents: string[] = [];
  return instance
    .printRoutes({ commonPrefix: false })
    .split('\n')
    .flatMap((line) => {
      const [, indent, part, methods = ''] = /^([│ ]*)[├└]── (\S*?)(?: \(([A-Z, ]+)\))?$/.exec(line) ?? [];
      if (indent === undefined) return [];
      parents.length = indent.length / 4;
      parents.push(part!);
      const path = parents.join('').replace(/:\w+/g, '{}');
      return methods
        .split(', ')
        .filter(Boolean)
        .map((method) => `${method} ${path}`);
    })
    .sort();
}

/** Routes that every service has in addition to its operations. */
const SURROUNDINGS = ['GET /', 'GET /metrics', 'GET /openapi.json', 'OPTIONS *'];

/** Routes of the documentation and the API reference, which the main API has unless the reference is disabled. */
const REFERENCE = [
  'GET /docs',
  'GET /docs/',
  'GET /docs/*',
  'GET /docs/api',
  'GET /docs/api/',
  'GET /docs/api/js/scalar.js',
  'GET /docs/js/scalar.js',
];

const servedApp = (base: string) => [`GET ${base}`, `GET ${base}/`, `GET ${base}/*`, `GET ${base}/assets/{}`];
/**
 * Routes of the main API besides its operations: uploaded files, the operator's brand, the applications for staff and players, the page that
 * verifies bets, and the documentation of the sockets.
 */
const FILES = [
  'GET /art/{}',
  'GET /asyncapi.json',
  'GET /brand/{}',
  ...servedApp('/console'),
  'GET /docs/events',
  'GET /files/{}/{}',
  ...servedApp('/play'),
  'GET /play/leave',
  'GET /play/manifest.webmanifest',
  'GET /verify',
];

type Operations = Record<string, Record<string, { tags: string[] }>>;
function promised(file: 'main' | 'backoffice'): Promised[] {
  const { paths } = JSON.parse(readFileSync(`docs/openapi/${file}.json`, 'utf8')) as { paths: Operations };
  return Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, { tags }]) => ({
      operation: `${method.toUpperCase()} ${path.replace(/\{\w+\}/g, '{}')}`,
      tag: tags[0]!,
    })),
  );
}
const DEBUG_TAGS = ['Debug', 'queue debug'];
type Promised = { operation: string; tag: string };
const operations = (file: 'main' | 'backoffice', keep: (promised: Promised) => boolean) =>
  promised(file)
    .flatMap((one) => (keep(one) ? [one.operation] : []))
    .sort();
/** Debug operations exist only for development. They include starting a round with chosen cards, although this is a casino operation. */
const isDebug = ({ operation, tag }: Promised) =>
  DEBUG_TAGS.includes(tag) || operation.endsWith('/blackjack/initDebug');

describe('the route inventory', () => {
  test('matches the contract in local and test, and omits debug routes in staging and production', () => {
    // Duplicates are removed, because in development a debug operation has the same address as the root page.
    const all = [
      ...new Set([...operations('main', () => true), ...SURROUNDINGS, ...REFERENCE, ...FILES]),
    ].sort();
    const deployed = [...operations('main', (one) => !isDebug(one)), ...SURROUNDINGS, ...FILES].sort();
    expect(all.length).toBeGreaterThan(deployed.length);
    for (const instance of [app.app, elsewhere.local.app]) expect(served(instance)).toEqual(all);
    for (const name of ['staging', 'production'] as const)
      expect(served(elsewhere[name].app), name).toEqual(deployed);
    const backoffice = operations('backoffice', (one) => !isDebug(one));
    expect(served(elsewhere.productionBackoffice.app)).toEqual(
      [...backoffice, ...SURROUNDINGS, 'GET /art/{}'].sort(),
    );
  });

  test('contains no debug route in the API document of a production service', async () => {
    for (const { call, app: instance } of [elsewhere.production, elsewhere.productionBackoffice]) {
      const { text, body } = await call('GET', '/openapi.json');
      // The word "debug" may occur in the document only as the name of a log level.
      expect(text.replaceAll('"debug"', '')).not.toMatch(/debug/i);
      const paths = Object.keys(body.paths).length;
      expect(paths).toBeGreaterThan(0);
      expect(served(instance).length).toBeGreaterThanOrEqual(paths);
    }
  });

  test('serves no debug route in staging and production, whatever the spelling of its path', async () => {
    const boss = await app.as('superadmin');
    const debug = operations('main', isDebug);
    expect(debug).toContain('GET /debug/me/give-admin');
    expect(debug).toContain('POST /casino/games/house/blackjack/initDebug');
    const before = await fingerprint(app.db);
    for (const { url } of [elsewhere.staging, elsewhere.production])
      for (const operation of debug)
        for (const [method, path] of spellings(operation, boss.username)) {
          // In other environments, the root page is a list of links.
          if (/^\/(\?|$)/.test(path)) continue;
          const answer = await rawRequest(url, method, path, { headers: allowed(boss) });
          const isBare = method === 'HEAD' || method === 'OPTIONS';
          expect(`${answer.status} ${isBare || answer.body.code}`, `${method} ${path}`).toBe(
            `404 ${isBare || 'NOT_FOUND'}`,
          );
        }
    expect(await fingerprint(app.db)).toEqual(before);
  });

  test('serves HEAD for every GET that only reads, without changing anything', async () => {
    const player = await app.newPlayer({ usdt: 5 });
    const before = await fingerprint(app.db);
    const refused: string[] = [];
    for (const { url, app: instance } of [app, elsewhere.production, elsewhere.productionBackoffice]) {
      const all = routed(instance);
      for (const operation of all.filter((o) => o.startsWith('GET '))) {
        const path = operation.slice(4).replace('{}', '1');
        const query = path.endsWith('give-money') ? '?amount=5' : '';
        const headers = { authorization: `Bearer ${player.token}` };
        const { status, text } = await rawRequest(url, 'HEAD', path + query, { headers });
        expect(text, path).toBe('');
        if (status === 405) refused.push(path);
        expect(all.includes(operation.replace('GET', 'HEAD')), path).toBe(status !== 405);
      }
    }
    expect([...new Set(refused)].length).toBeGreaterThan(3);
    const after = await fingerprint(app.db);
    // Requests change these tables. The first request for the sportsbook key creates the key, and every request is counted.
    for (const table of ['sportsbook_keys', 'rate_limits']) delete after[table];
    expect(before).toMatchObject(after);
  });
});

const allowed = ({ token }: Player) => ({
  authorization: `Bearer ${token}`,
  'debug-token': 'test-debug-token',
  'x-http-method-override': 'GET',
  'x-original-url': '/debug/me/give-admin?debug_token=test-debug-token',
});

function spellings(operation: string, username: string): [method: string, path: string][] {
  const [method, shape] = operation.split(' ') as [string, string];
  const plain = shape.replace('{}', username);
  const query = '?debug_token=test-debug-token&amount=5';
  const paths = [
    plain,
    `${plain}/`,
    `${plain}//`,
    `/${plain}`,
    plain.replaceAll('/', '//'),
    plain.toUpperCase(),
    plain.replace(/\w/, (c) => c.toUpperCase()),
    plain.replaceAll('/', '%2f').replace('%2f', '/'),
    plain.replaceAll('/', '%2F').replace('%2F', '/%2F'),
    plain.replaceAll('/', '%252f').replace('%252f', '/'),
    plain.replace('d', '%64'),
    `/health/..${plain}`,
    `/health/%2e%2e${plain}`,
    `/.${plain}`,
    `${plain}%00`,
    `${plain}%20`,
    `${plain};x=1`,
    `${plain}.json`,
    `/api${plain}`,
    plain.replaceAll('/', '\\').replace('\\', '/'),
  ];
  const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS'];
  return [
    ...methods.map((m): [string, string] => [m, plain + query]),
    ...paths.map((p): [string, string] => [method, p + query]),
  ];
}
