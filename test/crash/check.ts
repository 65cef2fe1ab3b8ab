import { sql } from 'kysely';
import { reconcile } from '../../src/app/commands/reconcile.ts';
import { createDb, createPool, type Db } from '../../src/platform/database/db.ts';
import { formatUnits, type Units } from '../../src/platform/money.ts';
import { silentLog } from '../../src/platform/observability/log.ts';
import type { Attempt } from './load.ts';

export type Verdict = {
  acked: number;
  /** Acknowledged bets that are missing or differ in the database. This is the worst possible result. */
  missing: string[];
  /** All other violations, such as duplicate bets, and rejected bets that are stored. */
  wrong: string[];
};

type Row = {
  id: bigint;
  user_id: number;
  window_id: string;
  nonce: number;
  amount: Units;
  usd_payout: Units;
  outcome: object;
  created_at: Date;
};

/** Runs `work` on a new connection, because the database may have been replaced a second ago. */
export async function withDb<T>(databaseUrl: string, work: (db: Db) => Promise<T>): Promise<T> {
  const options = { poolSize: 3, connectTimeoutMs: 5000, statementTimeoutMs: 120_000, name: 'check' };
  const pool = createPool({ ...options, connectionString: databaseUrl }, silentLog);
  try {
    return await work(createDb(pool));
  } finally {
    await pool.end();
  }
}

/** Counts the bets that are in the database although the client does not know their outcome. */
export async function countLanded(db: Db, history: readonly Attempt[]): Promise<number> {
  const rows = await readBets(db);
  return history.filter((attempt) => attempt.outcome === 'unknown' && rows.has(attempt.tag)).length;
}

/** Compares responses with stored bets. */
export async function compare(db: Db, history: readonly Attempt[]): Promise<Verdict> {
  const rows = await readBets(db);
  const verdict: Verdict = { acked: 0, missing: [], wrong: [] };
  for (const attempt of history) judge(attempt, rows.get(attempt.tag) ?? [], verdict);
  return verdict;
}

/** Returns bets in the database that were never sent. */
export async function neverSent(db: Db, history: readonly Attempt[]): Promise<string[]> {
  const tags = new Set(history.map((attempt) => attempt.tag));
  const rows = await readBets(db);
  return [...rows.keys()].filter((tag) => !tags.has(tag)).map((tag) => `${tag} was never sent`);
}

/** Returns the findings of reconcile as text. */
export async function brokenBooks(db: Db, seedSecret: string): Promise<string[]> {
  const { findings } = await reconcile(db, { seedSecret });
  return findings.map(
    ({ invariant, problem, facts }) =>
      `${invariant} ${problem}: ${JSON.stringify(facts, (_, v) => plain(v))}`,
  );
}

const plain = (value: unknown) => (typeof value === 'bigint' ? String(value) : value);

function judge(attempt: Attempt, rows: readonly Row[], verdict: Verdict): void {
  const { tag, outcome, said } = attempt;
  if (said.startsWith('500')) verdict.wrong.push(`${tag} was answered ${said}`);
  if (rows.length > 1) verdict.wrong.push(`${tag} is there ${rows.length} times`);
  if (outcome === 'refused' && rows.length > 0)
    verdict.wrong.push(`${tag} was refused (${said}) and is there`);
  if (outcome !== 'ok') return;
  verdict.acked++;
  const difference = rows[0] ? differenceOf(attempt, rows[0]) : 'not there';
  if (difference !== undefined) verdict.missing.push(`${tag}: ${difference}`);
}

function differenceOf({ answer, userId }: Attempt, row: Row): string | undefined {
  const stored: Record<string, unknown> = {
    betId: String(row.id),
    payout: formatUnits(row.usd_payout),
    createdAt: row.created_at.toISOString(),
    ...row.outcome,
  };
  // The stored outcome of a lost bet contains the multiplier that was offered.
  const answered = { ...answer, multiplier: answer.offeredMultiplier ?? answer.multiplier };
  const field = Object.keys(stored).find((name) => stored[name] !== answered[name as keyof typeof answered]);
  if (field !== undefined)
    return `${field}: response ${answered[field as keyof typeof answered]}, stored ${stored[field]}`;
  return row.user_id === userId ? undefined : `belongs to user ${row.user_id}, not ${userId}`;
}

async function readBets(db: Db): Promise<Map<string, Row[]>> {
  const { rows } =
    await sql<Row>`select id, user_id, window_id, nonce, amount, usd_payout, outcome, created_at
    from bets where window_id is not null order by id`.execute(db);
  return Map.groupBy(rows, (row) => row.window_id);
}
