import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { afterEach, describe, expect, test } from 'vitest';
import { formatRate, MAX_UNITS } from '../../../platform/money.ts';
import { inverseRate, isAbsurd } from './rules.ts';
import { coinbaseSource, fixedSource } from './source.ts';

const servers: Server[] = [];

afterEach(async () => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
});

test.each([
  ['1', '1'],
  ['1.000', '1'],
  ['0.0000105', '95238.095238095238'],
  ['3', '0.333333333333'],
  ['0.925925925925925925', '1.08'],
  ['1000000000000', '0.000000000001'],
])('converts %s units per dollar to the rate %s', (unitsPerUsd, rate) => {
  expect(formatRate(inverseRate(unitsPerUsd)!)).toBe(rate);
});

test('inverts decimal strings of any length exactly and rounds down', () => {
  const digits = fc.bigInt({ min: 1n, max: 10n ** 25n });
  fc.assert(
    fc.property(digits, fc.integer({ min: 1, max: 18 }), (value, decimals) => {
      const text = value.toString().padStart(decimals + 1, '0');
      const rate = inverseRate(`${text.slice(0, -decimals)}.${text.slice(-decimals)}`) ?? 0n;
      const scale = 10n ** BigInt(decimals + 12);
      if (scale / value > MAX_UNITS) expect(rate).toBe(0n);
      else expect(rate * value <= scale && (rate + 1n) * value > scale).toBe(true);
    }),
    { seed: 43 },
  );
});

const UNUSABLE = ['0', '0.000', '', '-1', '+1', '1e-5', 'NaN', 'Infinity', '0x10', ' 1', '1.', '.5', '1,5'];

test.each([...UNUSABLE, '1000000000001'])('returns no rate for %j', (text) => {
  expect(inverseRate(text)).toBeUndefined();
});

test('returns no rate that would overflow the database column', () => {
  expect(inverseRate('0.000000108')).toBeUndefined();
  expect(inverseRate('0.00000011')! <= MAX_UNITS).toBe(true);
  const unitsPerUsdAt = (rate: bigint) => `0.${String(10n ** 52n / rate).padStart(40, '0')}`;
  expect(inverseRate(unitsPerUsdAt(MAX_UNITS))).toBe(MAX_UNITS);
  expect(inverseRate(unitsPerUsdAt(MAX_UNITS + 1n))).toBeUndefined();
});

test('accepts a change by a factor of ten and treats a larger one as implausible', () => {
  expect(isAbsurd(100n, 1000n)).toBe(false);
  expect(isAbsurd(100n, 1001n)).toBe(true);
  expect(isAbsurd(100n, 10n)).toBe(false);
  expect(isAbsurd(100n, 9n)).toBe(true);
});

test('returns fixed rates and skips unknown currencies', async () => {
  const rates = await fixedSource.fetch(['BTC', 'EUR', 'USDT', 'NOPE', 'constructor']);
  expect([...rates.keys()]).toEqual(['BTC', 'EUR', 'USDT']);
  expect(rates.get('EUR')).toBe(1_080_000_000_000n);
});

describe('the HTTP source', () => {
  const rates = { BTC: '0.0000125', EUR: '0.8', DOGE: '0', TRX: 3.5, SOL: null, LTC: '1e-2', XRP: '0.5' };
  const good = JSON.stringify({ data: { currency: 'USD', rates } });

  test('returns the inverse of each rate and skips absent and invalid values', async () => {
    const url = await serve((_, response) => response.end(good));
    const found = await coinbaseSource(url).fetch(['BTC', 'EUR', 'DOGE', 'SOL', 'LTC', 'BNB', 'toString']);
    expect(new Map([...found].map(([id, rate]) => [id, formatRate(rate)]))).toEqual(
      new Map([
        ['BTC', '80000'],
        ['EUR', '1.25'],
      ]),
    );
  });

  test('reads rates only from JSON strings, not from JSON numbers', async () => {
    const url = await serve((_, response) => response.end(good));
    expect(await coinbaseSource(url).fetch(['TRX'])).toEqual(new Map());
  });

  test.each([
    ['a response that is not JSON', '<html>maintenance</html>'],
    ['an empty response', ''],
    ['a different base currency', JSON.stringify({ data: { currency: 'EUR', rates } })],
    ['a different format', JSON.stringify({ rates })],
    ['rates that are a list', JSON.stringify({ data: { currency: 'USD', rates: ['1'] } })],
  ])('fails on %s', async (_, body) => {
    const url = await serve((_request, response) => response.end(body));
    await expect(coinbaseSource(url).fetch(['BTC'])).rejects.toThrow();
  });

  test.each([404, 429, 500, 503])('fails on status %i regardless of the body', async (status) => {
    const url = await serve((_, response) => response.writeHead(status).end(good));
    await expect(coinbaseSource(url).fetch(['BTC'])).rejects.toThrow(`${status}`);
  });

  test('does not follow redirects', async () => {
    let followed = false;
    const url = await serve((request, response) => {
      if (request.url === '/') return response.writeHead(302, { location: '/elsewhere' }).end();
      followed = true;
      return response.end(good);
    });
    await expect(coinbaseSource(url).fetch(['BTC'])).rejects.toThrow();
    expect(followed).toBe(false);
  });

  test('times out when a source does not respond or does not finish its response', async () => {
    const silent = await serve(() => undefined);
    const slow = await serve((_, response) => response.write(good.slice(0, 20)));
    await expect(coinbaseSource(silent, 100).fetch(['BTC'])).rejects.toThrow(/timeout/i);
    await expect(coinbaseSource(slow, 100).fetch(['BTC'])).rejects.toThrow(/timeout/i);
  });

  test('reads at most one mebibyte of a response, even if the response is compressed', async () => {
    const huge = good.replace('{"data"', `{"padding":"${'x'.repeat(1_100_000)}","data"`);
    const plain = await serve((_, response) => response.end(huge));
    const packed = await serve((_, response) =>
      response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(huge)),
    );
    await expect(coinbaseSource(plain).fetch(['BTC'])).rejects.toThrow('bytes');
    await expect(coinbaseSource(packed).fetch(['BTC'])).rejects.toThrow('bytes');
    const large = await serve((_, response) => response.end(huge.replace('x'.repeat(200_000), '')));
    expect((await coinbaseSource(large).fetch(['BTC'])).size).toBe(1);
  });
});

async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  servers.push(server);
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}
