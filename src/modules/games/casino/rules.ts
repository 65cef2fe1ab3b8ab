/** Converts text to the form for comparison: lowercase, without accents. */
export const fold = (text: string): string => text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();

export const byText = (a: string, b: string): number => Number(a > b) - Number(a < b);

/** Returns one page of sorted rows, optionally in reverse order. Pages beyond the end are empty. */
export function pageIn<T>(
  rows: readonly T[],
  { page, take }: { page: number; take: number },
  isReversed: boolean,
): T[] {
  const offset = (page - 1) * take;
  if (offset >= rows.length) return [];
  if (!isReversed) return rows.slice(offset, offset + take);
  return rows.slice(Math.max(0, rows.length - offset - take), rows.length - offset).reverse();
}

/** Hashes an integer to 32 bits (the finalizer of MurmurHash3). */
function mix(value: number): number {
  let h = value | 0;
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return (h ^ (h >>> 16)) >>> 0;
}

/** Returns the UTC day of a time, counted from 1970. */
export const dayOf = (ms: number): number => Math.floor(ms / 86_400_000);

/** Maximum number of rows: an index below this and a 32-bit hash fit exactly into a double. */
const MOST = 2 ** 20;

/** Shuffles rows in an order that is stable for one player and day. `rows` must be sorted by id, which decides ties. */
export function shuffled<T extends { id: number }>(
  rows: readonly T[],
  { userId, day }: { userId: number; day: number },
): T[] {
  if (rows.length > MOST) throw new Error(`${rows.length} rows are too many to be shuffled`);
  const seed = mix(mix(userId) + day);
  const keys = Float64Array.from(rows, (row, place) => mix(row.id ^ seed) * MOST + place).sort();
  return Array.from(keys, (key) => rows[key % MOST]!);
}
