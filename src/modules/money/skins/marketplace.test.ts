import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { loadConfig } from '../../../platform/config/config.ts';
import { silentLog } from '../../../platform/observability/log.ts';
import { createMarketplace } from './marketplace.ts';

/** The address of the session in the marketplace's response. */
let url = '';
const server = createServer((_, response) =>
  response
    .writeHead(201, { 'content-type': 'application/json' })
    .end(JSON.stringify({ transactionId: 't-1', url, expiresAt: '2030-01-01T00:00:00Z' })),
);
beforeAll(() => once(server.listen(0, '127.0.0.1'), 'listening'));
afterAll(() => void server.close());

function open(sessionUrl: string) {
  url = sessionUrl;
  const { port } = server.address() as AddressInfo;
  const config = loadConfig({ APP_ENV: 'test', SKINS_API_URL: `http://127.0.0.1:${port}` });
  return createMarketplace({ config, log: silentLog })!.open({
    reference: 'r',
    game: 'cs2',
    platformId: '1',
    tradeLink: 'https://platform.example/',
    minUsdAmount: null,
    successUrl: 'https://play.example/',
    failUrl: 'https://play.example/',
  });
}

test('returns the session that the marketplace opened', async () => {
  expect(await open('https://market.example/t-1')).toMatchObject({ url: 'https://market.example/t-1' });
});

test.each([
  'https://user:word@market.example/',
  'https:///market.example',
  'https://\\market.example',
  'javascript:alert(1)',
])('rejects a session with the address %s', async (address) => {
  await expect(open(address)).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
});
