import { sql } from 'kysely';
import type { Db } from '../src/platform/database/db.ts';

type Timed = { query: string; calls: number; total_ms: number; rows: number };

/** Returns the elapsed time of each SQL statement, per bet if there were any bets. The time of COMMIT includes waiting for the disk. */
export async function statementLines(db: Db, bets: number): Promise<string[]> {
  const { rows } = await sql<Timed>`
    select regexp_replace(left(query, 90), '\\s+', ' ', 'g') as query, calls::int, total_exec_time as total_ms, rows::int
    from pg_stat_statements where calls > 10 order by total_exec_time desc limit 20`.execute(db);
  const perBet = (ms: number) =>
    bets > 0 ? `${((ms * 1000) / bets).toFixed(2).padStart(8)} µs a bet  ` : '';
  return rows.map(
    ({ query, calls, total_ms: ms }) =>
      `  ${perBet(ms)}${((ms * 1000) / calls).toFixed(1).padStart(8)} µs a call  ${String(calls).padStart(7)} calls  ${query}`,
  );
}

export async function resetStatements(db: Db): Promise<void> {
  await sql`select pg_stat_statements_reset()`.execute(db);
}
