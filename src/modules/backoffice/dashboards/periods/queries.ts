import { type RawBuilder, sql } from 'kysely';
import { DAY_MS, daysOf, nameOf, type Period, periodOf, runsOf, type Steps } from './rules.ts';

type Sql = RawBuilder<unknown>;

/** Tests whether a user is excluded from all figures. Few users are excluded. */
const isUncounted = (userId: Sql) => sql`${userId} in (select user_id from uncounted_users)`;
/** The same test for long periods. It looks up the rows of each excluded user through the index on the user id. */
const isFoundUncounted = (userId: Sql) => sql`${userId} = any(array(select user_id from uncounted_users))`;
/** In periods up to this length, it is faster to find rows through the index on their time. */
const SHORT_MS = 2 * DAY_MS;
/** Tests for each row whether its user is included in the figures. */
export const isCounted = (userId: Sql) => sql`${userId} not in (select user_id from uncounted_users)`;

/**
 * Returns conditions for reading daily and hourly rows together, so that each hour is counted once. Whole days are read from the daily
 * table, and days in which a step begins or ends from the hourly table. Step numbers begin with 1.
 */
export function readingOf(steps: Steps) {
  const { starts } = steps;
  const { from, until } = periodOf(steps);
  const days = daysOf(steps);
  const cut = sql`${days.cut.map(nameOf)}::date[]`;
  const dates = sql`${starts.map((at) => nameOf(at + DAY_END))}::date[]`;
  const hours = sql`${starts.map(dateAt)}::timestamptz[]`;
  const inPeriod = (at: Sql) => sql`${at} >= ${dateAt(from)} and ${at} < ${dateAt(until)}`;
  return {
    /** Conditions for daily tables. */
    day: {
      step: sql`width_bucket(day, ${dates})`,
      is: sql`day >= ${nameOf(days.from)}::date and day < ${nameOf(days.until)}::date and day <> all(${cut})`,
    },
    /** Conditions for hourly tables. */
    hour: {
      step: sql`width_bucket(hour, ${hours})`,
      is: inPeriod(sql`hour`),
      /** A join that selects only the hours of days in which a step begins or ends. */
      ofCutDays: sql`${runsWith(sql`hour`, runsOf(days.cut))} and ${inPeriod(sql`hour`)}`,
    },
    /** The step that contains the time in any given column. */
    stepAt: (at: Sql) => sql`width_bucket(${at}, ${hours})`,
    isAt: inPeriod,
    /** Tests whether a user who has rows in the period is excluded from all figures. */
    isUncounted: until - from <= SHORT_MS ? isUncounted : isFoundUncounted,
  };
}

/** Up to this number, ranges are written into the statement, so that the planner can estimate their size. */
const FEW_RUNS = 8;

/** Returns a join that selects the rows in these periods, without duplicates. */
function runsWith(at: Sql, runs: readonly Period[]): Sql {
  if (runs.length <= FEW_RUNS) {
    const isIn = runs.map(({ from, until }) => sql`(${at} >= ${dateAt(from)} and ${at} < ${dateAt(until)})`);
    return sql`(select) run on (${sql.join([sql`false`, ...isIn], sql` or `)})`;
  }
  const [since, before] = [runs.map(({ from }) => dateAt(from)), runs.map(({ until }) => dateAt(until))];
  return sql`unnest(${since}::timestamptz[], ${before}::timestamptz[]) run(since, before) on ${at} >= since and ${at} < before`;
}

/** If a step begins within a day, no part of that day is read from daily tables. */
const DAY_END = DAY_MS - 1;

const dateAt = (at: number) => new Date(at);
