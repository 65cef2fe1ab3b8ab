import { MAX_UNITS, type Rate } from '../../../platform/money.ts';

const ABSURD_FACTOR = 10n;
const RATE_SCALE = 12;

/**
 * Converts units per US dollar (a decimal string) to the rate floor(10^12 / unitsPerUsd), computed exactly from all digits. Returns
 * undefined if the string is not a plain decimal, or if the rate is zero or exceeds a bigint column.
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

/** Returns true if a rate changed by more than a factor of ten, which is more likely an error in the source than a market move. */
export function isAbsurd(before: Rate, after: Rate): boolean {
  return after > before * ABSURD_FACTOR || after * ABSURD_FACTOR < before;
}

/** Returns true if a rate rose or fell by more than this percentage. */
export function hasJumped(before: Rate, after: Rate, percent: number): boolean {
  const moved = after > before ? after - before : before - after;
  return moved * 100n > before * BigInt(percent);
}
