import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createTestDatabase } from '../../../../test/kit/database.ts';
import { fixture } from '../../../../test/kit/fixture.ts';
import { loadConfig } from '../../../platform/config/config.ts';
import { type DatabaseClock, startDatabaseClock } from '../../../platform/database/clock.ts';
import { createDb, createPool, type Db } from '../../../platform/database/db.ts';
import { formatRate, parseRate, units } from '../../../platform/money.ts';
import { createLog, silentLog } from '../../../platform/observability/log.ts';
import { getExchangeRate } from './list.ts';
import { currencies as module } from './module.ts';
import { type Currencies, createCurrencies } from './service.ts';

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

let db: Db;
let databaseClock: DatabaseClock;
let outside: Server;
/** The rates of the public source: units of each currency per dollar. Undefined while the source is down. */
let market: Record<string, string> | undefined;
let now: number;
let lines: string[];
const created: Currencies[] = [];

const database = fixture(createTestDatabase);
beforeAll(async () => {
  const timeouts = { connectTimeoutMs: 5000, statementTimeoutMs: 10_000 };
  const options = { connectionString: database.url, poolSize: 4, name: 'test', ...timeouts };
  db = createDb(createPool(options, silentLog));
  databaseClock = await startDatabaseClock(options, silentLog);
  outside = createServer((_, response) => {
    if (!market) return response.writeHead(503).end();
    return response.end(JSON.stringify({ data: { currency: 'USD', rates: market } }));
  });
  await new Promise<void>((resolve) => {
    outside.listen(0, '127.0.0.1', resolve);
  });
});
beforeEach(async () => {
  now = Date.parse('2026-11-21T09:30:20Z');
  lines = [];
  market = { BTC: '0.0000125', EUR: '0.8', USDT: '1', USD: '2' };
  await db.deleteFrom('exchange_rates').execute();
  await db.deleteFrom('exchange_rate_points').execute();
});
afterEach(async () => {
  await Promise.all(created.splice(0).map((currencies) => currencies.close()));
});
afterAll(async () => {
  outside.closeAllConnections();
  outside.close();
  await databaseClock.close();
  await db.destroy();
});

const historyOf = async (currencies: Currencies) => {
  const deps = { db, databaseClock: { now: () => now }, currencies } as never;
  return (await getExchangeRate.handler(deps, { params: { currencyId: 'BTC' } })) as {
    points: { at: string; usdRate: string }[];
  };
};

describe('rates of the public source', () => {
  test("inverts the source's rates exactly, sets the dollar to 1, and marks missing rates as stale", async () => {
    const currencies = await start();
    expect(currencies.rateOf('BTC')).toMatchObject({ rate: 0n, stale: true });
    await currencies.refreshRates();
    expect(formatRate(currencies.freshRate('BTC'))).toBe('80000');
    expect(formatRate(currencies.freshRate('EUR'))).toBe('1.25');
    expect(formatRate(currencies.freshRate('USD'))).toBe('1');
    expect(currencies.toUsd('EUR', units('0.00000003'))).toBe(units('0.00000003'));
    expect(() => currencies.freshRate('SOL')).toThrow(expect.objectContaining({ code: 'RATE_STALE' }));
    expect(currencies.toUsd('SOL', units('5'))).toBe(0n);
    expect(logged()).toEqual([
      expect.objectContaining({ level: 'warn', currencies: expect.arrayContaining(['SOL']) }),
    ]);
  });

  test('marks rates as stale while the source is unavailable, and updates them when it is available again', async () => {
    const currencies = await start({ RATE_MAX_AGE_SECONDS: '60' });
    await currencies.refreshRates();
    const updatedAt = new Date(now).toISOString();
    market = undefined;
    now += MINUTE - 1;
    await expect(currencies.refreshRates()).rejects.toThrow('503');
    expect(currencies.freshRate('BTC')).toBe(parseRate('80000'));
    now += 1;
    expect(() => currencies.freshRate('BTC')).toThrow(
      expect.objectContaining({ code: 'RATE_STALE', status: 409, details: { currencyId: 'BTC', updatedAt } }),
    );
    expect(currencies.rateOf('BTC').stale).toBe(true);
    expect(currencies.toUsd('BTC', units('1'))).toBe(units('80000'));
    expect(currencies.freshRate('USD')).toBe(parseRate('1'));
    market = { BTC: '0.000015625' };
    await currencies.refreshRates();
    expect(currencies.freshRate('BTC')).toBe(parseRate('64000'));
  });

  test.each(['0.00000124', '0.000126'])(
    'rejects and logs an implausible change (%s), and stores the other rates',
    async (btc) => {
      const currencies = await start();
      await currencies.refreshRates();
      lines = [];
      now += 5 * MINUTE;
      market = { ...market, BTC: btc, EUR: '0.75' };
      await currencies.refreshRates();
      expect(currencies.rateOf('BTC')).toMatchObject({ rate: parseRate('80000'), stale: true });
      expect(currencies.freshRate('EUR')).toBe(parseRate('1.333333333333'));
      expect(logged()).toContainEqual(
        expect.objectContaining({ level: 'error', currencyId: 'BTC', before: '80000' }),
      );
      const points = await db
        .selectFrom('exchange_rate_points')
        .select('usd_rate')
        .where('currency_id', '=', 'BTC')
        .execute();
      expect(points).toEqual([{ usd_rate: parseRate('80000') }]);
    },
  );

  test('uses a rate that jumped only after a second reading confirms it, and marks the old rate as stale until then', async () => {
    const currencies = await start({ RATE_MAX_AGE_SECONDS: '60', RATE_REFRESH_SECONDS: '30' });
    await currencies.refreshRates();
    const rate = () => formatRate(currencies.rateOf('BTC').rate);
    const alerts = async () =>
      (await db.selectFrom('events').select('data').where('name', '=', 'admin.alert').execute()).length;
    const before = await alerts();
    // The rate moves from 80,000 to 60,000 and then to 30,000, so each reading contradicts the previous one.
    for (const [btc, ms] of [
      ['0.000016666667', 30_000],
      ['0.000033333333', 30_000],
    ] as const) {
      now += ms;
      market = { ...market, BTC: btc };
      await currencies.refreshRates();
      expect(rate()).toBe('80000');
    }
    expect(currencies.rateOf('BTC').stale).toBe(true);
    expect((await alerts()) - before).toBe(1);
    // A reading with the same time does not count as a second one.
    await currencies.refreshRates();
    expect(rate()).toBe('80000');
    now += 30_000;
    await currencies.refreshRates();
    expect(rate()).toBe('30000.000300000003');
    expect(currencies.rateOf('BTC').stale).toBe(false);
  });

  test('uses a rate that jumped after a confirmation half an interval later, despite readings in between', async () => {
    const currencies = await start({ RATE_REFRESH_SECONDS: '30' });
    await currencies.refreshRates();
    now += MINUTE;
    market = { ...market, BTC: '0.000025' };
    const rates: string[] = [];
    for (let reading = 0; reading < 3; reading++) {
      await currencies.refreshRates();
      rates.push(formatRate(currencies.rateOf('BTC').rate));
      now += 10_000;
    }
    expect(rates).toEqual(['80000', '80000', '40000']);
  });

  test('reads the source again only after the refresh interval, and in another worker if this one does not', async () => {
    const [one, other] = [
      await start({ RATE_REFRESH_SECONDS: '30' }),
      await start({ RATE_REFRESH_SECONDS: '30' }),
    ];
    expect(await one.areRatesDue()).toBe(true);
    await one.refreshRates();
    const due: boolean[] = [];
    for (let i = 0; i < 3; i++) {
      now += 10_000;
      due.push(await other.areRatesDue());
    }
    expect(due).toEqual([false, false, true]);
  });

  test.each([
    ['uses immediately', 'rises by 20 %', '0.0000104167', true],
    ['holds back', 'rises by more', '0.0000104', false],
    ['uses immediately', 'falls by 20 %', '0.000015625', true],
    ['holds back', 'falls by more', '0.0000157', false],
  ])('%s a rate that %s', async (_verdict, _move, btc, isUsed) => {
    const currencies = await start();
    await currencies.refreshRates();
    now += MINUTE;
    market = { ...market, BTC: btc };
    await currencies.refreshRates();
    expect(formatRate(currencies.rateOf('BTC').rate) !== '80000').toBe(isUsed);
  });

  test('completes two concurrent refreshes', async () => {
    const both = [await start(), await start()];
    await Promise.all(both.map((currencies) => currencies.refreshRates()));
    expect(both.map((currencies) => currencies.freshRate('BTC'))).toEqual([
      parseRate('80000'),
      parseRate('80000'),
    ]);
  });

  test('runs the refresh job at the configured interval', async () => {
    const config = loadConfig({ APP_ENV: 'test', RATE_REFRESH_SECONDS: '7' });
    const currencies = await start();
    const [job] = module.jobs!({ config, currencies } as never);
    expect(job).toMatchObject({ name: 'rates.refresh', everyMs: 7000 });
    await job!.run();
    expect(currencies.freshRate('BTC')).toBe(parseRate('80000'));
  });
});

describe('history', () => {
  test('stores one rate a minute, returns the last 24 hours with the oldest first, and deletes rates after seven days', async () => {
    const old = [8 * DAY, 6 * DAY, DAY, DAY - 2 * MINUTE].map((ago) => new Date(now - (now % MINUTE) - ago));
    await db
      .insertInto('exchange_rate_points')
      .values(old.map((at) => ({ currency_id: 'BTC', at, usd_rate: parseRate('70000')! })))
      .execute();
    const currencies = await start();
    await currencies.refreshRates();
    now += 30_000;
    market = { BTC: '0.00001' };
    await currencies.refreshRates();
    now += 30_000;
    await currencies.refreshRates();
    const { points, ...rate } = await historyOf(currencies);
    expect(rate).toEqual({
      currencyId: 'BTC',
      usdRate: '100000',
      source: 'coinbase',
      updatedAt: new Date(now).toISOString(),
      stale: false,
    });
    expect(points).toEqual([
      { at: '2026-11-20T09:32:00.000Z', usdRate: '70000' },
      { at: '2026-11-21T09:30:00.000Z', usdRate: '80000' },
      { at: '2026-11-21T09:31:00.000Z', usdRate: '100000' },
    ]);
    const kept = await db
      .selectFrom('exchange_rate_points')
      .select('at')
      .where('currency_id', '=', 'BTC')
      .orderBy('at')
      .execute();
    expect(kept.map((p) => p.at)).not.toContainEqual(old[0]);
    expect(kept.map((p) => p.at)).toContainEqual(old[1]);
  });

  test("returns at most 1440 points of a rate's history", async () => {
    const first = now - (now % MINUTE) - 1600 * MINUTE;
    const values = Array.from({ length: 1601 }, (_, i) => ({
      currency_id: 'BTC',
      at: new Date(first + i * MINUTE),
      usd_rate: BigInt(i + 1),
    }));
    await db.insertInto('exchange_rate_points').values(values).execute();
    const { points } = await historyOf(await start({ RATE_SOURCE: 'fixed' }));
    expect(points).toHaveLength(1440);
    expect(points.at(-1)).toEqual({ at: '2026-11-21T09:30:00.000Z', usdRate: formatRate(1601n) });
  });
});

async function start(env: Record<string, string> = {}): Promise<Currencies> {
  const destination = { write: (line: string) => void lines.push(line) };
  const log = createLog({ level: 'info', service: 'test', destination });
  const url = `http://127.0.0.1:${(outside.address() as AddressInfo).port}/`;
  const config = loadConfig({ APP_ENV: 'test', RATE_SOURCE: 'coinbase', RATE_SOURCE_URL: url, ...env });
  const currencies = createCurrencies({ db, config, log, clock: { now: () => now }, databaseClock });
  created.push(currencies);
  await currencies.start();
  return currencies;
}

const logged = () => lines.map((line) => JSON.parse(line) as Record<string, unknown>);
