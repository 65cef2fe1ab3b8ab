/** Ids of a month: more than anybody can use up, and months enough (1,024, to 2105) below 2^53. */
const IDS_PER_MONTH = 2n ** 43n;

/** The first of the ids that a month (counted from January 2020) owns; they go on to the first of the next. */
export const firstIdOf = (month: number): bigint => BigInt(month) * IDS_PER_MONTH;

/** The month that owns an id. Ids may be taken later than their month, where nobody moved the sequence in time, and never before it. */
export const monthOfId = (id: bigint): number => Number(id / IDS_PER_MONTH);
