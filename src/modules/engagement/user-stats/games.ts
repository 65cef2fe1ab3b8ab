import { sql } from 'kysely';
import type { Clock } from '../../../platform/clock.ts';
import type { Db } from '../../../platform/db.ts';
import { sharedFor } from '../../../platform/shared-read.ts';
import { generationOf } from '../../games/bets/effects.ts';
import { CURSOR } from './queries.ts';

const WINDOW_MS = 30 * 86_400_000;
/** How long everybody who asks shares an answer. */
const FRESH_MS = 60_000;

/** Nobody's figures: test users and staff. */
const REAL = sql`join users u on u.id = h.user_id and not u.is_test and not u.is_staff`;
const BUILT = sql`h.generation = ${generationOf(CURSOR)}`;

/** Which games are played, from the hours of players: no bet is read. About a second old, like everything that consumes bets. */
export function createGameStats({ db, clock }: { db: Db; clock: Clock }) {
  return {
    /**
     * How many players a game has had in the last 30 days, by its id; a minute old at most. Players, not bets: one who bets a
     * million times makes no game popular. No figure: nobody played it.
     */
    popularity: sharedFor(
      FRESH_MS,
      (now) => readPlayers(db, new Date(now - WINDOW_MS)),
      () => clock.now(),
    ),

    /** When a bet on each of these games was last settled; none where nobody played. */
    async lastPlayed(gameIds: readonly number[]): Promise<ReadonlyMap<number, Date>> {
      if (gameIds.length === 0) return new Map();
      const { rows } = await sql<{ id: number; at: Date }>`
        select g.id, last.at from unnest(${gameIds}::int4[]) g(id) cross join lateral (
          select max(h.last_at) as at from play_hours h ${REAL}
          where h.game_id = g.id and ${BUILT} and h.hour = (
            select h.hour from play_hours h ${REAL} where h.game_id = g.id and ${BUILT} order by h.hour desc limit 1)
        ) last where last.at is not null`.execute(db);
      return new Map(rows.map(({ id, at }) => [id, at]));
    },

    /** When a bet of this player on each game was last settled. */
    async playedBy(userId: number): Promise<ReadonlyMap<number, Date>> {
      const { rows } = await sql<{ id: number; at: Date }>`
        select game_id as id, max(last_at) as at from play_hours h where user_id = ${userId} and ${BUILT}
        group by 1`.execute(db);
      return new Map(rows.map(({ id, at }) => [id, at]));
    },
  };
}

async function readPlayers(db: Db, since: Date): Promise<ReadonlyMap<number, number>> {
  const { rows } = await sql<{ id: number; players: number }>`
    select h.game_id as id, count(distinct h.user_id)::int as players from play_hours h ${REAL}
    where ${BUILT} and h.hour >= ${since} group by 1`.execute(db);
  return new Map(rows.map(({ id, players }) => [id, players]));
}
