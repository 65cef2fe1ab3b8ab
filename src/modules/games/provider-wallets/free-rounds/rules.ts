import { type Rate, type Units, usdToCurrencyDown } from '../../../../platform/money.ts';
import { providerUnitsOf, type Scale, unitsOf } from '../dialects/amounts/rules.ts';

/**
 * What a round of so many dollars stakes: in whole units of the provider's currency, rounded down, and at least one. `decimals`: of our
 * currency.
 */
export function betOf(
  usd: Units,
  { rate, decimals, scale }: { rate: Rate; decimals: number; scale: Scale },
): Units {
  const whole = providerUnitsOf(usdToCurrencyDown(usd, rate, decimals), scale);
  return unitsOf(whole > 0n ? whole : 1n, scale) ?? 0n;
}

/** What a provider has booked of free rounds. `played`: stakes that stand. */
export type Booked = { won: Units; played: number; hasSum: boolean; isOpen: boolean };

/** Whether all of them were played. */
export const areOver = (
  { rounds, endBy }: { rounds: number; endBy: 'SUM' | 'ROUNDS' },
  { played, hasSum, isOpen }: Booked,
): boolean => (endBy === 'SUM' ? hasSum : played >= rounds && !isOpen);
