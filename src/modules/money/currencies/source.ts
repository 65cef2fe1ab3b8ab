import { z } from 'zod';
import type { Config } from '../../../platform/config/config.ts';
import { parseRate, type Rate } from '../../../platform/money.ts';
import { readBody } from '../../../platform/net/outbound.ts';
import { inverseRate } from './rules.ts';

/** Returns US dollars per whole unit. Unknown currencies are omitted. Throws if the rates cannot be read. */
export type RateSource = {
  name: string;
  fetch(currencyIds: readonly string[]): Promise<Map<string, Rate>>;
};

export function createRateSource(config: Pick<Config, 'RATE_SOURCE' | 'RATE_SOURCE_URL'>): RateSource {
  return config.RATE_SOURCE === 'fixed' ? fixedSource : coinbaseSource(config.RATE_SOURCE_URL);
}

const FIXED_RATES: Readonly<Record<string, string>> = {
  BTC: '95000',
  ETH: '3300',
  USDT: '1',
  USDC: '1',
  LTC: '95',
  TRX: '0.28',
  SOL: '160',
  DOGE: '0.17',
  BNB: '650',
  XRP: '2.2',
  BCH: '480',
  EUR: '1.08',
  USD: '1',
};

/** A table of plausible rates for development and tests. Sends no requests. */
export const fixedSource: RateSource = {
  name: 'fixed',
  fetch: async (currencyIds) => pick(currencyIds, (id) => parseRate(FIXED_RATES[id] ?? '')),
};

const Answer = z.object({
  data: z.object({ currency: z.literal('USD'), rates: z.record(z.string(), z.unknown()) }),
});
const TIMEOUT_MS = 5000;
const LIMIT_BYTES = 1024 * 1024;

/**
 * The public Coinbase rates. Coinbase returns units per US dollar as decimal strings, and this source computes their exact inverse. Values
 * that are not plain positive decimals are skipped.
 */
export function coinbaseSource(url: string, timeoutMs: number = TIMEOUT_MS): RateSource {
  return {
    name: 'coinbase',
    async fetch(currencyIds) {
      const answer = await fetch(url, {
        headers: { accept: 'application/json' },
        redirect: 'error',
        signal: AbortSignal.timeout(timeoutMs),
      });
      if (!answer.ok) {
        await answer.body?.cancel();
        throw new Error(`the rate source answered ${answer.status}`);
      }
      const { rates } = Answer.parse(JSON.parse((await readBody(answer, LIMIT_BYTES)).toString())).data;
      return pick(currencyIds, (id) => {
        const unitsPerUsd = Object.hasOwn(rates, id) ? rates[id] : undefined;
        // A JSON number has already been parsed as a float and may have lost digits.
        return typeof unitsPerUsd === 'string' ? inverseRate(unitsPerUsd) : undefined;
      });
    },
  };
}

function pick(ids: readonly string[], rateOf: (id: string) => Rate | undefined): Map<string, Rate> {
  const found = ids.map((id) => [id, rateOf(id)] as const);
  return new Map(found.filter((entry): entry is [string, Rate] => entry[1] !== undefined));
}
