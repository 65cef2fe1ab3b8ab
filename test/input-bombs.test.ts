import { monitorEventLoopDelay } from 'node:perf_hooks';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { startApp, type TestApp } from './kit/app.ts';
import { fixture } from './kit/fixture.ts';
import { fingerprint } from './kit/http/fingerprint.ts';
import { type RawAnswer, rawBytes } from './kit/http/raw-http.ts';

/** Builds a body of the given size: just below the usual limit, or a megabyte. */
const BOMBS: Readonly<Record<string, (bytes: number) => string>> = {
  'nested arrays': (bytes) => '['.repeat(bytes / 2) + ']'.repeat(bytes / 2),
  'nested arrays, never closed': (bytes) => '['.repeat(bytes),
  'nested objects': (bytes) => `${'{"a":'.repeat(bytes / 6)}1${'}'.repeat(bytes / 6)}`,
  '5,000 nested arrays in a field': () => `{"currencyId":${'['.repeat(5000)}${']'.repeat(5000)}}`,
  'many keys': (bytes) => `{${Array.from({ length: bytes / 13 }, (_, i) => `"k${i}":0`).join(',')}}`,
  'many times the same key': (bytes) => `{"a":0${',"a":0'.repeat(bytes / 6)}}`,
  'many items': (bytes) => `[0${',0'.repeat(bytes / 2 - 2)}]`,
  'many items in a field': (bytes) => `{"currencyId":[0${',0'.repeat(bytes / 2 - 20)}]}`,
  'many empty objects': (bytes) => `{"betAmount":[{}${',{}'.repeat(bytes / 3 - 20)}]}`,
  'a long number': (bytes) => `{"threshold":${'9'.repeat(bytes - 20)}}`,
  'a long fraction': (bytes) => `{"threshold":0.${'3'.repeat(bytes - 20)}}`,
  'a long amount': (bytes) => `{"betAmount":"${'9'.repeat(bytes - 20)}"}`,
  'a long text of escapes': (bytes) => `{"currencyId":"${'\\u0041'.repeat((bytes - 20) / 6)}"}`,
  'a long key': (bytes) => `{"${'k'.repeat(bytes - 20)}":1}`,
  'backslashes without an end': (bytes) => `{"currencyId":"${'\\'.repeat(bytes - 20)}`,
  'white space': (bytes) => ' '.repeat(bytes),
  'a key twice': () => '{"currencyId":"USDT","betAmount":"1","threshold":50,"above":true,"betAmount":"9"}',
  'a key twice, once escaped': () =>
    '{"currencyId":"USDT","betAmount":"1","threshold":50,"above":true,"bet\\u0041mount":"9"}',
  'a key twice in a nested object': () => '{"currencyId":{"a":1,"a":2}}',
};

const STALL_MS = 100;
const TRIES = 3;
const app = fixture(startApp);
const roomy = fixture(() =>
  startApp({ database: app.database, env: { BODY_LIMIT_BYTES: String(4 * 1024 * 1024) } }),
);
const player = fixture(() => app.newPlayer({ usdt: 10 }));

const PATH = '/casino/games/house/dice/bet';
type How = { headers?: string[]; isChunked?: boolean };

async function throwBomb({ url }: TestApp, body: Buffer, { headers = [], isChunked = false }: How = {}) {
  const length = isChunked ? 'transfer-encoding: chunked' : `content-length: ${body.length}`;
  const head = [
    `POST ${PATH} HTTP/1.1`,
    `host: ${new URL(url).host}`,
    'connection: close',
    `authorization: Bearer ${player.token}`,
    'content-type: application/json',
    length,
    ...headers,
  ];
  const chunk = [`${body.length.toString(16)}\r\n`, body, '\r\n0\r\n\r\n'];
  return rawBytes(url, [`${head.join('\r\n')}\r\n\r\n`, ...(isChunked ? chunk : [body])]);
}

/**
 * Returns the response, and how long the event loop of client and server was blocked. This duration is the minimum of three attempts, and
 * at most the processor time used, because a busy machine delays every loop.
 */
async function stallOf(work: () => Promise<RawAnswer>): Promise<{ answer: RawAnswer; stallMs: number }> {
  let best = Number.POSITIVE_INFINITY;
  let answer: RawAnswer | undefined;
  for (let i = 0; i < TRIES && best > STALL_MS / 2; i++) {
    const delay = monitorEventLoopDelay({ resolution: 1 });
    const before = process.cpuUsage();
    delay.enable();
    answer = await work();
    // The delay monitor measures a stall only if a timer fires after the stall.
    await new Promise((resolve) => setTimeout(resolve, 3));
    delay.disable();
    const { user, system } = process.cpuUsage(before);
    best = Math.min(best, delay.max / 1e6, (user + system) / 1e3);
  }
  return { answer: answer!, stallMs: best };
}

describe.each([
  ['below the limit', 65_000, () => app, [400]],
  ['of a megabyte, rejected by size', 1_048_576, () => app, [400, 413]],
  ['of a megabyte, where the limit is four', 1_048_576, () => roomy, [400]],
] as const)('JSON bombs %s', (_size, bytes, target, statuses) => {
  test.each(Object.keys(BOMBS))('rejects %s', async (name) => {
    const body = Buffer.from(BOMBS[name]!(bytes));
    const { answer, stallMs } = await stallOf(() => throwBomb(target(), body));
    expect(statuses).toContain(answer.status);
    expect(answer.body.code).toBe(answer.status === 413 ? 'PAYLOAD_TOO_LARGE' : 'VALIDATION_FAILED');
    expect(answer.text.length).toBeLessThan(20_000);
    expect(stallMs).toBeLessThan(STALL_MS);
  });
});

test('stops reading a chunked body of unknown length at one megabyte', async () => {
  const { answer, stallMs } = await stallOf(() =>
    throwBomb(app, Buffer.alloc(1_048_576, '['), { isChunked: true }),
  );
  expect(answer.status).toBe(413);
  expect(stallMs).toBeLessThan(STALL_MS);
});

test.each(['gzip', 'deflate', 'br', 'identity', 'zstd'])(
  'rejects content-encoding %s with 415',
  async (encoding) => {
    const body = gzipSync(Buffer.alloc(10 * 1024 * 1024, ' '));
    const { answer, stallMs } = await stallOf(() =>
      throwBomb(app, body, { headers: [`content-encoding: ${encoding}`] }),
    );
    expect(answer.status).toBe(415);
    expect(stallMs).toBeLessThan(STALL_MS);
  },
);

test('places no bet and keeps serving other requests when all oversized inputs are sent together', async () => {
  const before = await fingerprint(app.db);
  const all = Object.values(BOMBS).map((bomb) => throwBomb(app, Buffer.from(bomb(65_000))));
  const ping = await fetch(`${app.url}/health/live`, { signal: AbortSignal.timeout(1000) });
  expect(ping.status).toBe(200);
  for (const { status } of await Promise.all(all)) expect(status).toBe(400);
  expect(await fingerprint(app.db)).toEqual(before);
  const bet = { currencyId: 'USDT', betAmount: '1', threshold: 50, above: true };
  expect((await throwBomb(app, Buffer.from(JSON.stringify(bet)))).status).toBe(201);
});
