import { sql } from 'kysely';
import { reconcile } from '../../src/modules/operations/reconcile/service.ts';
import { createDb, createPool, type Db } from '../../src/platform/db.ts';
import { silentLog } from '../../src/platform/log.ts';
import { formatUnits, type Units } from '../../src/platform/money.ts';
import type { Attempt } from './load.ts';

export type Verdict = {
  acked: number;
  /** Acknowledged, but not in the database as it was answered: the worst there is. */
  missing: string[];
  /** Everything else that must not be: there twice, refused and yet there. */
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

/** Runs `work` on a connection of its own: the database may have been another one a second ago. */
export async function withDb<T>(databaseUrl: string, work: (db: Db) => Promise<T>): Promise<T> {
  const options = { poolSize: 3, connectTimeoutMs: 5000, statementTimeoutMs: 120_000, name: 'check' };
  const pool = createPool({ ...options, connectionString: databaseUrl }, silentLog);
  try {
    return await work(createDb(pool));
  } finally {
    await pool.end();
  }
}

/** How many of the unknown bets have landed after all. */
export async function countLanded(db: Db, history: readonly Attempt[]): Promise<number> {
  const rows = await readBets(db);
  return history.filter((attempt) => attempt.outcome === 'unknown' && rows.has(attempt.tag)).length;
}

/** Compares what was answered with what is stored. */
export async function compare(db: Db, history: readonly Attempt[]): Promise<Verdict> {
  const rows = await readBets(db);
  const verdict: Verdict = { acked: 0, missing: [], wrong: [] };
  for (const attempt of history) judge(attempt, rows.get(attempt.tag) ?? [], verdict);
  return verdict;
}

/** Bets that are in the database although nobody sent them. */
export async function neverSent(db: Db, history: readonly Attempt[]): Promise<string[]> {
  const tags = new Set(history.map((attempt) => attempt.tag));
  const rows = await readBets(db);
  return [...rows.keys()].filter((tag) => !tags.has(tag)).map((tag) => `${tag} was never sent`);
}

/** What reconcile finds wrong with the books, as text. */
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
  const field = Object.keys(stored).find((name) => stored[name] !== answer[name]);
  if (field !== undefined) return `${field} was answered ${answer[field]} and is ${stored[field]}`;
  return row.user_id === userId ? undefined : `belongs to user ${row.user_id}, not ${userId}`;
}

async function readBets(db: Db): Promise<Map<string, Row[]>> {
  const { rows } =
    await sql<Row>`select id, user_id, window_id, nonce, amount, usd_payout, outcome, created_at
    from bets where window_id is not null order by id`.execute(db);
  return Map.groupBy(rows, (row) => row.window_id);
}
