import { DAY_MS, HOUR_MS, type Period, type Steps } from '../periods/rules.ts';

/** The number of the step that holds a moment, from 0; -1 outside of all of them. */
export function stepAt({ starts, until }: Steps, at: number): number {
  if (at >= until) return -1;
  let [low, high] = [0, starts.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (starts[middle]! <= at) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

/** The step of each hour of a UTC day. */
export const stepsOfDay = (steps: Steps, day: number): number[] =>
  Array.from({ length: 24 }, (_, hour) => stepAt(steps, day + hour * HOUR_MS));

/** The parts of a period that these UTC days leave out, in order; days that follow each other leave nothing between them. */
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

/** The players of a packed day: what the four bytes of an id and the four of its hours say. */
export function forEachPlayer(
  players: Buffer,
  visit: (userId: number, hours: number, place: number) => void,
): void {
  for (let at = 0; at < players.length; at += 8)
    visit(players.readInt32BE(at), players.readInt32BE(at + 4), at / 8);
}

/** Calls `visit` with each step that one of these hours (a bit each) of the day lies in, once. */
export function forEachStep(
  hours: number,
  stepsOfHours: readonly number[],
  visit: (step: number) => void,
): void {
  let last = -1;
  for (let hour = 0; hour < 24; hour++) {
    const step = stepsOfHours[hour]!;
    if ((hours & (1 << hour)) === 0 || step === last || step < 0) continue;
    last = step;
    visit(step);
  }
}
