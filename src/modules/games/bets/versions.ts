import { sql } from 'kysely';
import type { DbOrTx } from '../../../platform/db.ts';
import type { Units } from '../../../platform/money.ts';

/**
 * What a settled bet comes to, from one position to the next. Its first version is that of its settlement: the bet's own row, which keeps
 * it for ever. Each correction (bet_corrections) ends a version and begins another; a side of it that is missing does not count. So a
 * corrected bet is known from its corrections alone, even while the month of its row is detached.
 */

/** SQL: whether a row of `bets` counts at a position as it stands. One that was ever corrected is among `correctedAt`. */
export const countsAt = (position: string): string =>
  `((status = 'SETTLED' or reversal_id is not null) and not is_corrected and coalesce(settlement_id, bets.id) <= ${position}
    and (reversal_id is null or reversal_id > ${position}))`;

const COLUMNS = 'user_id, game_id, amount, payout, usd_amount, usd_payout, at, bet_position';
const sideOf = (side: 'before' | 'after') =>
  ['amount', 'payout', 'usd_amount', 'usd_payout', 'at'].map((name) => `c.${name}_${side}`).join(', ');

/** SQL: the versions of corrected bets that count at a position, as a table for FROM. `until`: the correction that has ended it, if one has. */
export const correctedAt = (position: string): string => `(
  select c.bet_id, user_id, game_id, v.amount, v.payout, v.usd_amount, v.usd_payout, v.at, bet_position, v.until
  from (
    select *, lag(id) over w as previous, lead(id) over w as next from bet_corrections
    window w as (partition by user_id, bet_position, bet_id order by id)) c
  cross join lateral (values (id, next, ${sideOf('after')}),
    (case when previous is null then bet_position end, id, ${sideOf('before')})) v(since, until, amount, payout, usd_amount, usd_payout, at)
  where v.amount is not null and v.since <= ${position} and (v.until is null or v.until > ${position}))`;

/** SQL: all that counts at a position, as a table for FROM. */
export const versionsAt = (position: string): string => `(
  select user_id, game_id, amount, payout, usd_amount, usd_payout, coalesce(settled_at, created_at) as at,
    coalesce(settlement_id, id) as bet_position from bets where ${countsAt(position)}
  union all
  select ${COLUMNS} from ${correctedAt(position)} corrected)`;

/** SQL: the last correction of a bet, for a lateral join; it is not looked for where there is none. */
export const lastCorrection = (bet: string): string =>
  `(select * from bet_corrections where ${bet}.is_corrected and bet_id = ${bet}.id order by id desc limit 1)`;

type Amounts = { amount: Units; payout: Units; usd_amount: Units; usd_payout: Units };
type Shown = Amounts & { id: bigint; status: string; is_corrected: boolean; settled_at: Date | null };

/**
 * Bets as they stand now: those that were corrected with the amounts of their last version. One that is open again shows its stake, one
 * that was taken back what it came to before. Asks the database only where a row was corrected.
 */
export async function asTheyStand<R extends Shown>(db: DbOrTx, rows: readonly R[]): Promise<R[]> {
  const ids = rows.flatMap((row) => (row.is_corrected ? [row.id] : []));
  if (ids.length === 0) return [...rows];
  const last = await readLast(db, ids);
  return rows.map((row) => {
    const version = last.get(row.id);
    if (!version) return row;
    const { at, ...amounts } = version;
    if (row.status === 'SETTLED' || row.status === 'ROLLBACK') return { ...row, ...amounts, settled_at: at };
    return { ...row, ...amounts, payout: 0n, usd_payout: 0n, settled_at: null };
  });
}

/** What the last correction of each bet left, or took away. */
async function readLast(db: DbOrTx, ids: readonly bigint[]): Promise<Map<bigint, Amounts & { at: Date }>> {
  const either = (name: string) =>
    `case when amount_after is null then ${name}_before else ${name}_after end as ${name}`;
  const columns = sql.raw(['amount', 'payout', 'usd_amount', 'usd_payout', 'at'].map(either).join(', '));
  const { rows } = await sql<Amounts & { id: bigint; at: Date }>`
    select distinct on (bet_id) bet_id as id, ${columns} from bet_corrections
    where bet_id = any(${ids.map(String)}::int8[]) order by bet_id, bet_corrections.id desc`.execute(db);
  return new Map(rows.map(({ id, ...version }) => [id, version]));
}
