import { parseAmount } from '../payments-amounts.ts';

/** Amounts are counted in 10^-18 (payments-amounts.ts); a dialect counts in whole units of its own, so many decimals below one. */
const DECIMALS = 18;

const scaleOf = (decimals: number): bigint => 10n ** BigInt(DECIMALS - decimals);

/** Rounded towards zero. */
export const toUnits = (amount: bigint, decimals: number): bigint => amount / scaleOf(decimals);

export const fromUnits = (units: bigint, decimals: number): bigint => units * scaleOf(decimals);

/** With exactly so many decimals: "2.00". */
export function fixed(amount: bigint, decimals: number): string {
  const sign = amount < 0n ? '-' : '';
  const units = toUnits(amount < 0n ? -amount : amount, decimals);
  const digits = String(units).padStart(decimals + 1, '0');
  return decimals === 0 ? sign + digits : `${sign}${digits.slice(0, -decimals)}.${digits.slice(-decimals)}`;
}

/** Decimal text or a JSON number, with a sign or without. Null: it is none. */
export function readAmount(value: unknown): bigint | null {
  const text = String(value);
  const amount = parseAmount(text.startsWith('-') ? text.slice(1) : text);
  return amount === undefined ? null : text.startsWith('-') ? -amount : amount;
}
