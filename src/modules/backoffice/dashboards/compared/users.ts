import type { z } from 'zod';
import type { Tx } from '../../../../platform/db.ts';
import { type Compared, comparedSteps, type DashboardDeps } from '../asked.ts';
import { countActiveAndReturned } from '../packed/count.ts';
import { DAY_MS, dateOf, nameOf, type Steps, startOf, withPrevious, type Zone } from '../periods/rules.ts';
import { readFirstDeposits, readRegistrations } from '../players/queries.ts';
import { ratioOf } from '../rules.ts';
import type { Users } from '../schemas.ts';

const AFTER = [1, 7, 30] as const;

/** Who came in a period and in the one before, by the day of the zone, and how many of them came back. Throws 400 VALIDATION_FAILED. */
export async function readUsers(
  tx: Tx,
  { clock }: Pick<DashboardDeps, 'clock'>,
  asked: Compared,
): Promise<z.input<typeof Users>> {
  const { period, zone, currencyId } = asked;
  const { steps, own } = comparedSteps(asked, 'DAY');
  const days = daysThrough(steps, zone);
  const registered = await readRegistrations(tx, steps);
  const first = await readFirstDeposits(tx, steps, currencyId);
  const played = withPrevious(period);
  const { active, returned } = await countActiveAndReturned(tx, {
    played,
    signedUp: steps,
    days,
    after: AFTER,
  });
  const dates = steps.starts.map((at) => dateOf(at, zone));
  /** Of those who signed up in a step the part that came back so many days later; null before that day is over. */
  const shareOf = (step: number, place: number): number | null => {
    const later = (AFTER[place]! + 1) * DAY_MS;
    const isOver = startOf(dates[step]! + later, zone, steps.starts[step]! + later) <= clock.now();
    return isOver ? ratioOf(returned[place]![step]!, registered[step]!) : null;
  };

  const usersOf = (from: number, end: number, players: bigint) => {
    const sum = (all: readonly bigint[]) => Number(all.slice(from, end).reduce((a, b) => a + b, 0n));
    const cohorts = dates.slice(from, end).map((date, i) => {
      const step = from + i;
      return {
        date: nameOf(date),
        registrations: Number(registered[step]),
        ftd: Number(first[step]),
        retentionD1: shareOf(step, 0),
        retentionD7: shareOf(step, 1),
        retentionD30: shareOf(step, 2),
      };
    });
    return { registrations: sum(registered), ftd: sum(first), activeUsers: Number(players), cohorts };
  };
  return {
    previous: usersOf(0, own, active[0]!),
    current: usersOf(own, steps.starts.length, active[1]!),
  };
}

/** The days on which they may have signed up or come back. */
function daysThrough(steps: Steps, zone: Zone): Steps {
  const first = dateOf(steps.starts[0]!, zone);
  const end = dateOf(steps.until - 1, zone) + (Math.max(...AFTER) + 1) * DAY_MS;
  const starts = [startOf(first, zone)];
  for (let date = first + DAY_MS; date <= end; date += DAY_MS)
    starts.push(startOf(date, zone, starts.at(-1)! + DAY_MS));
  return { starts: starts.slice(0, -1), until: starts.at(-1)! };
}
