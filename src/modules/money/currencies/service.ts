import type { z } from 'zod';
import { type Clock, iso } from '../../../platform/clock.ts';
import type { Config } from '../../../platform/config.ts';
import type { DatabaseClock } from '../../../platform/database-clock.ts';
import type { Db } from '../../../platform/db.ts';
import { derived } from '../../../platform/derived.ts';
import { commonErrors } from '../../../platform/errors.ts';
import type { Log } from '../../../platform/log.ts';
import { currencyToUsdDown, formatRate, type Rate, type Units } from '../../../platform/money.ts';
import { currencyErrors } from './errors.ts';
import { readPoints } from './queries.ts';
import { refreshRates } from './refresh.ts';
import type { CurrencyDto, ExchangeRate, ExchangeRateDetail } from './schemas.ts';
import { createRateSource } from './source.ts';
import { type Currency, createMemory, type Entry, type Memory } from './state.ts';

const HISTORY_MS = 24 * 3_600_000;
const MAX_POINTS = 1440;

export type Currencies = ReturnType<typeof createCurrencies>;

/**
 * Currencies and their rates, from memory: no bet waits for a query. A change by another process is loaded on its notification.
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

  /** Asks the configured source and stores its rates; see refresh.ts. */
  const refresh = async (): Promise<void> => {
    await refreshRates({ ...parts, source });
    await memory.reload();
  };
  return {
    ...reads,
    ...createViews(parts, reads),
    refreshRates: refresh,
    close: memory.close,

    /**
     * Loads everything, or throws. A single process with fixed rates stores them itself: it needs no worker.
     */
    async start(): Promise<void> {
      await memory.start();
      const lacksRates = memory.all().some((entry) => entry.source !== 'fixed');
      if (source.name === 'fixed' && lacksRates) await refresh();
    },
  };
}

type Reads = ReturnType<typeof createReads>;

/** Synchronous, for the hot path. Ids of currencies that do not exist throw CURRENCY_NOT_FOUND. */
function createReads(memory: Memory, clock: Clock) {
  const known = (id: string): Entry => {
    const entry = memory.find(id);
    if (!entry) throw commonErrors.CURRENCY_NOT_FOUND({ currencyId: id });
    return entry;
  };
  return {
    /** Throws CURRENCY_NOT_FOUND for disabled currencies too. */
    get(id: string): Currency {
      const { currency } = known(id);
      if (!currency.enabled) throw commonErrors.CURRENCY_NOT_FOUND({ currencyId: id });
      return currency;
    },

    /** Undefined for unknown and for disabled currencies. */
    find(id: string): Currency | undefined {
      const currency = memory.find(id)?.currency;
      return currency?.enabled ? currency : undefined;
    },

    /** Also of disabled currencies: coins may be on their way. Empty for unknown ones. */
    networksOf: (id: string): Currency['networks'] => memory.find(id)?.currency.networks ?? [],

    /** Those that are enabled, in their order. */
    list: derived(
      () => [memory.all()],
      (all): Currency[] => all.flatMap(({ currency }) => (currency.enabled ? [currency] : [])),
    ),

    /** Also for disabled currencies. One that never had a rate answers 0, stale. */
    rateOf(id: string): { rate: Rate; source: string; updatedAt: Date; stale: boolean } {
      const { rate, source, updatedAt, staleAt } = known(id);
      return { rate, source, updatedAt, stale: clock.now() >= staleAt };
    },

    /** Of all of them, disabled ones too. */
    ids: (): string[] => memory.all().map(({ currency }) => currency.id),

    /**
     * The rate to bet with: throws RATE_STALE when it is too old. Whether the currency is enabled is for
     * `get`.
     */
    freshRate(currency: Currency | string): Rate {
      const entry = known(typeof currency === 'string' ? currency : currency.id);
      if (clock.now() < entry.staleAt) return entry.rate;
      throw currencyErrors.RATE_STALE({ currencyId: entry.currency.id, updatedAt: iso(entry.updatedAt) });
    },

    /** Rounded down at the last known rate, stale or not; also for disabled currencies. */
    toUsd: (id: string, amount: Units): Units => currencyToUsdDown(amount, known(id).rate),
  };
}

/** What the routes answer. */
function createViews({ db, clock }: { db: Db; clock: Clock }, { get, list, rateOf }: Reads) {
  const toExchangeRate = (id: string): z.input<typeof ExchangeRate> => {
    const { rate, source, updatedAt, stale } = rateOf(id);
    return { currencyId: id, usdRate: formatRate(rate), source, updatedAt: iso(updatedAt), stale };
  };
  return {
    catalogue: derived(
      // Read again with every change of a rate.
      () => [list()],
      (all): z.input<typeof CurrencyDto>[] =>
        all.map((c) => ({ ...c, networks: [...c.networks], usdRate: formatRate(rateOf(c.id).rate) })),
    ),

    rates: (): z.input<typeof ExchangeRate>[] => list().map((c) => toExchangeRate(c.id)),

    /** With the last 24 hours, oldest first. Throws CURRENCY_NOT_FOUND. */
    async rateHistory(currencyId: string): Promise<z.input<typeof ExchangeRateDetail>> {
      const { id } = get(currencyId);
      const to = new Date(clock.now());
      const from = new Date(to.getTime() - HISTORY_MS);
      const points = await readPoints(db, { id, from, to, limit: MAX_POINTS });
      return {
        ...toExchangeRate(id),
        points: points.map((p) => ({ at: iso(p.at), usdRate: formatRate(p.usd_rate) })),
      };
    },
  };
}
