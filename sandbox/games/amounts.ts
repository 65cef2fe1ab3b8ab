import { parseAmount } from '../payments-amounts.ts';

/** Amounts are integers in units of 10^-18 (payments-amounts.ts). Each dialect has its own unit, given as a number of decimals. */
const DECIMALS = 18;

const scaleOf = (decimals: number): bigint => 10n ** BigInt(DECIMALS - decimals);

/** Converts an amount to a dialect's unit, rounded towards zero. */
export const toUnits = (amount: bigint, decimals: number): bigint => amount / scaleOf(decimals);

export const fromUnits = (units: bigint, decimals: number): bigint => units * scaleOf(decimals);

/** Formats an amount with exactly this number of decimals: "2.00". */
export function fixed(amount: bigint, decimals: number): string {
  const sign = amount < 0n ? '-' : '';
  const units = toUnits(amount < 0n ? -amount : amount, decimals);
  const digits = String(units).padStart(decimals + 1, '0');
  return decimals === 0 ? sign + digits : `${sign}${digits.slice(0, -decimals)}.${digits.slice(-decimals)}`;
}

/** Parses a decimal string or a JSON number, signed or not. Returns null if it is neither. */
export function readAmount(value: unknown): bigint | null {
  const text = String(value);
  const amount = parseAmount(text.startsWith('-') ? text.slice(1) : text);
  return amount === undefined ? null : text.startsWith('-') ? -amount : amount;
}
