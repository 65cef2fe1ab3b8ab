/**
 * Exact money. An amount is a bigint counted in units of 10^-8 of its currency (`Units`): the scale of every
 * amount in memory and in the database, whatever the currency shows. A rate is US dollars per one whole
 * unit of a currency, counted in 10^-12 (`Rate`). No float ever touches either; rounding is named at the call.
 */
export type Units = bigint;
export type Rate = bigint;

export const UNIT_DECIMALS = 8;
export const ONE = 100_000_000n;
const RATE_DECIMALS = 12;
const RATE_ONE = 1_000_000_000_000n;
const MAX_RATE: Rate = 2n ** 63n - 1n;

/** Largest amount that a bigint column holds: 92,233,720,368.54775807. */
export const MAX_UNITS: Units = 2n ** 63n - 1n;

/** What an amount looks like on the wire: no sign, no exponent, no leading zeros, at most 12 + 18 digits. */
export const AMOUNT_PATTERN = /^(0|[1-9]\d{0,11})(\.\d{1,18})?$/;

/**
 * Reads a decimal string exactly. Returns undefined when it is not an amount (AMOUNT_PATTERN), when it has
 * more than `decimals` decimals (trailing zeros do not count) or when it is above MAX_UNITS.
 */
export function parseUnits(text: string, decimals: number = UNIT_DECIMALS): Units | undefined {
  const amount = readDecimal(text, decimals);
  return (amount ?? 0n) > MAX_UNITS ? undefined : amount;
}

/** Whether a text is an amount with at most `decimals` decimals that is above MAX_UNITS: of the right form, and too much. */
export function isTooMuch(text: string, decimals: number): boolean {
  return (readDecimal(text, decimals) ?? 0n) > MAX_UNITS;
}

/**
 * Reads a JSON number by its shortest decimal form, digit by digit; undefined like `parseUnits`, for more than eight decimals too.
 */
export function parseNumber(value: number): Units | undefined {
  const [digits, exponent] = String(value).split('e-');
  if (exponent === undefined) return parseUnits(digits!);
  return parseUnits(`0.${'0'.repeat(Number(exponent) - 1)}${digits!.replace('.', '')}`);
}

/** `parseUnits` for constants and trusted text: throws instead of answering undefined. */
export function units(text: string): Units {
  const parsed = parseUnits(text);
  if (parsed === undefined) throw new RangeError(`not an amount: ${text}`);
  return parsed;
}

/** Plain decimal text: no exponent, no trailing zeros ("2", "1.98", "0", "-0.5"). */
export function formatUnits(amount: Units): string {
  return format(amount, UNIT_DECIMALS);
}

/**
 * Reads a rate (US dollars per whole unit). Digits beyond the twelfth decimal are cut off; undefined when it is not a
 * number, when nothing is left of it (amounts are divided by rates), or above 9,223,372.036854775807 (a bigint column).
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

/** floor(a × b / divisor) for amounts that are not negative. */
export function mulDivDown(a: bigint, b: bigint, divisor: bigint): bigint {
  return (a * b) / divisor;
}

/** A whole percentage of an amount that is not negative, rounded down. */
export const percentDown = (amount: Units, percent: number): Units =>
  mulDivDown(amount, BigInt(percent), 100n);

const QUANTA: readonly bigint[] = Array.from(
  { length: UNIT_DECIMALS + 1 },
  (_, d) => 10n ** BigInt(UNIT_DECIMALS - d),
);

/** Cuts an amount off after `decimals` decimals (towards zero). */
export function roundDown(amount: Units, decimals: number): Units {
  const quantum = QUANTA[decimals]!;
  return amount - (amount % quantum);
}

/** The least amount with `decimals` decimals that is not below; for amounts that are not negative. */
function roundUp(amount: Units, decimals: number): Units {
  return roundDown(amount + QUANTA[decimals]! - 1n, decimals);
}

/** US dollars → currency: floor(usd / rate) at the currency's decimals. */
export function usdToCurrencyDown(usd: Units, rate: Rate, decimals: number): Units {
  return roundDown((usd * RATE_ONE) / rate, decimals);
}

/** Currency → US dollars: floor(amount × rate) at 8 decimals. */
export function currencyToUsdDown(amount: Units, rate: Rate): Units {
  return (amount * rate) / RATE_ONE;
}

/** Currency → US dollars: the least amount with `decimals` decimals that buys so much, ceil(amount × rate). */
export function currencyToUsdUp(amount: Units, rate: Rate, decimals: number): Units {
  return roundUp((amount * rate + RATE_ONE - 1n) / RATE_ONE, decimals);
}

/** Reads an amount without an upper bound; undefined when it has another form or more decimals than allowed or stored. */
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
  // May run on into the whole part: the fraction is empty then.
  while (digits.charCodeAt(end - 1) === 48) end--;
  const fraction = digits.slice(digits.length - decimals, end);
  return (negative ? '-' : '') + whole + (fraction ? `.${fraction}` : '');
}
