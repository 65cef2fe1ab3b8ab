import { sql } from 'kysely';
import type { DbOrTx } from '../../../../platform/database/db.ts';
import { readingOf } from '../periods/queries.ts';
import type { Steps } from '../periods/rules.ts';

/** Counts the real players who signed up in each step. */
export function readRegistrations(db: DbOrTx, steps: Steps): Promise<bigint[]> {
  const { hour, stepAt, isAt, isUncounted } = readingOf(steps);
  const at = sql`created_at`;
  return countBySteps(
    db,
    steps,
    sql`
    select ${hour.step} as step, users as players from registration_hours where ${hour.is}
    union all
    select ${stepAt(at)}, -1 from users where ${isUncounted(sql`id`)} and ${isAt(at)}`,
  );
}

/** Counts the real players whose first deposit was in each step and in this currency (undefined means any). */
export function readFirstDeposits(db: DbOrTx, steps: Steps, currencyId?: string): Promise<bigint[]> {
  const { day, hour, stepAt, isAt, isUncounted } = readingOf(steps);
  const at = sql`at`;
  const which = currencyId === undefined ? sql`true` : sql`currency_id = ${currencyId}`;
  return countBySteps(
    db,
    steps,
    sql`
    select ${day.step} as step, players from first_deposit_days where ${day.is} and ${which}
    union all
    select ${hour.step}, players from first_deposit_hours join ${hour.ofCutDays} where ${which}
    union all
    select ${stepAt(at)}, -1 from first_deposits where ${isUncounted(sql`user_id`)} and ${isAt(at)} and ${which}`,
  );
}

async function countBySteps(db: DbOrTx, steps: Steps, counted: ReturnType<typeof sql>): Promise<bigint[]> {
  const { rows } = await sql<{ step: number; players: string }>`
    select step - 1 as step, sum(players)::text as players from (${counted}) counted group by 1`.execute(db);
  const players = steps.starts.map(() => 0n);
  for (const row of rows) players[row.step] = BigInt(row.players);
  return players;
}
