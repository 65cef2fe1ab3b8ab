import type { z } from 'zod';
import type { Db, Tx } from '../../../platform/db.ts';
import { commonErrors, invalidField } from '../../../platform/errors.ts';
import type { GameLabels } from '../../games/casino/labels.ts';
import type { Returns } from '../../games/house-games/returns/service.ts';
import type { Currencies } from '../../money/currencies/service.ts';
import {
  findZone,
  hoursOf,
  isOption,
  type Period,
  previousOf,
  rangeOf,
  type Steps,
  stepsOf,
  type TimeGroup,
  type Zone,
} from './periods/rules.ts';
import type { DashboardQuery, GameQuery, MainQuery } from './schemas.ts';

export type DashboardDeps = {
  /** May be a little old. */
  reads: Db;
  clock: { now(): number };
  currencies: Pick<Currencies, 'ids' | 'toUsd'>;
  labels: GameLabels;
  bandsOf: Returns['bandsOf'];
};

/** Points of a chart, and hours of a period beside the one before: nobody looks at more. */
const MOST_POINTS = 1000;
/** Days, weeks and months of a period beside the one before: those of all years. */
const MOST_COMPARED = 10_000;

export type Compared = { period: Period; zone: Zone; currencyId: string | undefined };

/** Throws 400 VALIDATION_FAILED for a period without an hour, 404 CURRENCY_NOT_FOUND. */
export function comparedFrom(
  { currencies }: Pick<DashboardDeps, 'currencies'>,
  { startDate, endDate, timezone, currencyId }: z.output<typeof DashboardQuery>,
): Compared {
  if (currencyId !== undefined && !currencies.ids().includes(currencyId))
    throw commonErrors.CURRENCY_NOT_FOUND({ currencyId });
  const zone = findZone(timezone)!;
  return { period: periodFrom({ startDate, endDate }, zone), zone, currencyId };
}

/** The steps of the period before and of this one, each beginning anew. Throws 400 VALIDATION_FAILED for more than there may be. */
export function comparedSteps(
  { period, zone }: Pick<Compared, 'period' | 'zone'>,
  group: TimeGroup,
): { steps: Steps; own: number } {
  const most = group === 'HOUR' ? MOST_POINTS : MOST_COMPARED;
  const before = stepsOf(previousOf(period), group, { zone, most });
  const now = stepsOf(period, group, { zone, most });
  if (!before || !now) throw tooMany(most);
  return { steps: { starts: [...before, ...now], until: period.until }, own: before.length };
}

/** A period in its steps. Throws 400 VALIDATION_FAILED for a pair that is no option, more than 1,000 steps, a period without an hour. */
export function chartFrom(
  query: z.output<typeof MainQuery> | z.output<typeof GameQuery>,
  clock: { now(): number },
): { period: Period; steps: Steps } {
  const { timeRange, timeGroup } = query;
  if (!isOption(timeRange, timeGroup)) throw invalidField('timeGroup', `does not go with ${timeRange}`);
  if (timeRange === 'CUSTOM' && !('startDate' in query))
    throw invalidField('timeRange', 'needs startDate and endDate, which there are not here');
  const period =
    timeRange === 'CUSTOM'
      ? periodFrom(query as z.output<typeof GameQuery>)
      : rangeOf(timeRange, clock.now());
  const starts = stepsOf(period, timeGroup, { most: MOST_POINTS });
  if (!starts) throw tooMany(MOST_POINTS);
  return { period, steps: { starts, until: period.until } };
}

function periodFrom({ startDate, endDate }: { startDate: string; endDate: string }, zone?: Zone): Period {
  const [start, end] = [Date.parse(startDate), Date.parse(endDate)];
  const period = hoursOf({ start, end }, zone);
  if (start >= end || period.from >= period.until)
    throw invalidField('startDate', 'needs to be before endDate');
  return period;
}

const tooMany = (most: number) => invalidField('timeGroup', `makes more than ${most} points of this period`);

/** All figures of an answer are of one moment. */
export const inSnapshot = <T>(db: Db, read: (tx: Tx) => Promise<T>): Promise<T> =>
  db.transaction().setIsolationLevel('repeatable read').setAccessMode('read only').execute(read);
