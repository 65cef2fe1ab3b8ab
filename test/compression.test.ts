import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { acceptedEncoding } from '../src/http/server/compress.ts';
import { startApp } from './kit/app.ts';
import { fixture } from './kit/fixture.ts';

const app = fixture(startApp);
const player = fixture(() => app.newPlayer({ usdt: 10 }));

const DOCUMENTS = ['/openapi.json', '/asyncapi.json', '/docs/api/js/scalar.js', '/docs/events', '/verify'];
const DECODERS = { gzip: gunzipSync, br: brotliDecompressSync, identity: (body: Buffer) => body };

/** Returns the raw bytes of a response, because `fetch` decodes them automatically. */
async function bytesOf(path: string, accepted: string, headers: Record<string, string> = {}) {
  const { request } = await import('node:http');
  return new Promise<{ encoding: string; vary: string; body: Buffer }>((done, failed) => {
    const sent = request(
      app.url + path,
      { headers: { 'accept-encoding': accepted, ...headers } },
      (answer) => {
        const chunks: Buffer[] = [];
        answer.on('data', (chunk: Buffer) => chunks.push(chunk));
        answer.on('end', () => {
          const { 'content-encoding': encoding = 'identity', vary = '' } = answer.headers;
          done({ encoding, vary, body: Buffer.concat(chunks) });
        });
      },
    );
    sent.on('error', failed).end();
  });
}

test.each(DOCUMENTS)(
  'compresses %s with an encoding that the client accepts, and sends Vary: Accept-Encoding',
  async (path) => {
    const plain = await bytesOf(path, 'identity');
    expect(plain.encoding).toBe('identity');
    for (const encoding of ['gzip', 'br'] as const) {
      const packed = await bytesOf(path, `${encoding}, deflate`);
      expect(packed.encoding).toBe(encoding);
      expect(packed.vary).toContain('Accept-Encoding');
      expect(packed.body.length).toBeLessThan(plain.body.length / 2);
      expect(DECODERS[encoding](packed.body).equals(plain.body)).toBe(true);
    }
  },
);

test('compresses JSON responses above 1 kB, and leaves smaller responses uncompressed', async () => {
  const plain = await bytesOf('/country?take=300', 'identity');
  const packed = await bytesOf('/country?take=300', 'gzip, deflate, br');
  expect([plain.encoding, packed.encoding]).toEqual(['identity', 'gzip']);
  expect(packed.vary).toMatch(/Origin.*Accept-Encoding/);
  expect(gunzipSync(packed.body).equals(plain.body)).toBe(true);
  expect((await bytesOf('/version', 'gzip')).encoding).toBe('identity');
});

test('does not compress tokens, bets or responses to pages of other sites', async () => {
  const cross = await bytesOf('/country?take=300', 'gzip', { 'sec-fetch-site': 'cross-site' });
  expect(cross.encoding).toBe('identity');
  const headers = { 'accept-encoding': 'gzip', authorization: `Bearer ${player.token}` };
  const refresh = await app.call('POST', '/auth/refresh', {
    headers: { ...headers, 'refresh-token': player.refreshToken },
  });
  expect(refresh.status).toBe(201);
  expect(refresh.headers.get('content-encoding')).toBeNull();
  const bet = { currencyId: 'USDT', betAmount: '1', threshold: 50, above: true };
  const answer = await app.call('POST', '/casino/games/house/dice/bet', { headers, body: bet });
  expect([answer.status, answer.headers.get('content-encoding')]).toEqual([201, null]);
});

test.each([
  ['gzip, deflate, br', 'br'],
  ['gzip', 'gzip'],
  ['GZIP;q=0.5', 'gzip'],
  ['br;q=0, gzip', 'gzip'],
  ['br;q=0.0,gzip;q=0', undefined],
  ['identity', undefined],
  ['gzipped, brx', undefined],
  ['', undefined],
])('chooses from the accepted encodings "%s": %s', (accepted, encoding) => {
  expect(acceptedEncoding({ headers: { 'accept-encoding': accepted } })).toBe(encoding);
});
