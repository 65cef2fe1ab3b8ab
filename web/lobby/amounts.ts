import { formatUnits, units } from '../../src/platform/money.ts';

/** The amount of a decimal string, which may be negative: a net result, or a commission after a reversal. */
export const signed = (amount: string): bigint =>
  amount.startsWith('-') ? -units(amount.slice(1)) : units(amount);

/** The sum of decimal strings. */
export const sum = (amounts: readonly string[]): string =>
  formatUnits(amounts.reduce((total, amount) => total + signed(amount), 0n));

/** `whole` minus `part`, at least 0. */
export function rest(whole: string, part: string): string {
  const left = signed(whole) - signed(part);
  return formatUnits(left > 0n ? left : 0n);
}

export const isPositive = (amount: string): boolean => signed(amount) > 0n;

/** The percentage in whole numbers, rounded down and at most 100, so that 100 % means reached. */
export function percentOf(part: string, whole: string): number {
  const all = signed(whole);
  if (all <= 0n) return 100;
  return Math.min(100, Math.max(0, Number((signed(part) * 100n) / all)));
}
