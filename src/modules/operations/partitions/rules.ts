import { monthOfId } from '../../money/ledger/rules.ts';

/** Tables that are partitioned by the month of their ids. Rewards use the ids of their bets and can be detached only after them. */
export const LISTS = ['bets', 'bet_rewards', 'ledger_lines'] as const;
export type List = (typeof LISTS)[number];

const FIRST_YEAR = 2020;

/** Returns the number of months since January 2020, in UTC. */
export const monthOf = (at: Date): number => (at.getUTCFullYear() - FIRST_YEAR) * 12 + at.getUTCMonth();

/** Returns the start of a month. */
export const startOf = (month: number): Date => new Date(Date.UTC(FIRST_YEAR, month, 1));

/** Returns the name of a month, such as `2026-11`. */
export const nameOf = (month: number): string => startOf(month).toISOString().slice(0, 7);

/**
 * Returns the name of a table's partition, such as `bets_2026_11`. `name` is a month, or `before` for the rows older than the monthly
 * partitions. Throws a RangeError for any other name.
 */
export function partOf(list: List, name: string): string {
  if (name !== 'before' && !/^20[2-9]\d-(0[1-9]|1[0-2])$/.test(name))
    throw new RangeError(`${name} is no month: write it as 2026-11, or before`);
  return `${list}_${name.replace('-', '_')}`;
}

/**
 * Returns the months whose partitions must exist: the current month and the next two. If the latest id belongs to a later month, these are
 * the current month, that month and the two after it.
 */
export function monthsNeeded(now: Date, lastId: bigint): number[] {
  const first = Math.max(monthOf(now), monthOfId(lastId));
  return [...new Set([monthOf(now), first, first + 1, first + 2])];
}

/** Returns the earliest month to keep, or undefined if all months are kept. */
export const keptFrom = (now: Date, keepMonths: number): number | undefined =>
  keepMonths === 0 ? undefined : monthOf(now) - keepMonths;
