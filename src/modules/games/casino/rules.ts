/** Text without case and accents, as names are compared. */
export const fold = (text: string): string => text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();

export const byText = (a: string, b: string): number => Number(a > b) - Number(a < b);

/**
 * One page of rows that stand in their order, or in the opposite one. Of a page beyond the end nothing.
 */
export function pageIn<T>(
  rows: readonly T[],
  { page, take }: { page: number; take: number },
  isTurned: boolean,
): T[] {
  const offset = (page - 1) * take;
  if (offset >= rows.length) return [];
  if (!isTurned) return rows.slice(offset, offset + take);
  return rows.slice(Math.max(0, rows.length - offset - take), rows.length - offset).reverse();
}

/** Spreads whole numbers over 32 bits: the finalizer of MurmurHash3. */
function mix(value: number): number {
  let h = value | 0;
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return (h ^ (h >>> 16)) >>> 0;
}

/** The UTC day that a time lies in, counted from 1970. */
export const dayOf = (ms: number): number => Math.floor(ms / 86_400_000);

/** More rows than a catalogue can have: a place among them and 32 bits of a hash fit into a double. */
const MOST = 2 ** 20;

/** The rows in an order of chance that is the same for one player all day. They stand in the order of their ids, which decides ties. */
export function shuffled<T extends { id: number }>(
  rows: readonly T[],
  { userId, day }: { userId: number; day: number },
): T[] {
  if (rows.length > MOST) throw new Error(`${rows.length} rows are too many to be shuffled`);
  const seed = mix(mix(userId) + day);
  const keys = Float64Array.from(rows, (row, place) => mix(row.id ^ seed) * MOST + place).sort();
  return Array.from(keys, (key) => rows[key % MOST]!);
}
