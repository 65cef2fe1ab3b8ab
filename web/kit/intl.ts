import { serverNow } from './clock.ts';
import { kit } from './words.ts';

/**
 * Formats for the language of the page. Texts never join numbers, units or plural endings themselves.
 *
 * Formatters are created once for each language and options, because creating one takes far longer than using it.
 */
const made = new Map<string, unknown>();
function once<T>(key: string, make: (locale: string) => T): T {
  const id = `${kit.locale} ${key}`;
  const known = made.get(id) as T | undefined;
  if (known !== undefined) return known;
  const fresh = make(kit.locale);
  made.set(id, fresh);
  return fresh;
}

const numbers = (options: Intl.NumberFormatOptions) =>
  once(JSON.stringify(options), (locale) => new Intl.NumberFormat(locale, options));

const MINUS = '−';

/** A number, such as 1,204. A decimal string is formatted exactly. */
export const number = (value: number | bigint | string, most = 2) =>
  numbers({ maximumFractionDigits: most })
    .format(value as Intl.StringNumericLiteral)
    .replace('-', MINUS);

/** A number with a fixed count of decimals: `fixed(74.2)` is 74.20. */
export const fixed = (value: number, decimals = 2) =>
  numbers({ minimumFractionDigits: decimals, maximumFractionDigits: decimals }).format(value);

/** A short number for the axis of a chart: 1.7K. */
export const short = (value: number) =>
  numbers({ notation: 'compact', maximumFractionDigits: 2 }).format(value);

/** A short amount of dollars for the axis of a chart: $1.7K. */
export const shortMoney = (value: number) =>
  numbers({
    style: 'currency',
    currency: 'USD',
    currencyDisplay: 'narrowSymbol',
    notation: 'compact',
    maximumFractionDigits: 2,
  })
    .format(value)
    .replace('-', MINUS);

/** `percent(49.5)` is 49.5%. */
export const percent = (value: number | string, most = 2) =>
  numbers({ style: 'percent', maximumFractionDigits: most })
    .format(Number(value) / 100)
    .replace('-', MINUS);

/** `multiplier('2')` is 2.00×. */
export const multiplier = (value: number | string) =>
  `${numbers({ minimumFractionDigits: 2, maximumFractionDigits: 2, roundingMode: 'trunc' } as Intl.NumberFormatOptions).format(value as Intl.StringNumericLiteral)}×`;

/** Currencies that are shown with two decimals. */
const TWO_DECIMALS = /^(USD|EUR|GBP|BRL|USDT|USDC|DAI|BUSD|TUSD|[A-Z]*USD[A-Z]*)$/;

/**
 * The figures of an amount: two decimals for dollars and stablecoins, otherwise up to eight without trailing zeros. Rounds down, so that
 * players never see more than they have, or less than they have lost.
 */
export const figures = (amount: string, currency: string) =>
  numbers({
    minimumFractionDigits: 2,
    maximumFractionDigits: TWO_DECIMALS.test(currency) ? 2 : 8,
    roundingMode: 'floor',
  } as Intl.NumberFormatOptions).format(amount as Intl.StringNumericLiteral);

/** An amount with all its decimals and its currency: 0.009 USDT. For confirmations of money that moves. */
export const exactMoney = (amount: string, currency: string): string =>
  `${numbers({ minimumFractionDigits: 2, maximumFractionDigits: 18 }).format(amount as Intl.StringNumericLiteral)}\u00a0${currency}`;

/** An amount with its currency: $1,204.50 or 0.0028 BTC. `isSigned` adds a plus to gains. */
export function money(amount: string, currency = 'USD', isSigned = false): string {
  if (currency !== 'USD') return `${figures(amount, currency)}\u00a0${currency}`;
  return numbers({
    style: 'currency',
    currency,
    currencyDisplay: 'narrowSymbol',
    roundingMode: 'floor',
    ...(isSigned && { signDisplay: 'exceptZero' }),
  } as Intl.NumberFormatOptions)
    .format(amount as Intl.StringNumericLiteral)
    .replace('-', MINUS);
}

const dates = (options: Intl.DateTimeFormatOptions) =>
  once(JSON.stringify(options), (locale) => new Intl.DateTimeFormat(locale, options));
const asDate = (at: string | number | Date) => new Date(at);

/** 24 Nov 2026 */
export const date = (at: string | number | Date) => dates({ dateStyle: 'medium' }).format(asDate(at));
/** Tue 24 Nov: a day that begins at this moment in the time zone. Default: the reader's time zone. */
export const day = (at: string | number | Date, timeZone?: string) =>
  dates({ weekday: 'short', day: 'numeric', month: 'short', ...(timeZone && { timeZone }) }).format(
    asDate(at),
  );
/** 24 Nov, in a time zone. */
export const shortDay = (at: string | number | Date, timeZone?: string) =>
  dates({ day: 'numeric', month: 'short', ...(timeZone && { timeZone }) }).format(asDate(at));
/** 20:34 */
export const time = (at: string | number | Date) => dates({ timeStyle: 'short' }).format(asDate(at));
/** 20:34:05 */
export const clock = (at: string | number | Date) => dates({ timeStyle: 'medium' }).format(asDate(at));
/** 24 Nov, 20:34; with the year if it is not the current one. */
export function moment(at: string | number | Date): string {
  const isThisYear = asDate(at).getFullYear() === new Date(serverNow()).getFullYear();
  return dates({
    day: 'numeric',
    month: 'short',
    ...(isThisYear ? {} : { year: 'numeric' }),
    hour: '2-digit',
    minute: '2-digit',
  }).format(asDate(at));
}
/** 24 Nov 2026, 20:34:05 */
export const exactly = (at: string | number | Date) =>
  dates({ dateStyle: 'medium', timeStyle: 'medium' }).format(asDate(at));
/** Nov 2026 */
export const month = (at: string | number | Date) =>
  dates({ month: 'short', year: 'numeric' }).format(asDate(at));

const STEPS = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
  ['second', 1000],
] as const;

/** 3 minutes ago, in 2 days. */
export function relative(at: string | number | Date, now = serverNow()): string {
  const distance = asDate(at).getTime() - now;
  const [unit, size] = STEPS.find(([, length]) => Math.abs(distance) >= length) ?? STEPS[3];
  return once('relative', (locale) => new Intl.RelativeTimeFormat(locale, { numeric: 'auto' })).format(
    Math.round(distance / size),
    unit,
  );
}

/** Today or Yesterday, as a heading; undefined for other days. */
export function relativeDay(at: string | number | Date, now = new Date(serverNow())): string | undefined {
  const midnight = (of: Date) => new Date(of.getFullYear(), of.getMonth(), of.getDate()).getTime();
  const days = Math.round((midnight(now) - midnight(asDate(at))) / 86_400_000);
  if (days !== 0 && days !== 1) return undefined;
  const text = once('relative', (locale) => new Intl.RelativeTimeFormat(locale, { numeric: 'auto' })).format(
    -days,
    'day',
  );
  return text.charAt(0).toLocaleUpperCase(kit.locale) + text.slice(1);
}

type Unit = 'second' | 'minute' | 'hour' | 'day';
/** `unit(42, 'minute')` is 42 min. British English would write 42 mins. */
export const unit = (value: number, of: Unit, display: 'short' | 'long' = 'short') =>
  once(
    `${of} ${display}`,
    (locale) =>
      new Intl.NumberFormat(locale === 'en-GB' ? 'en' : locale, {
        style: 'unit',
        unit: of,
        unitDisplay: display,
        maximumFractionDigits: 0,
      }),
  ).format(value);

/** A length of time in its two largest units: 1 h 5 min. */
export function duration(ms: number): string {
  const at = STEPS.findIndex(([, size]) => ms >= size);
  const [of, size] = STEPS[at < 0 ? 3 : at]!;
  const next = STEPS[at + 1];
  const rest = next ? Math.floor((ms % size) / next[1]) : 0;
  const first = unit(Math.floor(ms / size), of);
  return rest > 0 && of !== 'minute' ? `${first} ${unit(rest, next![0])}` : first;
}

/** Dice, Limbo and Keno. */
export const list = (items: readonly string[]) =>
  once('list', (locale) => new Intl.ListFormat(locale, { type: 'conjunction' })).format(items);

type Forms = Readonly<Partial<Record<Intl.LDMLPluralRule, string>>> & { readonly other: string };
/** `plural(3, { one: '# new notification', other: '# new notifications' })`. `#` becomes the number. */
export function plural(count: number, forms: Forms): string {
  const rule = once('plural', (locale) => new Intl.PluralRules(locale)).select(count);
  return (forms[rule] ?? forms.other).replace('#', number(count));
}
