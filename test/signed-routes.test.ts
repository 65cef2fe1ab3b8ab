import { expect, test } from 'vitest';
import { mainRoutes } from '../src/app/apps.ts';
import type { Route } from '../src/http/route.ts';
import { sandboxProviders } from '../src/platform/config/settings/sandbox-game-providers.ts';
import { startApp } from './kit/app.ts';
import { fixture } from './kit/fixture.ts';
import { dialectOf, supplierOf } from './kit/games/supplier-calls.ts';
import { type RawAnswer, rawRequest } from './kit/http/raw-http.ts';
import { withinOneMinute } from './kit/until.ts';

/** Number of rejected calls that one address may send per minute. */
const REFUSALS = 5;
const SUPPLIERS = 'http://127.0.0.1:9';
const app = fixture(() =>
  startApp({
    env: { RATE_LIMIT_PUBLIC: String(REFUSALS), GAME_PROVIDERS: JSON.stringify(sandboxProviders(SUPPLIERS)) },
  }),
);

/** Returns every route whose caller authenticates with a signature or a key. */
const partnerRoutes = (): Route[] =>
  mainRoutes(app.services).filter(({ access }) => access === 'signature' || access === 'apikey');
const callbacks = (): Route[] => partnerRoutes().filter((route) => dialectOf(route) !== undefined);
const providers = () => app.config.GAME_PROVIDERS;

let addresses = 0;
const newAddress = () => `127.3.${Math.floor(++addresses / 250)}.${(addresses % 250) + 1}`;

/** Sends an unauthenticated call, from a new address unless one is given. */
function callUnsigned(route: Route, provider = 'sandbox', from = newAddress()): Promise<RawAnswer> {
  const path = route.path.replace('{provider}', provider).replace(/\{[^}]+\}/g, '1');
  const isBodyless = route.method === 'GET';
  return rawRequest(app.url, route.method, path, {
    from,
    headers: isBodyless
      ? {}
      : { 'content-type': route.form ? 'application/x-www-form-urlencoded' : 'application/json' },
    ...(isBodyless ? {} : { body: route.form ? 'userId=1&hash=0' : '{}' }),
  });
}

test('returns 404, never 500, when a callback uses the path of another dialect', async () => {
  const wrong: string[] = [];
  let combinations = 0;
  for (const route of callbacks())
    for (const { slug, dialect } of providers()) {
      const { status, body } = await callUnsigned(route, slug);
      combinations++;
      const isOwn = dialectOf(route) === dialect;
      const isRight = isOwn
        ? status !== 404 && status < 500
        : status === 404 && body.code === 'PROVIDER_NOT_FOUND';
      if (!isRight) wrong.push(`${slug} at ${route.path}: ${status} ${body.code}`);
    }
  expect(wrong).toEqual([]);
  expect(combinations).toBe(callbacks().length * providers().length);
  expect(new Set(providers().map(({ dialect }) => dialect)).size).toBe(4);
});

test('returns 429 on every partner route once an address has sent too many unauthenticated requests', async () => {
  const wrong: string[] = [];
  for (const route of partnerRoutes()) {
    const dialect = dialectOf(route);
    const provider = dialect ? supplierOf(dialect) : 'sandbox';
    const from = newAddress();
    const answers: number[] = [];
    await withinOneMinute(5000);
    for (let i = 0; i < REFUSALS + 2; i++) answers.push((await callUnsigned(route, provider, from)).status);
    const isRight =
      answers.slice(0, REFUSALS).every((status) => status < 429) && answers.slice(-2).every((s) => s === 429);
    if (!isRight) wrong.push(`${route.method} ${route.path}: ${answers.join(' ')}`);
  }
  expect(wrong).toEqual([]);
  expect(partnerRoutes().length).toBeGreaterThan(25);
});
