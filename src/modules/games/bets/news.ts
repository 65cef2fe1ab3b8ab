import { type RawBuilder, sql } from 'kysely';
import { int4Array } from '../../../platform/database/arrays.ts';
import type { Db } from '../../../platform/database/db.ts';
import type { Range } from '../../money/ledger/balances.ts';
import { type Beside, playedIn, rowsOf, type Scenery, type Shown, shownTo } from './live.ts';
import { withScenery } from './rules.ts';

/** A bet that has ended, with the sequence position at which it ended. */
export type SettledBet = { id: bigint; position: bigint; userId: number; at: Date; bet: Shown };
/** A player, with the position after which the player's ended bets are requested. */
export type Returning = { userId: number; after: bigint };
type Deps = { db: Db; beside: Beside; scenery: Scenery };

/** Reads bets that have ended within a range of sequence positions. A range below the safe watermark is complete. */
export function createBetNews(deps: Deps) {
  const { db, beside } = deps;
  return {
    /** Returns ended bets of these players, in order. Reads the whole range, so it should be called for consecutive short ranges. */
    of: (userIds: readonly number[], range: Range): Promise<SettledBet[]> =>
      readEnded(
        deps,
        sql`select id from ${endedIn(range)} ended where user_id = any(${int4Array(userIds)}::int4[])`,
        range,
      ),

    /** Returns for each player the first `most` bets that ended after the player's `after`, in order. `after` may be an old position. */
    async ofEach(
      players: readonly Returning[],
      { below, most }: { below: bigint; most: number },
    ): Promise<SettledBet[][]> {
      const ended = await idsOfEach(db, players, { below, most });
      if (ended.length === 0) return players.map(() => []);
      const ids = [...new Set(ended.map(({ id }) => id))];
      // The range after the lowest `after` contains the last end of each of these bets.
      const after = players.reduce((least, one) => (one.after < least ? one.after : least), below);
      const bets = await readEnded(deps, ids, { after, below });
      const [idsOf, betsOf] = [Map.groupBy(ended, ({ n }) => n), Map.groupBy(bets, (bet) => bet.userId)];
      return players.map(({ userId }, n) => {
        const own = new Set(idsOf.get(n)?.map(({ id }) => id));
        return betsOf.get(userId)?.filter(({ id }) => own.has(id)) ?? [];
      });
    },

    /** Returns the latest settled bets and simulated rows of a range, newest first, as others see them. Excludes test users and staff. */
    async latest(range: Range, most: number): Promise<Shown[]> {
      const [rows, scenery] = await Promise.all([
        rowsOf(
          db,
          sql`select e.id from ${endedIn(range)} e join users u on u.id = e.user_id
          where e.status = 'SETTLED' and e.is_end and not u.is_test and not u.is_staff order by e.position desc limit ${most}`,
        ),
        deps.scenery.within(range),
      ]);
      const shown = withScenery(rows, scenery).slice(0, most);
      return shown.map(shownTo(0, { lastPlayed: playedIn(rows), beside }));
    },

    /** Returns the time of the first bet after each position, or null if no bet follows. */
    async timesAfter(positions: readonly bigint[]): Promise<(Date | null)[]> {
      const { rows } = await sql<{ at: Date | null }>`
        select (select created_at from bets where id > position order by id limit 1) as at
        from unnest(${positions.map(String)}::int8[]) with ordinality p(position, n) order by n`.execute(db);
      return rows.map(({ at }) => at);
    },
  };
}

async function readEnded(
  { db, beside }: Deps,
  ids: readonly bigint[] | RawBuilder<unknown>,
  range: Range,
): Promise<SettledBet[]> {
  const rows = await rowsOf(db, ids, endOf(range));
  const lastPlayed = playedIn(rows);
  return rows.reverse().map((row) => ({
    id: row.id,
    position: row.position,
    userId: row.user_id,
    at: row.status === 'SETTLED' && !row.is_corrected ? row.settled_at! : row.updated_at,
    bet: shownTo(row.user_id, { lastPlayed, beside })(row),
  }));
}

/** Reads for each player (at index `n`) the ids of the first `most` ended bets. Each kind of end is read through an index per player. */
async function idsOfEach(
  db: Db,
  players: readonly Returning[],
  { below, most }: { below: bigint; most: number },
): Promise<{ n: number; id: bigint }[]> {
  const all = players.map(({ userId, after }, n) => ({ n, player: userId, after: String(after) }));
  const { rows } = await sql<{ n: number; id: bigint }>`
    select l.n, own.id from json_to_recordset(${JSON.stringify(all)}::json) l(n int4, player int4, after int8)
    cross join lateral (
      select id from (
        (select id, id as position from bets where (user_id, id) > (l.player, l.after) and (user_id, id) < (l.player, ${below})
          and id > l.after and id < ${below} and settlement_id is null and status = 'SETTLED' order by user_id, id limit ${most})
        union all
        (select id, settlement_id from bets where user_id = l.player and settlement_id > l.after and settlement_id < ${below}
          and status in ('SETTLED', 'ROLLBACK') order by settlement_id limit ${most})
        union all
        (select id, reversal_id from bets where reversal_id > l.after and reversal_id < ${below} and user_id = l.player
          order by reversal_id limit ${most})
        union all
        (select bet_id, id from bet_corrections where user_id = l.player and id > l.after and id < ${below} order by id limit ${most})
      ) ended order by position limit ${most}
    ) own`.execute(db);
  return rows;
}

/** SQL: a query that returns `user_id` and `currency_id` of the bets placed in a range. */
export const madeIn = ({ after, below }: Range) => sql`
  select user_id, currency_id from (select user_id, currency_id from bets where id > ${after} and id < ${below} offset 0) made`;

/** SQL: the position within a range at which a bet last ended or was corrected. */
const endOf = ({ after, below }: Range) =>
  sql<bigint>`case when reversal_id > ${after} and reversal_id < ${below} then reversal_id
    when is_corrected then coalesce((select max(c.id) from bet_corrections c
      where c.bet_id = bets.id and c.id > ${after} and c.id < ${below}), settlement_id, bets.id)
    else coalesce(settlement_id, bets.id) end`;

/**
 * SQL: bets that ended in a range (settled immediately, settled or rolled back later, or rolled back after settlement), and bets that were
 * corrected in the range (`is_end` false). Each kind of end is read through its own index.
 */
const endedIn = ({ after, below }: Range) => sql`(
  select id, id as position, user_id, status, true as is_end from (
    select id, user_id, status, settlement_id from bets where id > ${after} and id < ${below} offset 0) made
  where settlement_id is null and status = 'SETTLED'
  union all
  select id, settlement_id, user_id, status, true from (
    select id, user_id, status, settlement_id from bets where settlement_id > ${after} and settlement_id < ${below} offset 0) late
  where status in ('SETTLED', 'ROLLBACK')
  union all
  select id, reversal_id, user_id, status, true from bets where reversal_id > ${after} and reversal_id < ${below}
  union all
  select bet_id, id, user_id, null, false from bet_corrections where id > ${after} and id < ${below})`;
