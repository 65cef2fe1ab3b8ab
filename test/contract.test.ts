import { execFile } from 'node:child_process';
import { existsSync, readFileSync, realpathSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { documents } from '../scripts/openapi.ts';
import { startApp } from './kit/app.ts';
import { fixture } from './kit/fixture.ts';
import { dialectOf } from './kit/games/supplier-calls.ts';
import { lookUp, operationsOf } from './kit/http/openapi.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const CHECK = fileURLToPath(new URL('../../shared/spec/contract/check.mjs', import.meta.url));
const committed = (name: string) => readFileSync(`${ROOT}docs/openapi/${name}`, 'utf8');
const NAMES = ['main.json', 'backoffice.json'] as const;

const main = fixture(startApp);
const backoffice = fixture(() => startApp({ part: 'backoffice', database: main.database }));

test('matches the committed documents to the routes', () => {
  for (const [name, text] of Object.entries(documents())) {
    expect(committed(name) === text, `docs/openapi/${name} is not up to date: npm run build openapi`).toBe(
      true,
    );
  }
});

test('serves the committed document of each service', async () => {
  for (const [app, name] of [
    [main, 'main.json'],
    [backoffice, 'backoffice.json'],
  ] as const) {
    expect((await app.call('GET', '/openapi.json')).body).toEqual(JSON.parse(committed(name)));
  }
});

test('matches every operation to the interface contract', async () => {
  if (!existsSync(CHECK)) return console.log('the interface contract is not here: nothing to compare with');
  const files = ['--main', 'docs/openapi/main.json', '--backoffice', 'docs/openapi/backoffice.json'];
  const args = [realpathSync(CHECK), ...files, '--allow-missing', '--json'];
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: ROOT }).catch(
    (failed) => failed,
  );
  const report = JSON.parse(stdout);
  expect(report.total).toBeGreaterThan(300);
  expect(report.agrees).toBeGreaterThan(20);
  expect(report.results.filter((r: { state: string }) => !['agrees', 'missing'].includes(r.state))).toEqual(
    [],
  );
  // Operations that the contract does not cover: callbacks and book differences of suppliers, series of bets,
  // rollbacks of settled bets, lost second factors, passkeys, email changes, private pictures, the console's chat,
  // the public commitments of speed-roulette, the turnover of self-excluded players, the lobby of visitors, confirmed sessions, roles,
  // saved views of the console, tags of users, and the search and the overview of a user for staff.
  const series = ['dice', 'keno', 'limbo', 'plinko', 'roulette'].map(
    (game) => `main POST /casino/games/house/${game}/series`,
  );
  const suppliers = (extra: string) => /^main POST \/webhooks\/games\/\{provider\}\//.test(extra);
  expect(report.extra.filter(suppliers)).toHaveLength(18);
  expect(report.extra.filter((extra: string) => !suppliers(extra)).toSorted()).toEqual([
    'backoffice DELETE /user/{id}/mfa',
    'backoffice GET /deposit/review',
    'backoffice POST /deposit/{id}/review',
    'backoffice POST /deposit/{id}/review/approve',
    'backoffice POST /deposit/{id}/review/reject',
    'main DELETE /admin/roles/{name}',
    'main DELETE /admin/user/{id}/mfa',
    'main DELETE /user/email/change',
    'main DELETE /user/passkeys/{id}',
    'main GET /admin/approvals',
    'main GET /admin/casino/findings',
    'main GET /admin/chat/messages',
    'main GET /admin/config/{code}',
    'main GET /admin/payments/deposit/review',
    'main GET /admin/roles',
    'main GET /admin/roles/{name}',
    'main GET /admin/search',
    'main GET /admin/user-tags',
    'main GET /admin/users/{id}/connections',
    'main GET /admin/users/{id}/gate',
    'main GET /admin/users/{id}/timeline',
    'main GET /admin/views/{list}',
    'main GET /admin/vip-application/image/{imageId}',
    'main GET /covers/{slug}.svg',
    'main GET /fairness/chains',
    'main GET /notifications/unread',
    'main GET /public/casino/games',
    'main GET /public/casino/games/categories',
    'main GET /public/casino/games/house/configs',
    'main GET /public/casino/games/main',
    'main GET /public/casino/games/providers',
    'main GET /public/casino/games/{slug}',
    'main GET /public/live-bets',
    'main GET /public/promo',
    'main GET /user/email/change',
    'main GET /user/passkeys',
    'main GET /vip-application/image/{imageId}',
    'main PATCH /user/passkeys/{id}',
    'main POST /admin/admin-tips/end-turnover',
    'main POST /admin/bets/{betId}/rollback',
    'main POST /admin/casino/findings/{id}/apply',
    'main POST /admin/casino/findings/{id}/close',
    'main POST /admin/chat/admin-action',
    'main POST /admin/leaderboards',
    'main POST /admin/leaderboards/{leaderboardId}/cancel',
    'main POST /admin/payments/deposit/{id}/review',
    'main POST /admin/payments/deposit/{id}/review/approve',
    'main POST /admin/payments/deposit/{id}/review/reject',
    'main POST /admin/roles',
    'main POST /admin/roles/{name}/copy',
    'main POST /admin/user-tags',
    'main POST /auth/google/callback',
    'main POST /auth/socket-token',
    'main POST /auth/steam/return',
    ...series,
    'main POST /session/confirm',
    'main POST /user/email/change',
    'main POST /user/email/confirm',
    'main POST /user/passkeys',
    'main POST /user/passkeys/proof',
    'main POST /user/passkeys/proof/options',
    'main POST /user/passkeys/registration/options',
    'main POST /user/passkeys/second-factor',
    'main POST /user/passkeys/second-factor/options',
    'main POST /user/passkeys/sign-in',
    'main POST /user/passkeys/sign-in/options',
    'main PUT /admin/roles/{name}',
    'main PUT /admin/views/{list}',
  ]);
});

describe.each(NAMES)('%s', (name) => {
  const document = JSON.parse(committed(name));
  const operations = Object.values<Record<string, any>>(document.paths).flatMap((methods) =>
    Object.values(methods),
  );

  test('declares OpenAPI 3.0.0 and version 1.0', () => {
    expect(document.openapi).toBe('3.0.0');
    expect(document.info.version).toBe('1.0');
    expect(document.info.title).toMatch(/\w/);
    expect(document).not.toHaveProperty('webhooks');
  });

  test('begins with instructions to get started, and describes every group of operations', () => {
    for (const heading of ['Getting started', 'Errors', 'Idempotency', 'Pagination', 'Rate limits'])
      expect(document.info.description).toContain(`## ${heading}\n`);
    expect(document.info.description).not.toContain('<!--');
    for (const { name: tag, description } of document.tags)
      expect([tag, description]).toEqual([tag, expect.stringMatching(/\w.*\.$/)]);
  });

  test('resolves every reference in the document', () => {
    const references = [...committed(name).matchAll(/"\$ref": "([^"]+)"/g)].map(([, ref]) => ref!);
    expect(references.length).toBeGreaterThan(0);
    for (const ref of references) expect(() => lookUp(ref, document)).not.toThrow();
    expect(operationsOf(document).length).toBe(operations.length);
  });

  test('uses only keywords of OpenAPI 3.0', () => {
    const text = committed(name);
    for (const word of [
      'const',
      'examples',
      'prefixItems',
      '$defs',
      'definitions',
      'propertyNames',
      '$schema',
    ]) {
      expect(text).not.toContain(`"${word}":`);
    }
    expect(text).not.toMatch(/"type": (\[|"null")|"exclusiveM(in|ax)imum": -?\d/);
  });

  test('gives every operation a unique name, a tag, and a summary that ends with its access label', () => {
    const ids = operations.map((o) => o.operationId);
    expect(ids.filter((id, i) => !/^[a-z][A-Za-z0-9]+$/.test(id) || ids.indexOf(id) !== i)).toEqual([]);
    const label = / \((Anonymous|Auth|Permission|Staff|SuperAdmin|ApiKey|Signature)\)$/;
    expect(operations.filter((o) => !label.test(o.summary)).map((o) => o.operationId)).toEqual([]);
    const tags = document.tags.map((t: { name: string }) => t.name);
    expect(operations.filter((o) => o.tags.length !== 1 || !tags.includes(o.tags[0]))).toEqual([]);
  });

  test('requires a session for exactly the operations whose label says so', () => {
    const guarded = operations.filter((o) => / \((Auth|Permission|Staff|SuperAdmin)\)$/.test(o.summary));
    for (const { security } of guarded) expect(security).toEqual([{ bearer: [] }, { cookie: [] }]);
    const schemes = new Set(Object.keys(document.components.securitySchemes));
    for (const { operationId, summary, security } of operations.filter((o) => !guarded.includes(o))) {
      // Signed callbacks and API keys are authenticated by their own headers. The document declares that all other operations need no
      // authentication.
      const asked = /\((ApiKey|Signature)\)$/.exec(summary)?.[1];
      const scheme = asked && asked[0]!.toLowerCase() + asked.slice(1);
      expect([operationId, security]).toEqual([operationId, scheme ? [{ [scheme]: [] }] : []]);
    }
    for (const { security } of operations)
      for (const scheme of security.flatMap(Object.keys)) expect(schemes).toContain(scheme);
  });

  test('declares every path parameter, and the same schema for every error response', () => {
    for (const { name: at, path, parameters, responses } of operationsOf(document)) {
      const inPath = [...path.matchAll(/\{([^}]+)\}/g)].map(([, p]) => p);
      expect(
        parameters.filter((p) => p.in === 'path').map((p) => p.name),
        at,
      ).toEqual(inPath);
      const failures = Object.entries(responses).filter(
        ([status]) => Number(status) >= 400 && status !== '503',
      );
      // Game suppliers may get errors in their own format.
      const isSupplied = dialectOf({ path }) === 'softswiss';
      for (const [status, schema] of failures)
        for (const one of (isSupplied && schema?.anyOf) || [schema])
          expect(one, `${at} ${status}`).toHaveProperty(
            isSupplied && !one?.properties?.requestId ? 'properties.message' : 'properties.requestId',
          );
      expect(
        Object.keys(responses).filter((status) => Number(status) < 300 || status === '303'),
        at,
      ).toHaveLength(1);
      expect(Object.keys(responses), at).toEqual(expect.arrayContaining(['429', '500', '503']));
    }
  });
});
