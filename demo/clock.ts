import { sql } from 'kysely';
import { type Db, transaction } from '../src/platform/database/db.ts';
import { pause } from '../src/platform/jobs/timers.ts';

/** PostgreSQL's clock functions and the volatility category of each. */
const TIMES = [
  ['now', 'stable'],
  ['transaction_timestamp', 'stable'],
  ['statement_timestamp', 'stable'],
  ['clock_timestamp', 'volatile'],
] as const;
const IMPLEMENTED: Readonly<Record<string, string>> = { transaction_timestamp: 'now' };
/**
 * Duration of the lease of the demo clock. The demo renews it well before it expires. If it is not renewed, PostgreSQL automatically uses
 * the real time again.
 */
const LEASE = "interval '2 minutes'";
/** No transaction is longer. */
const KEPT = "interval '10 minutes'";

/**
 * Installs a clock in the platform's database that can be set to another day. The platform uses the time of its database, so all activity
 * is recorded with the date of that day, without changes to any statement. Other databases are unaffected. Only a superuser of the database
 * can do this.
 */
export async function takeOverClock(db: Db) {
  await transaction(db, async (tx) => {
    await sql`create schema if not exists demo`.execute(tx);
    await sql`create table if not exists demo.clock (since timestamptz primary key, back interval not null, until timestamptz not null)`.execute(
      tx,
    );
    for (const [name, volatility] of TIMES)
      await sql`create or replace function ${sql.table(`demo.real_${name}`)}() returns timestamptz
        language internal ${sql.raw(volatility)} strict parallel safe as ${sql.lit(IMPLEMENTED[name] ?? name)}`.execute(
        tx,
      );
    // A transaction keeps the setting with which it began, so that all its rows have the same time.
    await sql`create or replace function demo.back() returns interval language sql stable as
      ${sql.lit(`select coalesce((select case when demo.real_now() < until then back end from demo.clock
        where since <= demo.real_now() order by since desc limit 1), '0')`)}`.execute(tx);
    // The body is a single expression, so that PostgreSQL inlines it. A call that is not inlined would use the built-in implementation.
    for (const [name, volatility] of TIMES)
      await sql`create or replace function ${sql.table(`pg_catalog.${name}`)}() returns timestamptz
        language sql ${sql.raw(volatility)} parallel safe as ${sql.lit(`select demo.real_${name}() - demo.back()`)}`.execute(
        tx,
      );
  });
  return {
    /** Sets the time for transactions that begin from now on, until the next call. */
    async set(at: Date): Promise<void> {
      await sql`
        with forgotten as (delete from demo.clock where since < demo.real_now() - ${sql.raw(KEPT)})
        insert into demo.clock (since, back, until)
        select at, at - ${at}::timestamptz, at + ${sql.raw(LEASE)} from (select demo.real_clock_timestamp()) real (at)`.execute(
        db,
      );
    },
  };
}

/** A statement that began before the clock was released may still read the demo clock. */
const STATEMENTS_END_MS = 2500;

/** Restores PostgreSQL's own functions, and removes the demo clock once no statement reads it. */
export async function releaseClock(db: Db): Promise<void> {
  await transaction(db, async (tx) => {
    for (const [name, volatility] of TIMES)
      await sql`create or replace function ${sql.table(`pg_catalog.${name}`)}() returns timestamptz
        language internal ${sql.raw(volatility)} strict parallel safe as ${sql.lit(IMPLEMENTED[name] ?? name)}`.execute(
        tx,
      );
  });
  await pause(STATEMENTS_END_MS);
  await transaction(db, (tx) => sql`drop schema if exists demo cascade`.execute(tx));
}
