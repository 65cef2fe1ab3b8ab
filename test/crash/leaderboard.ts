import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import type { Db } from '../../src/platform/db.ts';

/**
 * Where a worker dies that ends a leaderboard and pays its prize: `before` a statement that has this text reaches the database, `after` it was
 * answered, or with its transaction `committed` and nobody told.
 */
export type WorkerPoint = { name: string; text: string; when: 'before' | 'after' | 'committed' };

const END = "status = 'FINALIZING', horizon";
const FREEZE = 'with placed as';
const PAY = 'insert into "leaderboard_prizes"';
const WHENS = ['before', 'after', 'committed'] as const;

export const WORKER_POINTS: readonly WorkerPoint[] = [
  ...WHENS.map((when) => ({ name: `end, ${when}`, text: END, when })),
  ...WHENS.map((when) => ({ name: `places, ${when}`, text: FREEZE, when })),
  ...WHENS.map((when) => ({ name: `prize, ${when}`, text: PAY, when })),
];

/** A leaderboard that was over two minutes ago, in which a player has a score, and prizes that are paid by themselves. */
export async function endedLeaderboard(db: Db, userId: number): Promise<number> {
  await sql`update users set is_test = false where id = ${userId}`.execute(db);
  const config = JSON.stringify({ leaderboards: { paysAutomatically: true } });
  await sql`
    insert into site_config (code, config, version) values ('COMMON', ${config}, 0) on conflict (code) do update set config = excluded.config`.execute(
    db,
  );
  const { rows } = await sql<{ id: number }>`
    insert into leaderboards (type, status, name, description, currency_id, min_bet_usd, prizes, categories, provider_ids, game_slugs,
      moves_prizes_up, start_date, end_date, generation, participants)
    values ('SPECIAL', 'ACTIVE', 'A race', '', 'USDT', 0, '[{"place": 1, "usdAmount": "100"}]', '{}', '{}', '{}', false,
      now() - interval '1 hour', now() - interval '2 minutes', 0, 1) returning id`.execute(db);
  const { id } = rows[0]!;
  await sql`insert into leaderboard_bets values (${id}, ${userId}, 1, 1, 100)`.execute(db);
  await sql`
    insert into leaderboard_scores (leaderboard_id, user_id, score, reached_place) values (${id}, ${userId}, 100, 1)`.execute(
    db,
  );
  await sql`
    select graphile_worker.add_job('leaderboard', json_build_object('leaderboardId', ${id}::int), job_key => ${`leaderboard:${id}`})`.execute(
    db,
  );
  return id;
}

/** What is not as it should be once another worker has done the rest: one freeze, one payment, one end. */
export async function problemsOf(db: Db, id: number, userId: number): Promise<string[]> {
  const read = async () => {
    const { rows } = await sql<{ status: string; prizes: number; lines: number; said: string[] }>`
      select status, (select count(*)::int from leaderboard_prizes where leaderboard_id = ${id}) as prizes,
        (select count(*)::int from ledger_lines where user_id = ${userId} and kind = 'leaderboard.prize') as lines,
        array(select data ->> 'status' from events where name = 'leaderboard.updated' and data ->> 'leaderboardId' = ${String(id)} order by id)
          as said
      from leaderboards where id = ${id}`.execute(db);
    return rows[0]!;
  };
  for (const until = performance.now() + 60_000; performance.now() < until; await sleep(250))
    if ((await read()).status === 'FINISHED') break;
  const { status, prizes, lines, said } = await read();
  const states = ['FINALIZING', 'AWAITING_PAYOUT', 'FINISHED'];
  const problems: string[] = [];
  if (status !== 'FINISHED') problems.push(`it is ${status}`);
  if (prizes !== 1 || lines !== 1) problems.push(`${prizes} prizes, ${lines} payments`);
  if (said.join() !== states.join()) problems.push(`it said ${said.join(', ')}`);
  return problems;
}
