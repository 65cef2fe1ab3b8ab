import { MAX_UNITS, type Rate, type Units } from '../../../platform/money.ts';
import { KINDS } from '../../money/ledger/kinds.ts';

export type TransactionType = (typeof KINDS)[keyof typeof KINDS];

/** The statement type of each kind that is posted to a user's account. The test kit fails if a kind is missing here. */
export const TYPE_OF_KIND: Readonly<Record<string, TransactionType>> = KINDS;

export const TYPES = [...new Set(Object.values(TYPE_OF_KIND))];

/** Kinds without a declared type are listed as corrections. */
export const typeOf = (kind: string): TransactionType =>
  Object.hasOwn(TYPE_OF_KIND, kind) ? TYPE_OF_KIND[kind]! : 'CORRECTION';

export const kindsOf = (type: TransactionType): string[] =>
  Object.keys(TYPE_OF_KIND).filter((kind) => TYPE_OF_KIND[kind] === type);

/** The object that an entry belongs to. The entry's key is `namespace:id`, or `namespace:id:step` if the object has several entries. */
export type Reference = { referenceType: string | null; referenceId: string | null };

/** The number of parts in compound ids. The id of a deposit, for example, consists of network, transaction and output. */
const ID_PARTS: Readonly<Record<string, number>> = { deposit: 3 };
const partsOf = (type: string): number => (Object.hasOwn(ID_PARTS, type) ? ID_PARTS[type]! : 1);

/** Returns the object that an entry belongs to. The entry of a bet has no key; its id is the bet's id. */
export function referenceOf({ key, entryId }: { key: string | null; entryId: bigint }): Reference {
  if (key === null) return { referenceType: 'bet', referenceId: String(entryId) };
  const [type, ...rest] = key.split(':');
  if (rest.length === 0) return { referenceType: null, referenceId: null };
  return { referenceType: type!, referenceId: rest.slice(0, partsOf(type!)).join(':') };
}

/** Returns the prefix that all keys of an object share, or undefined if no key can match. */
export function keyOf(type: string, id: string): string | undefined {
  return type.includes(':') || id.split(':').length !== partsOf(type) ? undefined : `${type}:${id}`;
}

const RATE_ONE = 10n ** 12n;

/**
 * Returns the amounts of a currency whose USD value, rounded down, is between `min` and `max`. Returns undefined if there is no such
 * amount.
 */
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
