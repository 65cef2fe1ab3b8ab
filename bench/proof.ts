import { isDeepStrictEqual } from 'node:util';
import { sql } from 'kysely';
import { reconcile } from '../src/app/commands/reconcile.ts';
import { int4Array, int8Array } from '../src/platform/database/arrays.ts';
import { type Db, transaction } from '../src/platform/database/db.ts';
import type { Sample } from './measure.ts';
import type { BeforeAndAfter } from './world.ts';

export type Proof = {
  acknowledged: number;
  /** Acknowledged bets missing in the database: must be 0. */
  missing: number;
  /** Bets in the database that were never acknowledged: must be 0, because no response was lost. */
  unknown: number;
  /** Ids that were acknowledged twice: must be 0. */
  repeated: number;
  findings: readonly object[];
  checked: Record<string, number>;
};

/**
 * Returns the reasons why the measurements of reads are not reliable: rows were written during the measurement, or the compared responses
 * differ in length.
 */
export function readProblems(samples: readonly Sample[], { before, after }: BeforeAndAfter): string[] {
  const problems = isDeepStrictEqual(before, after) ? [] : ['rows were written'];
  for (const { game, variant, bodyBytes } of samples) {
    const ours = samples.find((s) => s.game === game && s.variant === 'ours')!.bodyBytes;
    if (Math.abs(bodyBytes / ours - 1) > MOST_DIFFERENCE)
      problems.push(`${game}: ${variant} answered ${bodyBytes.toFixed(0)} B, ours ${ours.toFixed(0)} B`);
  }
  return problems;
}

type Acknowledged = { betIds: Float64Array; userIds: Int32Array };
type Options = { seedSecret: string; say: (line: string) => void };

const AT_ONCE = 20_000;
/** Allowed difference in length, because players' names and amounts vary. */
const MOST_DIFFERENCE = 0.03;

/** Verifies the results: every acknowledged bet is stored exactly once, there are no other bets, and the ledger balances. */
export async function prove(
  db: Db,
  acknowledged: Acknowledged,
  { seedSecret, say }: Options,
): Promise<Proof> {
  say(`comparing ${acknowledged.betIds.length} acknowledged bets with the database`);
  const compared = await compare(db, acknowledged);
  const report = await reconcile(db, { seedSecret, progress: (check) => say(`reconcile: ${check}`) });
  return { acknowledged: acknowledged.betIds.length, ...compared, ...report };
}

export function isProven({ missing, unknown, repeated, findings }: Proof): boolean {
  return missing === 0 && unknown === 0 && repeated === 0 && findings.length === 0;
}

function compare(db: Db, { betIds, userIds }: Acknowledged) {
  return transaction(db, async (tx) => {
    await sql`create temporary table acknowledged (id bigint, user_id integer) on commit drop`.execute(tx);
    for (let from = 0; from < betIds.length; from += AT_ONCE) {
      const ids = Array.from(betIds.subarray(from, from + AT_ONCE), BigInt);
      const users = Array.from(userIds.subarray(from, from + AT_ONCE));
      await sql`insert into acknowledged
        select * from unnest(${int8Array(ids)}::int8[], ${int4Array(users)}::int4[])`.execute(tx);
    }
    const { rows } = await sql<{ missing: number; unknown: number; repeated: number }>`
      select count(*) filter (where b.id is null)::int as missing, count(*) filter (where a.id is null)::int as unknown,
        (select count(*) - count(distinct id) from acknowledged)::int as repeated
      from bets b full join acknowledged a on a.id = b.id and a.user_id = b.user_id`.execute(tx);
    return rows[0]!;
  });
}
