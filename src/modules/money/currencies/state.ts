import type { Config } from '../../../platform/config/config.ts';
import type { DatabaseClock } from '../../../platform/database/clock.ts';
import type { Db } from '../../../platform/database/db.ts';
import { createMirror } from '../../../platform/database/mirror.ts';
import { parseRate, type Rate, type Units } from '../../../platform/money.ts';
import type { Log } from '../../../platform/observability/log.ts';
import { type CurrencyRow, readCurrencies } from './queries.ts';

export type Currency = {
  readonly id: string;
  readonly name: string;
  readonly symbol: string;
  readonly type: 'CRYPTO' | 'FIAT';
  /** The number of decimals. The smallest amount is 10^-decimals. */
  readonly decimals: number;
  readonly displayDecimals: number;
  readonly enabled: boolean;
  readonly order: number;
  readonly iconUrl: string | null;
  readonly networks: readonly CurrencyNetwork[];
};
export type CurrencyNetwork = {
  readonly id: string;
  readonly name: string;
  readonly depositEnabled: boolean;
  readonly withdrawEnabled: boolean;
  readonly minDeposit: Units;
  readonly minWithdraw: Units;
  /** The fee that is deducted from the amount of a withdrawal. */
  readonly withdrawFee: Units;
  /** The number of confirmations after which a deposit is final. */
  readonly confirmations: number;
  /** True if all players share one address and are identified by a memo. */
  readonly memoRequired: boolean;
  /** The format of recipient addresses. */
  readonly addressKind: string | null;
  readonly etaMinutes: number;
};

/** A currency in memory. At `staleAt` (milliseconds of the database clock), its rate becomes too old for bets. */
export type Entry = { currency: Currency; rate: Rate; source: string; updatedAt: Date; staleAt: number };

type Deps = { db: Db; config: Config; log: Log; databaseClock: DatabaseClock };

export type Memory = ReturnType<typeof createMemory>;

/** Rates are in US dollars, so the dollar's own rate is 1 and never stale. */
export const USD = { id: 'USD', rate: parseRate('1')!, source: 'fixed' } as const;

const CHANNEL = 'currencies_changed';
/** The interval at which data is reloaded even without a notification. */
const RELOAD_MS = 30_000;

/**
 * Keeps all currencies in memory and reloads them on each notification and at intervals. If a read fails, the rates in memory remain until
 * they become stale.
 */
export function createMemory({ db, config, log, databaseClock }: Deps) {
  let entries = new Map<string, Entry>();
  let all: readonly Entry[] = [];
  let reloading: NodeJS.Timeout | undefined;
  const mirror = createMirror({
    what: 'currencies and rates',
    channel: CHANNEL,
    read: () => readCurrencies(db),
    apply: (rows) => {
      all = rows.map((row) => toEntry(row, config));
      entries = new Map(all.map((entry) => [entry.currency.id, entry]));
    },
    databaseClock,
    log,
  });
  return {
    reload: mirror.reload,
    find: (id: string): Entry | undefined => entries.get(id),
    /** Returns the same array until the next reload. */
    all: (): readonly Entry[] => all,
    /** Loads all currencies and starts to listen for changes. Throws if the load fails. */
    async start(): Promise<void> {
      await mirror.start();
      reloading = setInterval(() => void mirror.reload(), RELOAD_MS).unref();
    },
    async close(): Promise<void> {
      clearInterval(reloading);
      await mirror.close();
    },
  };
}

function toEntry(row: CurrencyRow, config: Config): Entry {
  const currency: Currency = {
    id: row.id,
    name: row.name,
    symbol: row.symbol,
    type: row.type === 'FIAT' ? 'FIAT' : 'CRYPTO',
    decimals: row.decimals,
    displayDecimals: row.display_decimals,
    enabled: row.enabled,
    order: row.sort_order,
    iconUrl: row.icon_url,
    networks: row.networks.map((network) => ({
      ...network,
      minDeposit: BigInt(network.minDeposit),
      minWithdraw: BigInt(network.minWithdraw),
      withdrawFee: BigInt(network.withdrawFee),
    })),
  };
  return { currency, ...rateOf(row, config) };
}

/** A currency without a rate has the rate 0 and is always stale. */
function rateOf(row: CurrencyRow, config: Config): Omit<Entry, 'currency'> {
  const updatedAt = row.updated_at ?? new Date(0);
  if (row.id === USD.id) return { rate: USD.rate, source: USD.source, updatedAt, staleAt: Infinity };
  if (row.usd_rate === null || row.source === null) {
    return { rate: 0n, source: 'none', updatedAt, staleAt: -Infinity };
  }
  // Fixed rates from a previous configuration become stale, because they are not market prices.
  const isConstant = row.source === 'fixed' && config.RATE_SOURCE === 'fixed';
  const staleAt = isConstant ? Infinity : updatedAt.getTime() + config.RATE_MAX_AGE_SECONDS * 1000;
  return { rate: row.usd_rate, source: row.source, updatedAt, staleAt };
}
