import { sql } from 'kysely';
import type { Db } from '../src/platform/db.ts';

/** What PostgreSQL calls the time, each with what it is implemented by. */
const TIMES = [
  ['now', 'stable'],
  ['transaction_timestamp', 'stable'],
  ['statement_timestamp', 'stable'],
  ['clock_timestamp', 'volatile'],
] as const;
const IMPLEMENTED: Readonly<Record<string, string>> = { transaction_timestamp: 'now' };
/** Whoever moves the clock says so again long before; without them it is right again by itself. */
const LEASE = "interval '2 minutes'";

/**
 * The platform goes by the time of its database. This makes that the time of another day, for everything that runs on this database and for
 * it alone: what happens now is dated then, by the same statements as ever. Only a superuser of the database can do that.
 */
export async function takeOverClock(db: Db) {
  await db.transaction().execute(async (tx) => {
    await sql`create schema if not exists demo`.execute(tx);
    await sql`create table if not exists demo.clock (one boolean primary key default true check (one), back interval not null, until timestamptz not null)`.execute(
      tx,
    );
    await sql`insert into demo.clock (back, until) values ('0', '-infinity') on conflict do nothing`.execute(
      tx,
    );
    for (const [name, volatility] of TIMES)
      await sql`create or replace function ${sql.table(`demo.real_${name}`)}() returns timestamptz
        language internal ${sql.raw(volatility)} strict parallel safe as ${sql.lit(IMPLEMENTED[name] ?? name)}`.execute(
        tx,
      );
    await sql`create or replace function demo.back() returns interval language sql stable as
      ${sql.lit("select case when demo.real_now() < until then back else '0' end from demo.clock")}`.execute(
      tx,
    );
    // One expression: PostgreSQL puts it in the place of the call. A call of the function itself would be answered by what is built in.
    for (const [name, volatility] of TIMES)
      await sql`create or replace function ${sql.table(`pg_catalog.${name}`)}() returns timestamptz
        language sql ${sql.raw(volatility)} parallel safe as ${sql.lit(`select demo.real_${name}() - demo.back()`)}`.execute(
        tx,
      );
  });
  return {
    /** It is this time of day, until the next call. */
    async set(at: Date): Promise<void> {
      await sql`update demo.clock set back = demo.real_clock_timestamp() - ${at}::timestamptz,
        until = demo.real_clock_timestamp() + ${sql.raw(LEASE)}`.execute(db);
    },
  };
}

/** Time is what it is again. */
export async function releaseClock(db: Db): Promise<void> {
  await db.transaction().execute(async (tx) => {
    for (const [name, volatility] of TIMES)
      await sql`create or replace function ${sql.table(`pg_catalog.${name}`)}() returns timestamptz
        language internal ${sql.raw(volatility)} strict parallel safe as ${sql.lit(IMPLEMENTED[name] ?? name)}`.execute(
        tx,
      );
    await sql`drop schema if exists demo cascade`.execute(tx);
  });
}
