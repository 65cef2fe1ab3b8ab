import { expect, test } from 'vitest';
import { bind, operation } from './operation.ts';
import type { Context } from './route.ts';

const common = { method: 'GET', tag: 'test', summary: 'Test' } as const;
const context = {} as Context<undefined, object, object, object, undefined>;

test("passes the dependencies of an operation's module to its key check and its handler", async () => {
  type Deps = { calls: unknown[] };
  const keyed = operation({
    ...common,
    path: '/keyed',
    access: 'apikey',
    keyCheck: async (deps: Deps, key) => deps.calls.push(key),
    handler: (deps: Deps) => {
      deps.calls.push('handler');
    },
  });
  const calls: unknown[] = [];
  const [route] = bind([keyed], { calls });
  await route!.keyCheck!('secret');
  await route!.keyCheck!(undefined);
  route!.handler(context);
  expect(calls).toEqual(['secret', undefined, 'handler']);
});

test('uses the standard partner key check when an operation has no key check', () => {
  const partner = operation({ ...common, path: '/partner', access: 'apikey', handler: () => undefined });
  const [route] = bind([partner], {});
  expect(route).not.toHaveProperty('keyCheck');
});
