import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { createTestDatabase } from '../../../../test/kit/database.ts';
import { fixture } from '../../../../test/kit/fixture.ts';
import { bind } from '../../../http/operation.ts';
import { loadConfig } from '../../../platform/config/config.ts';
import { type DatabaseClock, startDatabaseClock } from '../../../platform/database/clock.ts';
import { createDb, createPool, type Db, type DbOptions } from '../../../platform/database/db.ts';
import { parseRate, units } from '../../../platform/money.ts';
import { createLog, silentLog } from '../../../platform/observability/log.ts';
import { currencies as module } from './module.ts';
import { type Currencies, createCurrencies } from './service.ts';

const MINUTE = 60_000;

let db: Db;
let databaseClock: DatabaseClock;
let now: number;
let lines: string[];
const created: Currencies[] = [];

const database = fixture(createTestDatabase);
beforeAll(async () => {
  db = connect();
  databaseClock = await startDatabaseClock(optionsOf(database.url), silentLog);
});
beforeEach(async () => {
  now = Date.parse('2026-11-21T09:30:20Z');
  lines = [];
  await db.deleteFrom('exchange_rates').execute();
  await db.deleteFrom('exchange_rate_points').execute();
  await db.updateTable('currencies').set({ enabled: true }).execute();
});
afterEach(async () => {
  await Promise.all(created.splice(0).map((currencies) => currencies.close()));
});
afterAll(async () => {
  await databaseClock.close();
  await db.destroy();
});

describe('currencies', () => {
  test('starts with all currencies and their rates in order', async () => {
    const currencies = await start();
    const all = currencies.list();
    expect(all.map((c) => c.id)).toEqual(
      expect.arrayContaining(['BTC', 'ETH', 'USDT', 'USDC', 'LTC', 'TRX', 'SOL', 'DOGE', 'EUR', 'USD']),
    );
    expect(all.map((c) => c.order)).toEqual(all.map((c) => c.order).sort((a, b) => a - b));
    for (const currency of all) {
      expect(currency.networks.length).toBeGreaterThan(0);
      expect(currency.displayDecimals).toBeLessThanOrEqual(currency.decimals);
      expect(currencies.freshRate(currency)).toBeGreaterThan(0n);
    }
    expect(currencies.get('BTC')).toMatchObject({ decimals: 8, type: 'CRYPTO', enabled: true });
    expect(currencies.get('EUR')).toMatchObject({ decimals: 2, type: 'FIAT', networks: [{ id: 'sepa' }] });
    expect(currencies.get('USDT').networks.map((n) => n.id)).toEqual(
      expect.arrayContaining(['ethereum', 'tron', 'bsc']),
    );
  });

  test('hides unknown and disabled currencies, but still converts disabled ones', async () => {
    await db.updateTable('currencies').set({ enabled: false }).where('id', '=', 'DOGE').execute();
    const currencies = await start();
    for (const id of ['NOPE', '', 'btc', 'DOGE', 'constructor']) {
      expect(() => currencies.get(id)).toThrow(
        expect.objectContaining({ code: 'CURRENCY_NOT_FOUND', status: 404 }),
      );
      expect(currencies.find(id)).toBeUndefined();
    }
    expect(currencies.list().map((c) => c.id)).not.toContain('DOGE');
    expect(currencies.toUsd('DOGE', units('100'))).toBe(units('17'));
    expect(() => currencies.toUsd('NOPE', 1n)).toThrow(
      expect.objectContaining({ code: 'CURRENCY_NOT_FOUND' }),
    );
  });

  test('reloads after a change by another process', async () => {
    const currencies = await start();
    await db.updateTable('currencies').set({ enabled: false }).where('id', '=', 'SOL').execute();
    await db
      .updateTable('exchange_rates')
      .set({ usd_rate: parseRate('7')! })
      .where('currency_id', '=', 'EUR')
      .execute();
    await vi.waitFor(() => {
      expect(currencies.find('SOL')).toBeUndefined();
      expect(currencies.freshRate('EUR')).toBe(parseRate('7'));
    }, 4000);
  });

  test('keeps the loaded currencies during an outage, logs the outage once, and recovers', async () => {
    const away = connect();
    const currencies = await start({}, away);
    const reads = vi.spyOn(away, 'selectFrom').mockImplementation(() => {
      throw new Error('gone');
    });
    await db.updateTable('currencies').set({ enabled: true }).execute();
    await vi.waitFor(() => expect(reads.mock.calls.length).toBeGreaterThanOrEqual(2), 6000);
    expect(currencies.freshRate('BTC')).toBe(parseRate('95000'));
    expect(logged()).toEqual([expect.objectContaining({ level: 'warn', error: 'gone' })]);
    reads.mockRestore();
    await vi.waitFor(() => expect(logged()).toHaveLength(2), 4000);
    await currencies.close();
    await away.destroy();
  });

  test('fails to start without a database', async () => {
    const gone = connect('postgres://croupier@127.0.0.1:1/croupier');
    await expect(create({}, gone).start()).rejects.toThrow();
  });
});

describe('fixed rates', () => {
  test('stores fixed rates when the process starts, and never marks them as stale', async () => {
    const currencies = await start();
    expect(await db.selectFrom('exchange_rates').select('source').distinct().execute()).toEqual([
      { source: 'fixed' },
    ]);
    now += 1_000_000 * MINUTE;
    expect(currencies.rateOf('BTC')).toMatchObject({
      rate: parseRate('95000'),
      source: 'fixed',
      stale: false,
    });
    expect(currencies.freshRate(currencies.get('BTC'))).toBe(parseRate('95000'));
  });

  test('replaces the rates of another source with fixed rates only once', async () => {
    const values = { currency_id: 'BTC', usd_rate: 1n, source: 'coinbase', updated_at: new Date(now) };
    await db.insertInto('exchange_rates').values(values).execute();
    expect((await start()).freshRate('BTC')).toBe(parseRate('95000'));
    now += MINUTE;
    await start();
    const [row] = await db
      .selectFrom('exchange_rates')
      .selectAll()
      .where('currency_id', '=', 'BTC')
      .execute();
    expect(row!.updated_at.getTime()).toBe(now - MINUTE);
  });

  test('marks fixed rates as stale once a live source is configured', async () => {
    await start();
    const currencies = await start({ RATE_SOURCE: 'coinbase' });
    expect(currencies.freshRate('BTC')).toBe(parseRate('95000'));
    now += 5 * MINUTE;
    expect(() => currencies.freshRate('BTC')).toThrow(expect.objectContaining({ code: 'RATE_STALE' }));
  });
});

test('lists currencies and rates without a session, in the form that the schema declares', async () => {
  await db.updateTable('currencies').set({ enabled: false }).where('id', '=', 'DOGE').execute();
  const currencies = await start();
  const routes = bind(module.operations, { db, databaseClock: { now: () => now }, currencies } as never);
  expect(routes.map((r) => [r.method, r.path, r.tag, r.access])).toEqual([
    ['GET', '/currency', 'Currency', 'anonymous'],
    ['GET', '/exchange-rates', 'Exchange Rates', 'anonymous'],
    ['GET', '/exchange-rates/{currencyId}', 'Exchange Rates', 'anonymous'],
  ]);
  const [list, rates, detail] = routes.map((r) => (params: object) => r.handler({ params } as never));
  const catalogue = routes[0]!.response!.parse(await list!({})) as { id: string; usdRate: string }[];
  expect(catalogue.find((c) => c.id === 'TRX')).toMatchObject({
    usdRate: '0.28',
    iconUrl: null,
    networks: [{ id: 'tron', depositEnabled: true }],
  });
  expect(catalogue.map((c) => c.id)).not.toContain('DOGE');
  expect(routes[1]!.response!.parse(await rates!({}))).toHaveLength(catalogue.length);
  expect(routes[2]!.response!.parse(await detail!({ currencyId: 'EUR' }))).toMatchObject({
    usdRate: '1.08',
    points: [{ usdRate: '1.08' }],
  });
  for (const currencyId of ['NOPE', 'DOGE', 'x'.repeat(100)]) {
    await expect(detail!({ currencyId })).rejects.toMatchObject({ code: 'CURRENCY_NOT_FOUND', status: 404 });
  }
});

function create(env: Record<string, string> = {}, on: Db = db): Currencies {
  const destination = { write: (line: string) => void lines.push(line) };
  const log = createLog({ level: 'info', service: 'test', destination });
  const config = loadConfig({ APP_ENV: 'test', ...env });
  const currencies = createCurrencies({ db: on, config, log, clock: { now: () => now }, databaseClock });
  created.push(currencies);
  return currencies;
}

async function start(env: Record<string, string> = {}, on: Db = db): Promise<Currencies> {
  const currencies = create(env, on);
  await currencies.start();
  return currencies;
}

function connect(connectionString: string = database.url): Db {
  return createDb(createPool(optionsOf(connectionString), silentLog));
}

const optionsOf = (connectionString: string): DbOptions => ({
  connectionString,
  poolSize: 4,
  name: 'test',
  connectTimeoutMs: 5000,
  statementTimeoutMs: 10_000,
});

const logged = () => lines.map((line) => JSON.parse(line) as Record<string, unknown>);
