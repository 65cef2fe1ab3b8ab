import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { createPartApp, PARTS, type PartName } from '../src/app/apps.ts';
import type { Route } from '../src/http/route.ts';
import { startApp } from './kit/app.ts';
import { fixture } from './kit/fixture.ts';

const app = fixture(startApp);

type Fault = [name: string, fault: object, message: RegExp];
const FAULTS: Fault[] = [
  ['no access', { access: undefined }, /declares no access/],
  ['access nobody knows', { access: 'public' }, /declares no access/],
  ['the name of a method as access', { access: 'toString' }, /declares no access/],
  ['no access at all', { access: null }, /declares no access/],
  ['a permission without a name', { access: { permission: undefined } }, /declares no access/],
  ['a list as access', { access: ['auth'] }, /declares no access/],
  ...(['POST', 'PUT', 'PATCH', 'DELETE'] as const).map(
    (method): Fault => [`${method} without a gate`, { method, gate: undefined }, /declares no gate/],
  ),
  ...(['bet', 'deposit', 'withdraw', 'vault', 'transfer', 'bonus', 'claim', 'staff', 'finish'] as const).map(
    (gate): Fault => [`${gate} without a key`, { gate, idempotent: undefined }, /without idempotent/],
  ),
  ['idempotent switched off', { idempotent: false }, /without idempotent/],
  ...[
    {},
    { method: 'PUT', idempotent: undefined, gate: 'none' },
    { method: 'GET', gate: undefined, hasSideEffect: true },
  ].map(
    (fault): Fault => [
      'a choice of permissions for a change',
      { access: { anyOf: ['user.read', 'bet.read'] }, ...fault },
      /with anyOf/,
    ],
  ),
  ['no tag', { tag: '' }, /lacks a tag/],
  ['no summary', { summary: '' }, /lacks a tag or summary/],
];

describe('an incomplete route declaration', () => {
  const good: Route = {
    method: 'POST',
    path: '/test/{id}',
    tag: 'Test',
    summary: 'For the test',
    access: 'auth',
    gate: 'bet',
    idempotent: true,
    body: z.strictObject({}),
    status: 201,
    handler: () => undefined,
  };
  const start = (routes: unknown[], part: PartName = 'api') =>
    createPartApp(part, app.services, routes as Route[]).then((made) => made.close());

  test.each(FAULTS)(
    'stops the service from starting with an incomplete route: %s',
    async (_, fault, message) => {
      await expect(start([{ ...good, ...fault }])).rejects.toThrow(message);
    },
  );

  test('rejects a path that is declared twice, even with another parameter name', async () => {
    await expect(start([good, { ...good }])).rejects.toThrow(/POST \/test\/\{id\} is declared twice/);
    await expect(start([good, { ...good, path: '/test/{other}' }])).rejects.toThrow(/declared twice/);
    await expect(start([{ ...good, path: '/auth/sign-in' }])).rejects.toThrow(/declared twice/);
    await expect(start([{ ...good, path: '/exchange-rates/{x}', method: 'GET' }])).rejects.toThrow(/twice/);
  });

  test('stops every service from starting with an incomplete declaration, but not with a complete one', async () => {
    for (const part of Object.keys(PARTS) as PartName[]) {
      await expect(start([{ ...good, access: undefined }], part), part).rejects.toThrow(/declares no access/);
      await expect(start([good, { ...good, method: 'GET', gate: undefined }], part)).resolves.toBeUndefined();
    }
  });
});

/** Operations whose response has no body according to the specification. */
const BODYLESS = new Set([
  'DELETE /admin/affiliate/code',
  'DELETE /admin/api-keys/{userId}',
  'DELETE /admin/casino/games/commission',
  'DELETE /admin/faq',
  'DELETE /api-keys/{userId}',
  'DELETE /notifications',
  'DELETE /session/log-out/current',
  'GET /auth/google',
  'GET /auth/steam',
  'GET /debug/me/give-money',
  'GET /user/request-email-verification',
  'PATCH /admin/bot-activity/bot-toggle',
  'POST /admin/bet-queue/retry',
  'POST /admin/casino/games/hydrate',
  'POST /auth/google/callback',
  'POST /auth/steam/return',
  'POST /chat/admin-action',
  'POST /debug/gateway/emit',
  'POST /notifications/aware',
  'PUT /admin/user/{id}/balance',
  'PUT /user/{id}/balance',
]);

test('declares a response for every route, except those without a body', () => {
  for (const { routes } of Object.values(PARTS))
    for (const { method, path, response, status } of routes(app.services)) {
      const name = `${method} ${path}`;
      if (response === undefined) expect(BODYLESS).toContain(name);
      expect(name.startsWith('POST /auth/') ? [200, 201, 303] : [200, 201, 204], name).toContain(status);
    }
});
