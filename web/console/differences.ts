export type Values = Readonly<Record<string, unknown>>;

export const isGiven = (value: unknown) => value !== undefined && value !== null;
export const isRecord = (value: unknown): value is Values =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Returns the fields of `after` that differ from `before`. */
export const changedIn = (before: Values, after: Values): Values =>
  Object.fromEntries(Object.entries(after).filter(([name, value]) => !isSameValue(value, before[name])));

const MOMENT = /^\d{4}-\d\d-\d\dT\S+Z$/;
export const isMoment = (value: unknown): value is string => typeof value === 'string' && MOMENT.test(value);

/** Returns true if two values are equal. Timestamps may be written with different numbers of decimals. */
export const isSameValue = (a: unknown, b: unknown): boolean =>
  isMoment(a) && isMoment(b)
    ? Date.parse(a) === Date.parse(b)
    : JSON.stringify(a ?? null) === JSON.stringify(b ?? null);
