import { z } from 'zod';
import { Decimal, object } from '../../../http/schemas.ts';
import { type Clock, iso } from '../../../platform/clock.ts';
import type { Config } from '../../../platform/config/config.ts';
import type { DatabaseClock } from '../../../platform/database/clock.ts';
import type { Db } from '../../../platform/database/db.ts';
import { whileStarting } from '../../../platform/database/while-starting.ts';
import { derived } from '../../../platform/derived.ts';
import { commonErrors } from '../../../platform/errors.ts';
import { currencyToUsdDown, formatRate, type Rate, type Units } from '../../../platform/money.ts';
import type { Log } from '../../../platform/observability/log.ts';
import { currencyErrors } from './errors.ts';
import { areRatesDue, refreshRates } from './refresh.ts';
import { createRateSource } from './source.ts';
import { type Currency, createMemory, type Entry, type Memory } from './state.ts';

const CurrencyNetwork = object('CurrencyNetwork', {
  id: z.string().meta({ example: 'tron' }),
  name: z.string(),
  depositEnabled: z.boolean(),
  withdrawEnabled: z.boolean(),
});

export const CurrencyDto = object('CurrencyDto', {
  id: z.string().meta({ example: 'USDT' }),
  name: z.string(),
  symbol: z.string(),
  type: z.enum(['CRYPTO', 'FIAT']),
  decimals: z.number().int(),
  displayDecimals: z.number().int(),
  usdRate: Decimal,
  networks: z.array(CurrencyNetwork),
  enabled: z.boolean(),
  order: z.number(),
  iconUrl: z.string().nullable(),
});

export type CurrencyDeps = { db: Db; config: Config; databaseClock: DatabaseClock; currencies: Currencies };

export type Currencies = ReturnType<typeof createCurrencies>;

/**
 * Keeps currencies and their rates in memory, so that no bet waits for a query. When another process changes them, a notification triggers
 * a reload.
 */
export function createCurrencies(parts: {
  db: Db;
  config: Config;
  log: Log;
  clock: Clock;
  databaseClock: DatabaseClock;
}) {
  const source = createRateSource(parts.config);
  const memory = createMemory(parts);
  const reads = createReads(memory, parts.clock);

  /** Reads the configured source and stores its rates; see refresh.ts. */
  const refresh = async (): Promise<void> => {
    await refreshRates({ ...parts, source });
    await memory.reload();
  };
  return {
    ...reads,

    /** The list that the API returns. It is computed again whenever a rate changes. */
    catalogue: derived(
      () => [reads.list()],
      (all): z.input<typeof CurrencyDto>[] =>
        all.map((c) => ({ ...c, networks: [...c.networks], usdRate: formatRate(reads.rateOf(c.id).rate) })),
    ),

    refreshRates: refresh,
    /** Returns true unless a worker has read the source within the current interval. */
    areRatesDue: () => areRatesDue(parts),
    close: memory.close,

    /** Loads all currencies and rates, or throws. If rates are fixed, this process stores them, so that no worker is needed. */
    async start(): Promise<void> {
      await memory.start();
      const lacksRates = memory.all().some((entry) => entry.source !== 'fixed');
      if (source.name === 'fixed' && lacksRates)
        await whileStarting(
          { what: 'rates', log: parts.log, timeoutMs: parts.databaseClock.startTimeoutMs },
          refresh,
        );
    },
  };
}

/** Synchronous reads that are used when bets are placed. Unknown ids throw CURRENCY_NOT_FOUND. */
function createReads(memory: Memory, clock: Clock) {
  const known = (id: string): Entry => {
    const entry = memory.find(id);
    if (!entry) throw commonErrors.CURRENCY_NOT_FOUND({ currencyId: id });
    return entry;
  };
  return {
    /** Also throws CURRENCY_NOT_FOUND for disabled currencies. */
    get(id: string): Currency {
      const { currency } = known(id);
      if (!currency.enabled) throw commonErrors.CURRENCY_NOT_FOUND({ currencyId: id });
      return currency;
    },

    /** Returns undefined for unknown and disabled currencies. */
    find(id: string): Currency | undefined {
      const currency = memory.find(id)?.currency;
      return currency?.enabled ? currency : undefined;
    },

    /**
     * Returns the networks of a currency. They are also returned for a disabled currency, because coins may be in transit. An unknown
     * currency has none.
     */
    networksOf: (id: string): Currency['networks'] => memory.find(id)?.currency.networks ?? [],

    /** Enabled currencies in their display order. */
    list: derived(
      () => [memory.all()],
      (all): Currency[] => all.flatMap(({ currency }) => (currency.enabled ? [currency] : [])),
    ),

    /** Returns the last rate, even for disabled currencies. For a currency without a rate, returns the rate 0, marked as stale. */
    rateOf(id: string): { rate: Rate; source: string; updatedAt: Date; stale: boolean } {
      const { rate, source, updatedAt, staleAt } = known(id);
      return { rate, source, updatedAt, stale: clock.now() >= staleAt };
    },

    /** Ids of all currencies, including disabled ones. */
    ids: (): string[] => memory.all().map(({ currency }) => currency.id),

    /** The rate for bets. Throws RATE_STALE if it is too old. Does not check that the currency is enabled; see `get`. */
    freshRate(currency: Currency | string): Rate {
      const entry = known(typeof currency === 'string' ? currency : currency.id);
      if (clock.now() < entry.staleAt) return entry.rate;
      throw currencyErrors.RATE_STALE({ currencyId: entry.currency.id, updatedAt: iso(entry.updatedAt) });
    },

    /** Converts at the last rate, even if it is stale, and rounds down. Also works for disabled currencies. */
    toUsd: (id: string, amount: Units): Units => currencyToUsdDown(amount, known(id).rate),
  };
}
