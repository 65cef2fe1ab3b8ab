import { MAX_UNITS, type Rate } from '../../../platform/money.ts';

const ABSURD_FACTOR = 10n;
const RATE_SCALE = 12;

/**
 * The rate of a currency of which one dollar buys `unitsPerUsd` (decimal text): floor(10^12 / unitsPerUsd),
 * exact to the last digit of the text. Undefined when the text is no plain decimal, or the rate is zero or
 * beyond a bigint column.
 */
export function inverseRate(unitsPerUsd: string): Rate | undefined {
  const match = /^(\d{1,30})(?:\.(\d{1,60}))?$/.exec(unitsPerUsd);
  if (!match) return undefined;
  const [, whole, fraction = ''] = match;
  const divisor = BigInt(whole! + fraction);
  if (divisor === 0n) return undefined;
  const rate = 10n ** BigInt(fraction.length + RATE_SCALE) / divisor;
  return rate > 0n && rate <= MAX_UNITS ? rate : undefined;
}

/** Whether a rate moved by more than a factor of ten: a broken source is likelier than such a market. */
export function isAbsurd(before: Rate, after: Rate): boolean {
  return after > before * ABSURD_FACTOR || after * ABSURD_FACTOR < before;
}
