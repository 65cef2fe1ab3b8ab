import { monthOfId } from '../../money/ledger/months/rules.ts';

/** Tables that are partitioned by the month of their ids: of rewards, the ids of their bets, before which they cannot go. */
export const LISTS = ['bets', 'bet_rewards', 'ledger_lines'] as const;
export type List = (typeof LISTS)[number];

const FIRST_YEAR = 2020;

/** Months since January 2020, UTC. */
export const monthOf = (at: Date): number => (at.getUTCFullYear() - FIRST_YEAR) * 12 + at.getUTCMonth();

/** When a month begins. */
export const startOf = (month: number): Date => new Date(Date.UTC(FIRST_YEAR, month, 1));

/** `2026-11`; what was written before there were months is `before`. */
export const nameOf = (month: number): string => startOf(month).toISOString().slice(0, 7);

/** The partition of a list: `bets_2026_11`. Throws a RangeError for what is no month. */
export function partOf(list: List, name: string): string {
  if (name !== 'before' && !/^20[2-9]\d-(0[1-9]|1[0-2])$/.test(name))
    throw new RangeError(`${name} is no month: write it as 2026-11, or before`);
  return `${list}_${name.replace('-', '_')}`;
}

/** Months that must be there at a time: its own and two ahead; more where ids run ahead of time. */
export function monthsNeeded(now: Date, lastId: bigint): number[] {
  const first = Math.max(monthOf(now), monthOfId(lastId));
  return [...new Set([monthOf(now), first, first + 1, first + 2])];
}

/** The first month that is kept when so many are, the current one not counted; undefined: all are. */
export const keptFrom = (now: Date, keepMonths: number): number | undefined =>
  keepMonths === 0 ? undefined : monthOf(now) - keepMonths;
