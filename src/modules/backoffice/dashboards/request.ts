import type { z } from 'zod';
import { iso } from '../../../platform/clock.ts';
import type { Config } from '../../../platform/config/config.ts';
import { consistentRead, type Db, type Tx } from '../../../platform/database/db.ts';
import { commonErrors, invalidField } from '../../../platform/errors.ts';
import { sharedByKey } from '../../../platform/limits/shared-read.ts';
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
import type { DashboardQuery, GameQuery, MainQuery, TimeSeriesPoint } from './schemas.ts';

export type DashboardDeps = {
  /** The database from which figures are read. Its data may be slightly out of date. */
  reads: Db;
  databaseClock: { now(): number };
  currencies: Pick<Currencies, 'ids' | 'toUsd'>;
  gameLabels: GameLabels;
  returns: Pick<Returns, 'bandsOf'>;
  dashboards: Dashboards;
};

type Dashboards = ReturnType<typeof createDashboards>;

/** The maximum number of cached responses. */
const MAX_SHARED = 500;

/** Caches a response and returns it to identical requests within DASHBOARD_SHARED_SECONDS. */
export const createDashboards = (config: Pick<Config, 'DASHBOARD_SHARED_SECONDS'>) => ({
  share: sharedByKey(config.DASHBOARD_SHARED_SECONDS * 1000, MAX_SHARED),
});

/** The maximum number of points in a chart, and of hours in a compared period. */
const MOST_POINTS = 1000;
/** The maximum number of days, weeks or months in a compared period. */
const MOST_COMPARED = 10_000;

export type Compared = { period: Period; zone: Zone; currencyId: string | undefined };

/** Reads the period of a comparison. Throws 400 VALIDATION_FAILED if it is shorter than an hour, and 404 CURRENCY_NOT_FOUND. */
export function comparedFrom(
  { currencies }: Pick<DashboardDeps, 'currencies'>,
  { startDate, endDate, timezone, currencyId }: z.output<typeof DashboardQuery>,
): Compared {
  if (currencyId !== undefined && !currencies.ids().includes(currencyId))
    throw commonErrors.CURRENCY_NOT_FOUND({ currencyId });
  const zone = findZone(timezone)!;
  return { period: periodFrom({ startDate, endDate }, zone), zone, currencyId };
}

/**
 * Returns the steps of the previous and of the current period. `own` is the index of the current period's first step. Throws 400
 * VALIDATION_FAILED if there are too many steps.
 */
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

type Charted = { period: Period; steps: Steps };
/** `before`: the previous period, if the request compares the two. */
export type Chart = Charted & { before: Charted | undefined };

/**
 * Returns the period and steps of a chart, and those of the previous period if the request compares them. Throws 400 VALIDATION_FAILED for an
 * invalid step, more than 1,000 steps, or a period shorter than an hour.
 */
function chartFrom(
  query: z.output<typeof MainQuery> | z.output<typeof GameQuery>,
  clock: { now(): number },
): Chart {
  const { timeRange, timeGroup } = query;
  if (!isOption(timeRange, timeGroup)) throw invalidField('timeGroup', `is not available for ${timeRange}`);
  if (timeRange === 'CUSTOM' && !('startDate' in query))
    throw invalidField('timeRange', 'CUSTOM is not supported here');
  const period =
    timeRange === 'CUSTOM'
      ? periodFrom(query as z.output<typeof GameQuery>)
      : rangeOf(timeRange, clock.now());
  const charted = (of: Period): Charted => {
    const starts = stepsOf(of, timeGroup, { most: MOST_POINTS });
    if (!starts) throw tooMany(MOST_POINTS);
    return { period: of, steps: { starts, until: of.until } };
  };
  return { ...charted(period), before: query.compare ? charted(previousOf(period)) : undefined };
}

function periodFrom({ startDate, endDate }: { startDate: string; endDate: string }, zone?: Zone): Period {
  const [start, end] = [Date.parse(startDate), Date.parse(endDate)];
  const period = hoursOf({ start, end }, zone);
  if (start >= end || period.from >= period.until)
    throw invalidField('startDate', 'must be at least an hour before endDate');
  return period;
}

const tooMany = (most: number) =>
  invalidField('timeGroup', `splits this period into more than ${most} points`);

type Read<T> = (tx: Tx) => Promise<T>;

/** Reads the figures of a period and of the previous one, or returns the cached result of a recent identical request. */
export const readCompared = <T>(
  { dashboards, reads }: Pick<DashboardDeps, 'dashboards' | 'reads'>,
  name: string,
  query: z.output<typeof DashboardQuery>,
  read: Read<T>,
): Promise<T> => dashboards.share(JSON.stringify([name, query]), () => consistentRead(reads, read));

/**
 * Reads a chart, or returns the cached chart of a recent request for the same period. The cache key contains the period, because preset
 * ranges change every day.
 */
export function readChart<T>(
  { dashboards, reads, databaseClock }: DashboardDeps,
  name: string,
  query: z.output<typeof MainQuery> | z.output<typeof GameQuery>,
  read: (tx: Tx, chart: ReturnType<typeof chartFrom>) => Promise<T>,
): Promise<T> {
  const chart = chartFrom(query, databaseClock);
  const { timeRange: _, startDate: __, endDate: ___, ...rest } = query as Partial<z.output<typeof GameQuery>>;
  return dashboards.share(JSON.stringify([name, chart.period, rest]), () =>
    consistentRead(reads, (tx) => read(tx, chart)),
  );
}

/** Reads the figures of a chart, and those of the previous period as `previous` if the request compares them. */
export async function withBefore<T extends object>(
  { before, ...now }: Chart,
  read: (of: Charted) => Promise<T>,
): Promise<T & { previous?: T }> {
  const figures = await read(now);
  return before ? { ...figures, previous: await read(before) } : figures;
}

type Point = z.input<typeof TimeSeriesPoint>;

/** Returns a point for each step from `first` on, including empty ones. */
export const seriesOf = ({ starts }: Steps, valueAt: (step: number) => number, first = 0): Point[] =>
  starts.slice(first).map((at, i) => ({ at: iso(new Date(at)), value: valueAt(first + i) }));
