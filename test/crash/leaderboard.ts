import { sql } from 'kysely';
import type { Db } from '../../src/platform/database/db.ts';
import { createPlayers, type LoadPlayer } from './load.ts';
import { becomes, type Scene, WHENS } from './scenes.ts';

const END = "status = 'FINALIZING', horizon";
const FREEZE = 'with placed as';
const PAY = 'insert into "leaderboard_prizes"';

/** Inserts a leaderboard that ended two minutes ago, in which a player has a score. */
async function insertLeaderboard(db: Db, userId: number): Promise<number> {
  await sql`update users set is_test = false where id = ${userId}`.execute(db);
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
  return id;
}

/** Inserts a leaderboard whose end a worker has to process. */
export async function endedLeaderboard(db: Db, userId: number): Promise<number> {
  const id = await insertLeaderboard(db, userId);
  await sql`
    select graphile_worker.add_job('leaderboard', json_build_object('leaderboardId', ${id}::int), job_key => ${`leaderboard:${id}`})`.execute(
    db,
  );
  return id;
}

/** Makes workers that start from now on pay prizes automatically. */
async function payAutomatically(db: Db): Promise<void> {
  const config = JSON.stringify({ leaderboards: { paysAutomatically: true } });
  await sql`
    insert into site_config (code, config, version) values ('COMMON', ${config}, 0) on conflict (code) do update set config = excluded.config`.execute(
    db,
  );
}

/** Inserts a leaderboard with frozen ranks, whose prize staff have to pay. */
export async function frozenLeaderboard(db: Db, userId: number): Promise<number> {
  const id = await insertLeaderboard(db, userId);
  await sql`update leaderboard_scores set place = 1, prize_usd = 10000000000 where leaderboard_id = ${id}`.execute(
    db,
  );
  await sql`update leaderboards set status = 'AWAITING_PAYOUT', frozen_upto = 1 where id = ${id}`.execute(db);
  return id;
}

/**
 * Returns problems after another worker has finished the work. It expects one freeze, one payment, one end, and each status announced at
 * most once.
 */
export async function problemsOf(db: Db, id: number, userId: number): Promise<string[]> {
  const read = async () => {
    const { rows } = await sql<{ status: string; prizes: number; lines: number; said: string[] }>`
      select status, (select count(*)::int from leaderboard_prizes where leaderboard_id = ${id}) as prizes,
        (select count(*)::int from ledger_lines where user_id = ${userId} and kind = 'leaderboard.prize') as lines,
        array(select data ->> 'status' from events where name = 'leaderboard.updated' and data ->> 'leaderboardId' = ${String(id)} order by id)
          as said
      from leaderboards where id = ${id}`.execute(db);
    const { said, ...state } = rows[0]!;
    return { ...state, isSaidOnce: new Set(said).size === said.length, lastSaid: said.at(-1) };
  };
  const done = { status: 'FINISHED', prizes: 1, lines: 1, isSaidOnce: true, lastSaid: 'FINISHED' };
  return becomes<Awaited<ReturnType<typeof read>>>(read, done);
}

export const leaderboardScene: Scene = {
  name: 'leaderboard',
  points: [
    ...WHENS.map((when) => ({ name: `end, ${when}`, text: END, when })),
    ...WHENS.map((when) => ({ name: `places, ${when}`, text: FREEZE, when })),
    ...WHENS.map((when) => ({ name: `prize, ${when}`, text: PAY, when })),
  ],
  async prepare({ healthyUrl, onDb }) {
    const [player] = (await createPlayers(healthyUrl, [1])) as [LoadPlayer];
    await onDb(payAutomatically);
    const id = await onDb((db) => endedLeaderboard(db, player.id));
    return () => onDb((db) => problemsOf(db, id, player.id));
  },
};
