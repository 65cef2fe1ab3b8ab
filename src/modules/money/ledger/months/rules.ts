/** Ids of a month: more than can be used up, with enough months (1,024, until 2105) below 2^53. */
const IDS_PER_MONTH = 2n ** 43n;

/** The first id of a month, by its number since January 2020; its ids end before the first of the next month. */
export const firstIdOf = (month: number): bigint => BigInt(month) * IDS_PER_MONTH;

/** The month of an id. Ids may be taken later than in their month, where the sequence was not moved on in time, never earlier. */
export const monthOfId = (id: bigint): number => Number(id / IDS_PER_MONTH);
