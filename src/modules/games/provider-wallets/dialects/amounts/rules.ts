import { MAX_UNITS, ONE, UNIT_DECIMALS, type Units, units } from '../../../../../platform/money.ts';

/** How a currency counts: one of the provider's is `factor` of ours, and it has this many places. */
export type Scale = { factor: string; decimals: number };

/**
 * An amount in the provider's smallest unit (10^-decimals of its currency) in ours, exactly. Undefined: it has more than eight decimals
 * of ours, or is more than can be stored. Signs are kept.
 */
export function unitsOf(amount: bigint, { factor, decimals }: Scale): Units | undefined {
  const scaled = amount * units(factor);
  const divisor = 10n ** BigInt(decimals);
  if (scaled % divisor !== 0n) return undefined;
  const ours = scaled / divisor;
  return ours > MAX_UNITS || -ours > MAX_UNITS ? undefined : ours;
}

/** An amount of ours in the provider's smallest unit. A rest below it is cut off, so that more is never shown than is there. */
export const providerUnitsOf = (amount: Units, { factor, decimals }: Scale): bigint =>
  (amount * 10n ** BigInt(decimals)) / units(factor);

const DECIMAL = /^(-?)(0|[1-9]\d{0,17})(?:\.(\d{1,18}))?$/;

/** Decimal text in units of 10^-decimals; zeros at the end do not count. Undefined: no decimal number, or one with more places. */
export function readDecimal(text: string, decimals: number): bigint | undefined {
  const match = DECIMAL.exec(text);
  if (!match) return undefined;
  const [, sign, whole, digits = ''] = match;
  const fraction = digits.replace(/0+$/, '');
  if (fraction.length > decimals) return undefined;
  const amount = BigInt(whole! + fraction.padEnd(decimals, '0'));
  return sign === '' ? amount : -amount;
}

/** Decimal text of the provider's currency in ours; undefined: no decimal number, or one with more places than it has there. */
export function unitsOfText(text: string, scale: Scale): Units | undefined {
  const amount = readDecimal(text, scale.decimals);
  return amount === undefined ? undefined : unitsOf(amount, scale);
}

/** The reverse of `readDecimal`, always with all places ("115.00"); for amounts that are not negative. */
export function decimalText(amount: bigint, decimals: number): string {
  const digits = amount.toString().padStart(decimals + 1, '0');
  return decimals === 0 ? digits : `${digits.slice(0, -decimals)}.${digits.slice(-decimals)}`;
}

/** Hub88 counts every currency in 10^-5. */
export const HUB88_DECIMALS = 5;

/** A balance in Hub88's unit, with no more places than the currency has there. */
export function hub88BalanceOf(amount: Units, { factor, decimals }: Scale): bigint {
  const places = Math.min(decimals, HUB88_DECIMALS);
  return providerUnitsOf(amount, { factor, decimals: places }) * 10n ** BigInt(HUB88_DECIMALS - places);
}

/** A balance of ours in the provider's currency, as Units that have no more places than it has. */
export const shownUnitsOf = (amount: Units, scale: Scale): Units =>
  (providerUnitsOf(amount, scale) * ONE) / 10n ** BigInt(Math.min(scale.decimals, UNIT_DECIMALS));

const WHOLE = /^-?\d{1,30}$/;

/** A number of JSON as an integer: as it was read, or as it was written (`rawJSON`). Undefined: it has a fraction or an exponent. */
export function integerOf(value: number | { rawJSON: string }): bigint | undefined {
  if (typeof value === 'number') return Number.isSafeInteger(value) ? BigInt(value) : undefined;
  return WHOLE.test(value.rawJSON) ? BigInt(value.rawJSON) : undefined;
}
