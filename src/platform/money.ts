/**
 * Exact money. An amount is a bigint in units of 10^-8 of its currency (`Units`). Every amount in memory and in the database has this
 * scale, regardless of the displayed decimals. A rate is US dollars per whole unit of a currency, in units of 10^-12 (`Rate`). Amounts and
 * rates are never floats. The function name states the rounding.
 */
export type Units = bigint;
export type Rate = bigint;

export const UNIT_DECIMALS = 8;
export const ONE = 100_000_000n;
const RATE_DECIMALS = 12;
const RATE_ONE = 1_000_000_000_000n;
const MAX_RATE: Rate = 2n ** 63n - 1n;

/** Largest amount that a bigint column can store: 92,233,720,368.54775807. */
export const MAX_UNITS: Units = 2n ** 63n - 1n;

/** Format of an amount in the API: no sign, no exponent, no leading zeros, at most 12 + 18 digits. */
export const AMOUNT_PATTERN = /^(0|[1-9]\d{0,11})(\.\d{1,18})?$/;

/**
 * Parses a decimal string exactly. Returns undefined if it is not an amount (AMOUNT_PATTERN) or exceeds MAX_UNITS. Also returns undefined
 * if it has more than `decimals` decimals, not counting trailing zeros.
 */
export function parseUnits(text: string, decimals: number = UNIT_DECIMALS): Units | undefined {
  const amount = readDecimal(text, decimals);
  return (amount ?? 0n) > MAX_UNITS ? undefined : amount;
}

/** Returns true if a string is a well-formed amount with at most `decimals` decimals that exceeds MAX_UNITS. */
export function isTooMuch(text: string, decimals: number): boolean {
  return (readDecimal(text, decimals) ?? 0n) > MAX_UNITS;
}

/**
 * Parses a JSON number exactly, from its shortest decimal form. Returns undefined in the same cases as `parseUnits`, and for more than
 * eight decimals.
 */
export function parseNumber(value: number): Units | undefined {
  const [digits, exponent] = String(value).split('e-');
  if (exponent === undefined) return parseUnits(digits!);
  return parseUnits(`0.${'0'.repeat(Number(exponent) - 1)}${digits!.replace('.', '')}`);
}

/** Like `parseUnits`, for constants and trusted strings. Throws instead of returning undefined. */
export function units(text: string): Units {
  const parsed = parseUnits(text);
  if (parsed === undefined) throw new RangeError(`not an amount: ${text}`);
  return parsed;
}

/** Formats an amount as a plain decimal string: no exponent, no trailing zeros ("2", "1.98", "0", "-0.5"). */
export function formatUnits(amount: Units): string {
  return format(amount, UNIT_DECIMALS);
}

/**
 * Parses a rate (US dollars per whole unit). Digits after the twelfth decimal are cut off. Returns undefined if it is not a number, is zero
 * (amounts are divided by rates), or exceeds 9,223,372.036854775807 (a bigint column).
 */
export function parseRate(text: string): Rate | undefined {
  const match = /^(\d{1,7})(?:\.(\d{1,30}))?$/.exec(text);
  if (!match) return undefined;
  const [, whole, fraction = ''] = match;
  const rate = BigInt(whole! + fraction.slice(0, RATE_DECIMALS).padEnd(RATE_DECIMALS, '0'));
  return rate === 0n || rate > MAX_RATE ? undefined : rate;
}

export function formatRate(rate: Rate): string {
  return format(rate, RATE_DECIMALS);
}

/** Returns floor(a × b / divisor) for non-negative amounts. */
export function mulDivDown(a: bigint, b: bigint, divisor: bigint): bigint {
  return (a * b) / divisor;
}

/** Returns a whole percentage of a non-negative amount, rounded down. */
export const percentDown = (amount: Units, percent: number): Units =>
  mulDivDown(amount, BigInt(percent), 100n);

const QUANTA: readonly bigint[] = Array.from(
  { length: UNIT_DECIMALS + 1 },
  (_, d) => 10n ** BigInt(UNIT_DECIMALS - d),
);

/** Rounds an amount towards zero, to `decimals` decimals. */
export function roundDown(amount: Units, decimals: number): Units {
  const quantum = QUANTA[decimals]!;
  return amount - (amount % quantum);
}

/** Rounds a non-negative amount up, to `decimals` decimals. */
function roundUp(amount: Units, decimals: number): Units {
  return roundDown(amount + QUANTA[decimals]! - 1n, decimals);
}

/** Converts US dollars to a currency: floor(usd / rate) at the currency's decimals. */
export function usdToCurrencyDown(usd: Units, rate: Rate, decimals: number): Units {
  return roundDown((usd * RATE_ONE) / rate, decimals);
}

/** Converts a currency to US dollars: floor(amount × rate) at 8 decimals. */
export function currencyToUsdDown(amount: Units, rate: Rate): Units {
  return (amount * rate) / RATE_ONE;
}

/** Converts a currency to US dollars, rounded up: ceil(amount × rate) at `decimals` decimals. */
export function currencyToUsdUp(amount: Units, rate: Rate, decimals: number): Units {
  return roundUp((amount * rate + RATE_ONE - 1n) / RATE_ONE, decimals);
}

/**
 * Parses an amount without an upper limit. Returns undefined if the format is wrong, or if there are more decimals than allowed or than can
 * be stored.
 */
function readDecimal(text: string, decimals: number): bigint | undefined {
  if (!AMOUNT_PATTERN.test(text)) return undefined;
  const [whole, digits = ''] = text.split('.');
  const fraction = digits.replace(/0+$/, '');
  if (fraction.length > Math.min(decimals, UNIT_DECIMALS)) return undefined;
  return BigInt(whole + fraction.padEnd(UNIT_DECIMALS, '0'));
}

function format(value: bigint, decimals: number): string {
  const negative = value < 0n;
  const digits = (negative ? -value : value).toString().padStart(decimals + 1, '0');
  const whole = digits.slice(0, -decimals);
  let end = digits.length;
  // If all decimals are zero, the loop may continue into the integer part. The fraction is then empty.
  while (digits.charCodeAt(end - 1) === 48) end--;
  const fraction = digits.slice(digits.length - decimals, end);
  return (negative ? '-' : '') + whole + (fraction ? `.${fraction}` : '');
}
