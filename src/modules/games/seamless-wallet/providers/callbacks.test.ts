import { expect, test } from 'vitest';
import { startApp } from '../../../../../test/kit/app.ts';
import { fixture } from '../../../../../test/kit/fixture.ts';
import {
  type Dialect,
  gameProviders,
  pragmaticForm,
  supplierHeaders,
} from '../../../../../test/kit/games/game-providers.ts';
import { bind } from '../../../../http/operation.ts';
import { units } from '../../../../platform/money.ts';
import type { WalletStatus } from '../engine/call.ts';
import { type CallbackDeps, callbacks } from './callbacks.ts';

const providers = gameProviders();
let status: WalletStatus = 'OK';
/**
 * Only the wallet's ledger is simulated. Bytes, signature, format and status are real. The callbacks are served next to the platform's own
 * routes.
 */
const providerWallets: CallbackDeps['providerWallets'] = {
  async receive(slug, action, { raw, headers }) {
    const provider = providers.get(slug);
    const answer = { status, balance: units('115.5'), currencyId: 'EUR', actions: [], isRepeated: false };
    if (!provider.verify(raw, headers))
      return provider.answer(action, { ...answer, status: 'BAD_SIGNATURE' }, undefined);
    const read = provider.read(action, raw);
    return 'refused' in read ? read.refused : provider.answer(action, answer, read.context);
  },
};
const routes = bind(callbacks, { providerWallets });
const extraRoutes = routes.map((route) => ({ ...route, path: route.path.replace('/webhooks/', '/test/') }));
const app = fixture(() => startApp({ extraRoutes }));

const FORM = 'application/x-www-form-urlencoded';
async function send(dialect: Dialect, action: string, body: string, type?: string) {
  const answer = await fetch(`${app.url}/test/games/${dialect}${action && `/${action}`}`, {
    method: 'POST',
    headers: {
      'content-type': type ?? (dialect === 'pragmatic' ? FORM : 'application/json'),
      ...(supplierHeaders(dialect, body) as Record<string, string>),
    },
    body,
  });
  return { status: answer.status, body: await answer.json() };
}
const GENERIC = '{"action":"BALANCE","playerId":"42","currency":"EUR"}';
const HUB88 = '{"user":"42","request_uuid":"q-1"}';
const SOFTSWISS = '{"user_id":"42","currency":"EUR"}';
const PRAGMATIC = pragmaticForm({ userId: '42', providerId: 'p' });

test('responds in each dialect on its own paths and in its own format', async () => {
  status = 'OK';
  expect(await send('generic', '', GENERIC)).toMatchObject({
    status: 200,
    body: { status: 'OK', balance: '115.5' },
  });
  expect(await send('hub88', 'user/balance', HUB88)).toEqual({
    status: 200,
    body: { user: '42', status: 'RS_OK', request_uuid: 'q-1', currency: 'EUR', balance: 11_550_000 },
  });
  expect(await send('softswiss', 'play', SOFTSWISS)).toEqual({
    status: 200,
    body: { balance: 11_550, transactions: [] },
  });
  expect(await send('pragmatic', 'balance.html', PRAGMATIC)).toEqual({
    status: 200,
    body: { currency: 'EUR', cash: '115.50', bonus: '0', error: 0, description: 'Success' },
  });
});

test('returns the HTTP statuses that SOFTSWISS specifies', async () => {
  for (const [now, http, code] of [
    ['INSUFFICIENT_FUNDS', 412, 100],
    ['INTERNAL_ERROR', 500, 500],
    ['INVALID_REQUEST', 400, 400],
  ] as const) {
    status = now;
    expect(await send('softswiss', 'play', SOFTSWISS)).toMatchObject({ status: http, body: { code } });
  }
  status = 'OK';
});

test('accepts form bodies and JSON bodies only in the dialects that use them', async () => {
  expect(await send('pragmatic', 'balance.html', PRAGMATIC, `${FORM}; charset=utf-8`)).toMatchObject({
    status: 200,
  });
  expect((await send('pragmatic', 'balance.html', PRAGMATIC, 'application/json')).status).toBe(415);
  expect((await send('hub88', 'user/info', HUB88, FORM)).status).toBe(415);
  expect((await send('generic', '', GENERIC, FORM)).status).toBe(415);
});

test('returns 404 for unknown providers and for paths of another dialect', async () => {
  expect(await send('nobody' as Dialect, '', GENERIC)).toMatchObject({
    status: 404,
    body: { code: 'PROVIDER_NOT_FOUND' },
  });
  expect(await send('hub88', 'play', HUB88)).toMatchObject({
    status: 404,
    body: { code: 'PROVIDER_NOT_FOUND' },
  });
});
