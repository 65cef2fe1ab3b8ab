import { type RawBuilder, sql } from 'kysely';
import type { Db } from '../../../platform/db.ts';
import { int4Array } from '../../../platform/pg-arrays.ts';
import type { Range } from '../../money/ledger/touched.ts';
import { type LiveRow, playedIn, rowsOf, type Shown, shownTo } from './live.ts';

/** A bet that came to its end, with its place in the order of everything and whose it is. */
export type SettledBet = { id: bigint; place: bigint; userId: number; at: Date; bet: Shown };
/** A player who wants to know what their bets came to since `after`. */
export type Returning = { userId: number; after: bigint };
type Most = { below: bigint; most: number };

/** Ends of bets as the feed tells of them, between two places. What is behind a safe watermark is complete. */
export function createBetNews({ db, brand }: { db: Db; brand: string }) {
  const read = async (ids: readonly bigint[] | RawBuilder<unknown>, range: Range): Promise<SettledBet[]> => {
    const rows = await rowsOf(db, ids, endOf(range));
    const lastPlayed = playedIn(rows);
    const toNews = (row: LiveRow): SettledBet => ({
      id: row.id,
      place: row.place,
      userId: row.user_id,
      at: row.status === 'SETTLED' ? row.settled_at! : row.updated_at,
      bet: shownTo(row.user_id, { lastPlayed, brand })(row),
    });
    return rows.reverse().map(toNews);
  };
  return {
    /** What these players' bets came to, in order. Reads the range: for who reads on and on. */
    of: (userIds: readonly number[], range: Range): Promise<SettledBet[]> =>
      read(
        sql`select id from ${endedIn(range)} ended where user_id = any(${int4Array(userIds)}::int4[])`,
        range,
      ),

    /** What each of these players' bets came to since `after`, in order, the first `most` of it. However long ago that begins. */
    async ofEach(players: readonly Returning[], { below, most }: Most): Promise<SettledBet[][]> {
      const all = players.map(({ userId, after }, n) => ({ n, player: userId, after: String(after) }));
      const { rows: ended } = await sql<{ n: number; id: bigint }>`
        select l.n, own.id from json_to_recordset(${JSON.stringify(all)}::json) l(n int4, player int4, after int8)
        cross join lateral (
          select id from (
            (select id, id as place from bets where (user_id, id) > (l.player, l.after) and (user_id, id) < (l.player, ${below})
              and id > l.after and id < ${below} and settlement_id is null and status = 'SETTLED' order by user_id, id limit ${most})
            union all
            (select id, settlement_id from bets where user_id = l.player and settlement_id > l.after and settlement_id < ${below}
              and status in ('SETTLED', 'ROLLBACK') order by settlement_id limit ${most})
            union all
            (select id, reversal_id from bets where reversal_id > l.after and reversal_id < ${below} and user_id = l.player
              order by reversal_id limit ${most})
          ) ended order by place limit ${most}
        ) own`.execute(db);
      if (ended.length === 0) return players.map(() => []);
      const ids = [...new Set(ended.map(({ id }) => id))];
      // Whatever ended for somebody ended for the last time behind their own place, and so behind the first of them.
      const after = players.reduce((least, one) => (one.after < least ? one.after : least), below);
      const bets = await read(ids, { after, below });
      const [of, betsOf] = [Map.groupBy(ended, ({ n }) => n), Map.groupBy(bets, (bet) => bet.userId)];
      return players.map(({ userId }, n) => {
        const own = new Set(of.get(n)?.map(({ id }) => id));
        return betsOf.get(userId)?.filter(({ id }) => own.has(id)) ?? [];
      });
    },

    /** The latest settled of everybody's, the newest first, as everybody sees them. Test users and staff are left out. */
    async latest(range: Range, most: number): Promise<Shown[]> {
      const rows = await rowsOf(
        db,
        sql`select e.id from ${endedIn(range)} e join users u on u.id = e.user_id
          where e.status = 'SETTLED' and not u.is_test and not u.is_staff order by e.place desc limit ${most}`,
      );
      return rows.map(shownTo(0, { lastPlayed: playedIn(rows), brand }));
    },

    /** When the first bet after each place was made; null where none was. */
    async timesAfter(places: readonly bigint[]): Promise<(Date | null)[]> {
      const { rows } = await sql<{ at: Date | null }>`
        select (select created_at from bets where id > place order by id limit 1) as at
        from unnest(${places.map(String)}::int8[]) with ordinality p(place, n) order by n`.execute(db);
      return rows.map(({ at }) => at);
    },
  };
}

/** Whose bets were made in a range, and in which currency: a query of `user_id`, `currency_id`. */
export const madeIn = ({ after, below }: Range) => sql`
  select user_id, currency_id from (select user_id, currency_id from bets where id > ${after} and id < ${below} offset 0) made`;

/** Where a bet ended for the last time within a range. */
const endOf = ({ after, below }: Range) =>
  sql<bigint>`case when reversal_id > ${after} and reversal_id < ${below} then reversal_id else coalesce(settlement_id, bets.id) end`;

/**
 * Bets that ended in a range: settled when they were made, settled or rolled back later, or taken back after they were settled.
 * Each list by its own index.
 */
const endedIn = ({ after, below }: Range) => sql`(
  select id, id as place, user_id, status from (
    select id, user_id, status, settlement_id from bets where id > ${after} and id < ${below} offset 0) made
  where settlement_id is null and status = 'SETTLED'
  union all
  select id, settlement_id, user_id, status from (
    select id, user_id, status, settlement_id from bets where settlement_id > ${after} and settlement_id < ${below} offset 0) late
  where status in ('SETTLED', 'ROLLBACK')
  union all
  select id, reversal_id, user_id, status from bets where reversal_id > ${after} and reversal_id < ${below})`;
