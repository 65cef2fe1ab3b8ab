import { isDeepStrictEqual } from 'node:util';
import { sql } from 'kysely';
import { reconcile } from '../src/modules/operations/reconcile/service.ts';
import { type Db, transaction } from '../src/platform/db.ts';
import { int4Array, int8Array } from '../src/platform/pg-arrays.ts';
import type { Sample } from './measure.ts';
import type { BeforeAndAfter } from './world.ts';

export type Proof = {
  acknowledged: number;
  /** Acknowledged but not in the database: must be 0. */
  missing: number;
  /** In the database but never acknowledged: must be 0, since no answer was lost. */
  unknown: number;
  /** Ids that were answered twice: must be 0. */
  repeated: number;
  findings: readonly object[];
  checked: Record<string, number>;
};

/**
 * Why the figures of reads may not be believed: something was written meanwhile, or answers were not as long as those that they are
 * compared with.
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
/** Names and amounts of players are not all equally long. */
const MOST_DIFFERENCE = 0.03;

/** Whether the numbers may be believed: every bet that was answered is there once, no other, and the books agree. */
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
