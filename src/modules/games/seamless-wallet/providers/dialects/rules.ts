import { MAX_UNITS, ONE, UNIT_DECIMALS, type Units, units } from '../../../../../platform/money.ts';

/**
 * The scale of a provider's currency: one unit of the provider's currency is `factor` units of ours, and amounts have `decimals` decimals.
 */
export type Scale = { factor: string; decimals: number };

/**
 * Converts an amount in the provider's smallest unit (10^-decimals of its currency) to ours, exactly and with its sign. Returns undefined
 * if the result needs more than eight decimals, or exceeds the maximum that can be stored.
 */
export function unitsOf(amount: bigint, { factor, decimals }: Scale): Units | undefined {
  const scaled = amount * units(factor);
  const divisor = 10n ** BigInt(decimals);
  if (scaled % divisor !== 0n) return undefined;
  const ours = scaled / divisor;
  return ours > MAX_UNITS || -ours > MAX_UNITS ? undefined : ours;
}

/** Converts our amount to the provider's smallest unit. Rounds down, so that the displayed balance is never too high. */
export const providerUnitsOf = (amount: Units, { factor, decimals }: Scale): bigint =>
  (amount * 10n ** BigInt(decimals)) / units(factor);

const DECIMAL = /^(-?)(0|[1-9]\d{0,17})(?:\.(\d{1,18}))?$/;

/**
 * Parses a decimal string in units of 10^-decimals, ignoring trailing zeros. Returns undefined for any other string or if there are more
 * decimals.
 */
export function readDecimal(text: string, decimals: number): bigint | undefined {
  const match = DECIMAL.exec(text);
  if (!match) return undefined;
  const [, sign, whole, digits = ''] = match;
  const fraction = digits.replace(/0+$/, '');
  if (fraction.length > decimals) return undefined;
  const amount = BigInt(whole! + fraction.padEnd(decimals, '0'));
  return sign === '' ? amount : -amount;
}

/**
 * Converts a decimal string in the provider's currency to ours. Returns undefined for any other string or if there are too many decimals.
 */
export function unitsOfText(text: string, scale: Scale): Units | undefined {
  const amount = readDecimal(text, scale.decimals);
  return amount === undefined ? undefined : unitsOf(amount, scale);
}

/** Formats a non-negative amount with all its decimals ("115.00"). The reverse of `readDecimal`. */
export function decimalText(amount: bigint, decimals: number): string {
  const digits = amount.toString().padStart(decimals + 1, '0');
  return decimals === 0 ? digits : `${digits.slice(0, -decimals)}.${digits.slice(-decimals)}`;
}

/** Hub88's unit is 10^-5 of every currency. */
export const HUB88_DECIMALS = 5;

/** Converts a balance to Hub88's unit, rounded down to the number of decimals that Hub88 uses for the currency. */
export function hub88BalanceOf(amount: Units, { factor, decimals }: Scale): bigint {
  const places = Math.min(decimals, HUB88_DECIMALS);
  return providerUnitsOf(amount, { factor, decimals: places }) * 10n ** BigInt(HUB88_DECIMALS - places);
}

/** Converts a balance to the provider's currency, as `Units`, rounded down to the provider's decimals. */
export const shownUnitsOf = (amount: Units, scale: Scale): Units =>
  (providerUnitsOf(amount, scale) * ONE) / 10n ** BigInt(Math.min(scale.decimals, UNIT_DECIMALS));

/**
 * Converts a JSON number in any notation (`100`, `1e2`, `100.0`) to an integer. Returns undefined if the number is not whole, or is a
 * JavaScript number too large to be exact.
 */
export function integerOf(value: number | { rawJSON: string }): bigint | undefined {
  if (typeof value === 'number' && !Number.isSafeInteger(value)) return undefined;
  const text = typeof value === 'number' ? String(value) : value.rawJSON;
  const read = scaled(text, 1n, 0);
  return read?.isCut ? undefined : read?.amount;
}

const NUMERAL = /^([+-]?)(\d{1,100})(?:\.(\d{0,100}))?(?:[eE]([+-]?\d{1,4}))?$/;
/** A number with a larger exponent exceeds every storable amount. A number with an exponent far below −300 is truncated to zero. */
const MOST_EXPONENT = 300;

/**
 * Returns the number in the string × `times` × 10^`shift`, truncated towards zero, or undefined if the string is not a number or its
 * exponent exceeds 300.
 */
function scaled(text: string, times: bigint, shift: number): { amount: bigint; isCut: boolean } | undefined {
  const match = NUMERAL.exec(text);
  if (!match) return undefined;
  const [, sign, whole, fraction = '', exponent = '0'] = match;
  const digits = BigInt(whole! + fraction) * times;
  const power = Number(exponent) - fraction.length + shift;
  if (digits === 0n) return { amount: 0n, isCut: false };
  if (power > MOST_EXPONENT) return undefined;
  if (power < -2 * MOST_EXPONENT) return { amount: 0n, isCut: true };
  const divisor = 10n ** BigInt(power < 0 ? -power : 0);
  const amount = power < 0 ? digits / divisor : digits * 10n ** BigInt(power);
  return { amount: sign === '-' ? -amount : amount, isCut: power < 0 && digits % divisor !== 0n };
}

/** A reported amount in our units. `said`: the original string, set if digits below our smallest unit were truncated. */
export type Reported = { amount: Units; said?: string };

/**
 * Parses the amount of a report: a JSON number or string in any notation, in units of 10^-`places` of the provider's currency. Truncates
 * digits below our smallest unit (10^-8) towards zero. Returns undefined if the amount is not a number or exceeds the maximum balance of an
 * account.
 */
export function reportedUnits(
  value: unknown,
  { factor, places }: { factor: string; places: number },
): Reported | undefined {
  const said = numeralText(value);
  const read = said === undefined ? undefined : scaled(said, units(factor), -places);
  if (!read || read.amount > MAX_UNITS || -read.amount > MAX_UNITS) return undefined;
  return read.isCut ? { amount: read.amount, said: said! } : { amount: read.amount };
}

/** Returns the original string of a JSON number or string. */
export function numeralText(value: unknown): string | undefined {
  if (typeof value === 'string') return value.trim();
  if (typeof value === 'number') return String(value);
  const { rawJSON } = (value ?? {}) as { rawJSON?: unknown };
  return typeof rawJSON === 'string' ? rawJSON : undefined;
}

type Kind = { categories: readonly string[]; type: 'SLOTS' | 'EVO_GAME' };

const kind = (category: string, type: Kind['type'] = 'SLOTS'): Kind => ({ categories: [category], type });
const LIVE = kind('LIVE_CASINO', 'EVO_GAME');

/** The words that providers use for kinds of games, in lowercase and reduced to letters. */
const KINDS: ReadonlyMap<string, Kind> = new Map(
  Object.entries({
    slots: kind('SLOTS'),
    slot: kind('SLOTS'),
    videoslots: kind('SLOTS'),
    videoslot: kind('SLOTS'),
    vs: kind('SLOTS'),
    cs: kind('SLOTS'),
    classicslots: kind('SLOTS'),
    live: LIVE,
    livedealer: LIVE,
    livecasino: LIVE,
    livegames: LIVE,
    lg: LIVE,
    gameshow: kind('GAME_SHOWS', 'EVO_GAME'),
    gameshows: kind('GAME_SHOWS', 'EVO_GAME'),
    shows: kind('GAME_SHOWS', 'EVO_GAME'),
    roulette: kind('ROULETTE'),
    rl: kind('ROULETTE'),
    blackjack: kind('BLACKJACK'),
    bj: kind('BLACKJACK'),
    baccarat: kind('BACCARAT'),
    bc: kind('BACCARAT'),
    crash: kind('CRASH'),
    crashgame: kind('CRASH'),
    crashgames: kind('CRASH'),
    cr: kind('CRASH'),
    card: kind('CARD'),
    cardgames: kind('CARD'),
    tablegames: kind('CARD'),
    table: kind('CARD'),
    scratch: kind('SCRATCH'),
    scratchcards: kind('SCRATCH'),
    scratchcard: kind('SCRATCH'),
    sc: kind('SCRATCH'),
    videopoker: kind('VIDEO_POKER'),
    vp: kind('VIDEO_POKER'),
    virtual: kind('VIRTUAL_SPORTS'),
    virtualsports: kind('VIRTUAL_SPORTS'),
    vsp: kind('VIRTUAL_SPORTS'),
    fishing: kind('FISHING'),
    fishinggames: kind('FISHING'),
    lottery: kind('LOTTERY'),
    lt: kind('LOTTERY'),
    poker: kind('POKER'),
    craps: kind('CRAPS'),
    casual: kind('CASUAL'),
    casualgames: kind('CASUAL'),
  }),
);

/** Returns the kind of game for the first known word. A game of an unknown kind is treated as a slot. */
export function kindOf(...words: readonly (string | null | undefined)[]): Kind {
  for (const word of words) {
    const known = word && KINDS.get(word.toLowerCase().replace(/[^a-z]/g, ''));
    if (known) return known;
  }
  return kind('SLOTS');
}

/** The categories of the specification that a provider's game can have. */
const CATEGORIES: ReadonlySet<string> = new Set([
  ...[...KINDS.values()].flatMap(({ categories }) => categories),
  'LIVE',
]);

/** Returns those of the given categories that exist in our catalogue, or SLOTS if there are none. */
export function ownCategories(given: readonly string[]): readonly string[] {
  const ours = [...new Set(given)].filter((category) => CATEGORIES.has(category));
  return ours.length > 0 ? ours : ['SLOTS'];
}
