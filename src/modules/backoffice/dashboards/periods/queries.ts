import { type RawBuilder, sql } from 'kysely';
import { DAY_MS, daysOf, nameOf, type Period, periodOf, runsOf, type Steps } from './rules.ts';

type Sql = RawBuilder<unknown>;

/** Whether a user is one of the few who are nobody's figures. */
const isUncounted = (userId: Sql) => sql`${userId} in (select user_id from uncounted_users)`;
/** The same of long periods: each of the few is looked up through the index of the user. */
const isFoundUncounted = (userId: Sql) => sql`${userId} = any(array(select user_id from uncounted_users))`;
/** Of so long a period fewer rows are found by their time. */
const SHORT_MS = 2 * DAY_MS;
/** Whether they are none of them, asked of every row. */
export const isCounted = (userId: Sql) => sql`${userId} not in (select user_id from uncounted_users)`;

/**
 * How rows by the UTC day and by the hour are read together, each moment once: whole days from the coarser table, and from the finer one the
 * hours of days that steps begin or end in. Conditions and the number of the step, from 1, for both.
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
    /** For tables by the day. */
    day: {
      step: sql`width_bucket(day, ${dates})`,
      is: sql`day >= ${nameOf(days.from)}::date and day < ${nameOf(days.until)}::date and day <> all(${cut})`,
    },
    /** For tables by the hour. */
    hour: {
      step: sql`width_bucket(hour, ${hours})`,
      is: inPeriod(sql`hour`),
      /** Of the days that are cut alone: to be joined. */
      ofCutDays: sql`${runsWith(sql`hour`, runsOf(days.cut))} and ${inPeriod(sql`hour`)}`,
    },
    /** For any moment. */
    stepAt: (at: Sql) => sql`width_bucket(${at}, ${hours})`,
    isAt: inPeriod,
    /** Whether a row of the period, of this user, is one of the few who are nobody's figures. */
    isUncounted: until - from <= SHORT_MS ? isUncounted : isFoundUncounted,
  };
}

/** Runs whose bounds stand in the statement itself, where the planner sees how much of a table they are. */
const FEW_RUNS = 8;

/** What rows within these periods join, once each. */
function runsWith(at: Sql, runs: readonly Period[]): Sql {
  if (runs.length <= FEW_RUNS) {
    const isIn = runs.map(({ from, until }) => sql`(${at} >= ${dateAt(from)} and ${at} < ${dateAt(until)})`);
    return sql`(select) run on (${sql.join([sql`false`, ...isIn], sql` or `)})`;
  }
  const [since, before] = [runs.map(({ from }) => dateAt(from)), runs.map(({ until }) => dateAt(until))];
  return sql`unnest(${since}::timestamptz[], ${before}::timestamptz[]) run(since, before) on ${at} >= since and ${at} < before`;
}

/** A step that begins within a day has none of that day from tables by the day. */
const DAY_END = DAY_MS - 1;

const dateAt = (at: number) => new Date(at);
