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
  /** Of those who signed up in a step the part that came back so many days later; null before that day is over. */
  const shareOf = (step: number, place: number): number | null => {
    const end = dateOf(steps.starts[step]!, zone) + (AFTER[place]! + 1) * DAY_MS;
    return startOf(end, zone) > clock.now() ? null : ratioOf(returned[place]![step]!, registered[step]!);
  };

  const usersOf = (from: number, end: number, players: bigint) => {
    const sum = (all: readonly bigint[]) => Number(all.slice(from, end).reduce((a, b) => a + b, 0n));
    const cohorts = steps.starts.slice(from, end).map((at, i) => {
      const step = from + i;
      return {
        date: nameOf(dateOf(at, zone)),
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
function daysThrough({ starts, until }: Steps, zone: Zone): Steps {
  const first = dateOf(starts[0]!, zone);
  const end = dateOf(until - 1, zone) + (Math.max(...AFTER) + 1) * DAY_MS;
  const dates = Array.from({ length: (end - first) / DAY_MS }, (_, i) => first + i * DAY_MS);
  return { starts: dates.map((date) => startOf(date, zone)), until: startOf(end, zone) };
}
