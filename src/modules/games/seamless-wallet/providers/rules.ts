import { type Rate, type Units, usdToCurrencyDown } from '../../../../platform/money.ts';
import { providerUnitsOf, type Scale, unitsOf } from './dialects/rules.ts';

/**
 * Returns the stake of a free round worth `usd`, rounded down to a whole number of the provider's smallest units, but at least one.
 * `decimals`: the decimals of our currency.
 */
export function betOf(
  usd: Units,
  { rate, decimals, scale }: { rate: Rate; decimals: number; scale: Scale },
): Units {
  const whole = providerUnitsOf(usdToCurrencyDown(usd, rate, decimals), scale);
  return unitsOf(whole > 0n ? whole : 1n, scale) ?? 0n;
}

/** A provider's transactions of free rounds. `played`: number of stakes that were not rolled back. */
export type Booked = { won: Units; played: number; hasSum: boolean; isOpen: boolean };

/** Returns true if all free rounds were played. */
export const areOver = (
  { rounds, endBy }: { rounds: number; endBy: 'SUM' | 'ROUNDS' },
  { played, hasSum, isOpen }: Booked,
): boolean => (endBy === 'SUM' ? hasSum : played >= rounds && !isOpen);
