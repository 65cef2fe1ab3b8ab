import { expect, test, vi } from 'vitest';
import { fixture } from './kit/fixture.ts';
import { isDone, isMalformed, isPartnerReport } from './kit/games/supplier-calls.ts';
import { fingerprint } from './kit/http/fingerprint.ts';
import { rawRequest } from './kit/http/raw-http.ts';
import {
  examplePath,
  fullBody,
  inParallel,
  inTurn,
  MISREAD,
  positionsIn,
  replaced,
  shareOf,
  startCaller,
  TAKES_MORE,
} from './kit/http/requests.ts';

// The test sends requests for each field, so its duration grows with the number of operations.
vi.setConfig({ testTimeout: 360_000, hookTimeout: 180_000 });

const prototypes = [Object.prototype, Array.prototype, Function.prototype, String.prototype];
const ownNames = () => prototypes.map((prototype) => Object.getOwnPropertyNames(prototype));
const clean = ownNames();
const caller = fixture(startCaller);

function expectNothingPolluted(): void {
  expect(({} as { x?: unknown }).x).toBeUndefined();
  expect(ownNames()).toEqual(clean);
}

/** Fields as JSON text, because an object literal would set the prototype instead of a key. */
const POLLUTERS = [
  '"__proto__":{"x":1}',
  '"__proto__":null',
  '"constructor":{"prototype":{"x":1}}',
  '"prototype":{"x":1}',
  '"\\u005f_proto__":{"x":1}',
  '"__proto\\u005f_":[]',
  '"const\\u0072uctor":1',
];

test('rejects prototype keys in every body, at the root, in objects and inside values', async () => {
  let place = 0;
  const cases = caller.operations
    .filter((o) => o.body && !o.isForm && !isPartnerReport(o))
    .flatMap((operation) =>
      positionsIn(operation.body!, fullBody(operation)).flatMap(({ path, schema }) =>
        shareOf(POLLUTERS, place++)
          .flatMap((polluter) => {
            const good = fullBody(operation);
            const here = path.reduce((value, step) => value?.[step], good);
            const more = schema.type === 'object' && here ? JSON.stringify(here).slice(1, -1) : '';
            const values = more ? [`{${polluter},${more}}`, `{${more},${polluter}}`] : [`{${polluter}}`];
            return values.map((value) =>
              JSON.stringify(replaced(good, path, '@@')).replace('"@@"', () => value),
            );
          })
          .map((raw) => ({ operation, raw })),
      ),
    );
  expect(cases.length).toBeGreaterThan(200);
  const before = await fingerprint(caller.app.db);
  const wrong = await inParallel(cases, async ({ operation, raw }) => {
    const answer = await caller.send(operation, { raw });
    return isMalformed(operation, answer) ? [] : [`${operation.name} ${raw}: ${answer.status}`];
  });
  expect(wrong.flat()).toEqual([]);
  expect(await fingerprint(caller.app.db)).toEqual(before);
  expectNothingPolluted();
});

test('ignores prototype keys in forms', async () => {
  const forms = caller.operations.filter((o) => o.isForm);
  expect(forms.length).toBeGreaterThan(0);
  for (const operation of forms)
    for (const name of ['__proto__', '__proto__[x]', 'constructor', 'constructor.prototype.x', 'prototype']) {
      const body = Object.fromEntries([...Object.entries(fullBody(operation)), [name, '1']]);
      const answer = await caller.send(operation, { body });
      // Callbacks from identity providers get a redirect as the response.
      const isAccepted = answer.status === 303 || isDone(operation, answer);
      expect(isAccepted, `${operation.name} ${name} ${answer.text}`).toBe(true);
    }
  expectNothingPolluted();
});

const QUERIES = [
  'a[__proto__]=1',
  '__proto__=1',
  '__proto__[x]=1',
  '__proto__.x=1',
  'constructor.prototype=1',
  'constructor=1',
  'constructor[prototype][x]=1',
  'prototype=1',
  '%5f_proto__=1',
  '__proto__=1&__proto__=2',
  '__proto__',
  'a.__proto__.x=1',
  'toString=1',
  'hasOwnProperty=1',
  '__defineGetter__=1',
];

test('rejects prototype keys in the query of every operation', async () => {
  const cases = caller.operations
    .filter(({ name }) => !/log-?out/.test(name) && !TAKES_MORE.has(name))
    .flatMap((operation) => QUERIES.map((query) => ({ operation, query })));
  const before = await fingerprint(caller.app.db);
  const wrong = await inParallel(inTurn(cases), async ({ operation, query }) => {
    const path = examplePath(operation);
    const url = `${path}${path.includes('?') ? '&' : '?'}${query}`;
    const { status, body } = await caller.send(operation, {
      url,
      ...(operation.body ? { body: fullBody(operation) } : {}),
    });
    // The request may be rejected earlier because of an unknown path parameter.
    const isRefused =
      (status === 400 && MISREAD.includes(body.code)) || (status === 404 && path.includes('none'));
    return isRefused ? [] : [`${operation.method} ${url}: ${status}`];
  });
  expect(wrong.flat()).toEqual([]);
  expect(await fingerprint(caller.app.db)).toEqual(before);
  expectNothingPolluted();
});

test('ignores prototype names in paths, headers and cookies', async () => {
  const names = ['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty', 'valueOf'];
  for (const name of names) {
    for (const path of [`/${name}`, `/exchange-rates/${name}`, `/fairness/bets/${name}`, `/health/${name}`]) {
      expect((await caller.app.call('GET', path)).status, path).toBe(404);
    }
    const headers = { [name]: '1', cookie: `${name}=1; __proto__[x]=1; constructor.prototype.x=1` };
    expect((await rawRequest(caller.app.url, 'GET', '/version', { headers })).status).toBe(200);
    expect((await rawRequest(caller.app.url, 'GET', '/user/me', { headers })).status).toBe(401);
  }
  expectNothingPolluted();
});
