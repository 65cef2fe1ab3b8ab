/** The ids of a month: more than a month can use. The first 1,024 months (until 2105) stay below 2^53. */
const IDS_PER_MONTH = 2n ** 43n;

/** Returns the first id of a month, which is counted from January 2020. Its ids end before the first id of the next month. */
export const firstIdOf = (month: number): bigint => BigInt(month) * IDS_PER_MONTH;

/** Returns the month of an id. An id may be used after its month if the sequence was not advanced in time, but never before. */
export const monthOfId = (id: bigint): number => Number(id / IDS_PER_MONTH);
