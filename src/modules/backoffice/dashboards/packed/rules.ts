import { DAY_MS, HOUR_MS, type Period, type Steps, stepAt } from '../periods/rules.ts';

/** Returns the step of each hour of a UTC day. */
export const stepsOfDay = (steps: Steps, day: number): number[] =>
  Array.from({ length: 24 }, (_, hour) => stepAt(steps, day + hour * HOUR_MS));

/** Returns the parts of a period that are outside these UTC days, in order. */
export function gapsIn({ from, until }: Period, days: readonly number[]): Period[] {
  const gaps: Period[] = [];
  let at = from;
  for (const day of days.toSorted((a, b) => a - b)) {
    if (day > at) gaps.push({ from: at, until: Math.min(day, until) });
    at = Math.max(at, day + DAY_MS);
  }
  if (at < until) gaps.push({ from: at, until });
  return gaps;
}

/** Calls `visit` for the players of a packed day. Each entry has four bytes for the player id and four bytes for the hours. */
export function forEachPlayer(
  players: Buffer,
  visit: (userId: number, hours: number, place: number) => void,
): void {
  for (let at = 0; at < players.length; at += 8)
    visit(players.readInt32BE(at), players.readInt32BE(at + 4), at / 8);
}

/** Calls `visit` once for each step that contains at least one of these hours of the day (one bit for each hour). */
export function forEachStep(
  hours: number,
  stepsOfHours: readonly number[],
  visit: (step: number) => void,
): void {
  let last = -1;
  for (let left = hours; left !== 0; left &= left - 1) {
    const step = stepsOfHours[31 - Math.clz32(left & -left)]!;
    if (step === last || step < 0) continue;
    last = step;
    visit(step);
  }
}
