import { MAX_UNITS, type Rate, type Units } from '../../../platform/money.ts';
import { KINDS } from '../../base/declared.ts';

export type TransactionType = (typeof KINDS)[keyof typeof KINDS];

/** Every kind that is posted to a user's account, and what it is called in the statement (`kinds` in declares.ts). The test kit refuses others. */
export const TYPE_OF_KIND: Readonly<Record<string, TransactionType>> = KINDS;

/** What movements are called in the statement. */
export const TYPES = [...new Set(Object.values(TYPE_OF_KIND))];

/** A kind that is not in the table changes an account in a way that nobody has described: a correction. */
export const typeOf = (kind: string): TransactionType =>
  Object.hasOwn(TYPE_OF_KIND, kind) ? TYPE_OF_KIND[kind]! : 'CORRECTION';

export const kindsOf = (type: TransactionType): string[] =>
  Object.keys(TYPE_OF_KIND).filter((kind) => TYPE_OF_KIND[kind] === type);

/** What an entry is about: its key is `namespace:id`, or `namespace:id:step` where one thing has several entries. */
export type Reference = { referenceType: string | null; referenceId: string | null };

/** Parts of an id that has several: a deposit is an output of a transaction on a network. */
const ID_PARTS: Readonly<Record<string, number>> = { deposit: 3 };
const partsOf = (type: string): number => (Object.hasOwn(ID_PARTS, type) ? ID_PARTS[type]! : 1);

/** A bet's entry has no key: its id is the bet's. */
export function referenceOf({ key, entryId }: { key: string | null; entryId: bigint }): Reference {
  if (key === null) return { referenceType: 'bet', referenceId: String(entryId) };
  const [type, ...rest] = key.split(':');
  if (rest.length === 0) return { referenceType: null, referenceId: null };
  return { referenceType: type!, referenceId: rest.slice(0, partsOf(type!)).join(':') };
}

/** How the keys of everything about one thing begin; undefined where no key can. */
export function keyOf(type: string, id: string): string | undefined {
  return type.includes(':') || id.split(':').length !== partsOf(type) ? undefined : `${type}:${id}`;
}

const RATE_ONE = 10n ** 12n;

/** Amounts of a currency that are worth from `min` to `max` US dollars, when worth is rounded down; undefined: none is. */
export function boundsOf(
  rate: Rate,
  { min = 0n, max }: { min?: Units | undefined; max?: Units | undefined },
): { min: Units; max: Units } | undefined {
  if (rate === 0n) return min > 0n ? undefined : { min: 0n, max: MAX_UNITS };
  const least = ceilDiv(min * RATE_ONE, rate);
  const most = max === undefined ? MAX_UNITS : ceilDiv((max + 1n) * RATE_ONE, rate) - 1n;
  const bounds = { min: least, max: most < MAX_UNITS ? most : MAX_UNITS };
  return bounds.min > bounds.max ? undefined : bounds;
}

const ceilDiv = (a: bigint, b: bigint): bigint => (a + b - 1n) / b;
