import { sql } from 'kysely';
import type { Db, Tx } from '../database/db.ts';

/** A failed job is retried after this time, or after its interval if that is shorter. */
const AFTER_FAILURE_MS = 60_000;

type Schedule = { name: string; everyMs: number };
/** The longest interval in milliseconds that an int4 column can store, about 24 days. A job with a longer interval runs every 24 days. */
const LONGEST_MS = 2_147_483_647;

const every = (column = 'every_ms') => sql`${sql.ref(column)} * interval '1 millisecond'`;

/** Stores new jobs, which are due immediately. If a job's interval has become shorter, its next run becomes due correspondingly earlier. */
export async function declareSchedules(db: Db, schedules: readonly Schedule[]): Promise<void> {
  for (const { name, everyMs } of schedules)
    await sql`insert into schedules (name, every_ms) values (${name}, ${Math.min(everyMs, LONGEST_MS)}::int)
      on conflict (name) do update set every_ms = excluded.every_ms,
        next_at = least(schedules.next_at, schedules.ran_at + ${every('excluded.every_ms')})
      where schedules.every_ms <> excluded.every_ms`.execute(db);
}

/**
 * Returns the names of due schedules and the milliseconds until the next one. A schedule whose next run is further away than its interval
 * was stored before the clock was set back. Its next run is set to one interval from now.
 */
export async function listDue(db: Db): Promise<{ due: ReadonlySet<string>; nextMs: number }> {
  const { rows } = await sql<{ name: string; state: 'due' | 'far' | 'next'; inMs: number }>`
    select name, "inMs", case when "inMs" <= 0 then 'due' when "inMs" > every_ms then 'far' else 'next' end as state
    from (select *, extract(epoch from next_at - clock_timestamp())::float8 * 1000 as "inMs"
      from schedules) s`.execute(db);
  if (rows.some(({ state }) => state === 'far'))
    await sql`update schedules set next_at = clock_timestamp() + ${every()}
      where next_at > clock_timestamp() + ${every()}`.execute(db);
  const waits = rows.filter(({ state }) => state === 'next').map(({ inMs }) => inMs);
  return {
    due: new Set(rows.filter(({ state }) => state === 'due').map(({ name }) => name)),
    nextMs: Math.min(...waits, Number.MAX_SAFE_INTEGER),
  };
}

/** Begins a due run and returns its start time. Returns undefined if the run is no longer due. Requires the job's lock. */
export async function beginRun(db: Db, name: string): Promise<string | undefined> {
  const { rows } = await sql<{ began: string }>`
    update schedules set ran_at = clock_timestamp() where name = ${name} and next_at <= clock_timestamp()
    returning ran_at::text as began`.execute(db);
  return rows[0]?.began;
}

/**
 * Ends the run that began at this time. The next run is due one interval after that time, or sooner after a failure. Requires the job's
 * lock.
 */
export async function endRun(db: Db, name: string, began: string, isOk: boolean): Promise<void> {
  const rest = isOk ? every() : sql`least(every_ms, ${AFTER_FAILURE_MS}::int) * interval '1 millisecond'`;
  await sql`update schedules set next_at = ${began}::timestamptz + ${rest},
      succeeded_at = case when ${isOk} then ${began}::timestamptz else succeeded_at end
    where name = ${name} and ran_at = ${began}::timestamptz`.execute(db);
}

/**
 * Makes a job due now. Has no effect on a job that is running. It also has no effect on a job that no worker has declared yet, because such
 * a job runs as soon as a worker declares it.
 */
export async function runSoon(tx: Tx, name: string): Promise<void> {
  await sql`update schedules set next_at = least(next_at, clock_timestamp()) where name = ${name}`.execute(
    tx,
  );
}
