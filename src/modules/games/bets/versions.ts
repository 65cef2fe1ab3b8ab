import { sql } from 'kysely';
import type { DbOrTx, Tx } from '../../../platform/database/db.ts';
import type { Units } from '../../../platform/money.ts';
import { LIMIT_PERIODS, noPlay, type Play, playedBetween } from '../../compliance/gate/rules.ts';
import { effectsIn, type Slice } from './effects.ts';
import { countedStakeUsdSql } from './rules.ts';

/**
 * The amounts of a settled bet may change later. Its first version is stored in the bet's row, which is never changed. Each correction
 * (bet_corrections) ends one version and begins the next. `before` or `after` is null while statistics do not include the bet. The
 * corrections contain every version of a corrected bet, so the bet's row is not needed and its month may be detached.
 */

/** SQL: true if statistics at a sequence position include a row of `bets`. Corrected bets are returned by `correctedAt` instead. */
export const countsAt = (position: string): string =>
  `((status = 'SETTLED' or reversal_id is not null) and not is_corrected and coalesce(settlement_id, bets.id) <= ${position}
    and (reversal_id is null or reversal_id > ${position}))`;

const COLUMNS = 'user_id, game_id, amount, payout, usd_amount, usd_payout, undecided, at, bet_position';
const AMOUNTS = ['amount', 'payout', 'usd_amount', 'usd_payout', 'undecided'] as const;
const sideOf = (side: 'before' | 'after') => [...AMOUNTS, 'at'].map((name) => `c.${name}_${side}`).join(', ');

/**
 * SQL: the versions of corrected bets that statistics at a sequence position include, as a table for FROM. `until` is the correction that
 * ended the version, or null.
 */
export const correctedAt = (position: string): string => `(
  select c.bet_id, user_id, game_id, v.amount, v.payout, v.usd_amount, v.usd_payout, v.undecided, v.at, bet_position, v.until
  from (
    select *, lag(id) over w as previous, lead(id) over w as next from bet_corrections
    window w as (partition by user_id, bet_position, bet_id order by id)) c
  cross join lateral (values (id, next, ${sideOf('after')}),
    (case when previous is null then bet_position end, id, ${sideOf('before')})) v(since, until, ${AMOUNTS}, at)
  where v.amount is not null and v.since <= ${position} and (v.until is null or v.until > ${position}))`;

/** SQL: all bets that statistics at a sequence position include, with their amounts at that position, as a table for FROM. */
export const versionsAt = (position: string): string => `(
  select user_id, game_id, amount, payout, usd_amount, usd_payout, undecided, coalesce(settled_at, created_at) as at,
    coalesce(settlement_id, id) as bet_position from bets where ${countsAt(position)}
  union all
  select ${COLUMNS} from ${correctedAt(position)} corrected)`;

/** SQL: the last correction of a bet, for a lateral join. The join adds no cost for bets without corrections. */
export const lastCorrection = (bet: string): string =>
  `(select * from bet_corrections where ${bet}.is_corrected and bet_id = ${bet}.id order by id desc limit 1)`;

type Amounts = { amount: Units; payout: Units; usd_amount: Units; usd_payout: Units };
type Version = Amounts & { undecided: Units | null; at: Date };
type Shown = Amounts & { id: bigint; status: string; is_corrected: boolean; settled_at: Date | null };

/**
 * Returns the bets with the amounts of their last version. For a bet that is open again this is its stake, and for a bet that was rolled
 * back its amounts before the rollback. Queries the database only if a row was corrected.
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

/**
 * Returns the amounts after the last correction of each bet. If statistics do not include the bet after that correction, returns the
 * amounts before it.
 */
async function readLast(db: DbOrTx, ids: readonly bigint[]): Promise<Map<bigint, Version>> {
  const either = (name: string) =>
    `case when amount_after is null then ${name}_before else ${name}_after end as ${name}`;
  const columns = sql.raw([...AMOUNTS, 'at'].map(either).join(', '));
  const { rows } = await sql<Version & { id: bigint }>`
    select distinct on (bet_id) bet_id as id, ${columns} from bet_corrections
    where bet_id = any(${ids.map(String)}::int8[]) order by bet_id, bet_corrections.id desc`.execute(db);
  return new Map(rows.map(({ id, ...version }) => [id, version]));
}

/** SQL: the USD value of an amount without its bonus part, rounded down. The arguments must not be null. */
const ownUsd = (usd: string, amount: string, bonus: string): string =>
  `case when least(${bonus}, ${amount}) > 0 then div(${usd}::numeric * (${amount} - least(${bonus}, ${amount})), ${amount})::int8 else ${usd} end`;

/**
 * SQL: the effects of a slice as a table for FROM, with `own_usd_amount` and `own_usd_payout`, which exclude bonus money. The bonus part of
 * a bet's last version is in `bonus_bets`. The bonus part of an earlier version is in the correction that ended that version.
 */
export const ownEffectsIn = (slice: Slice) => sql`(
  select e.*, ${sql.raw(ownUsd('e.usd_amount', 'e.amount', OF_BET('staked')))} as own_usd_amount,
    ${sql.raw(ownUsd('e.usd_payout', 'e.payout', OF_BET('paid')))} as own_usd_payout
  from ${effectsIn(slice, undefined, (since) => sql`, id as bet_id, is_corrected, ${since} as since`)} e
  left join lateral (select bonus_staked, bonus_paid from bonus_bets b where b.bet_id = e.bet_id offset 0) b on true
  left join lateral (
    select c.bonus_staked, c.bonus_paid from bet_corrections c
    where e.is_corrected and c.bet_id = e.bet_id and c.id > e.since order by c.id limit 1) c on true)`;

const OF_BET = (part: 'staked' | 'paid') => `coalesce(c.bonus_${part}, b.bonus_${part}, 0)`;

const VERSION = 'user_id, game_id, amount, payout, usd_amount, usd_payout, undecided, at, bet_position';

/** SQL: `versionsAt` with `own_usd_amount` and `own_usd_payout`. */
export const ownVersionsAt = (position: string): string => `(
  select ${VERSION}, ${ownUsd('usd_amount', 'amount', 'bonus_staked')} as own_usd_amount, ${ownUsd('usd_payout', 'payout', 'bonus_paid')} as own_usd_payout
  from (
    select bets.user_id, game_id, amount, payout, usd_amount, usd_payout, undecided, coalesce(settled_at, created_at) as at,
      coalesce(settlement_id, bets.id) as bet_position, coalesce(b.bonus_staked, 0) as bonus_staked, coalesce(b.bonus_paid, 0) as bonus_paid
    from bets left join bonus_bets b on b.bet_id = bets.id where ${countsAt(position)}
    union all
    select v.user_id, v.game_id, amount, payout, usd_amount, usd_payout, undecided, at, v.bet_position, ${OF_BET('staked')}, ${OF_BET('paid')}
    from ${correctedAt(position)} v left join bet_corrections c on c.id = v.until left join bonus_bets b on b.bet_id = v.bet_id
  ) versions)`;

type CorrectedStake = { position: bigint; betPosition: bigint; changeUsd: Units };

const countedOf = (side: 'before' | 'after') =>
  sql.raw(`coalesce(${countedStakeUsdSql(`usd_amount_${side}`, `amount_${side}`, `undecided_${side}`)}, 0)`);
const COUNTED = sql.raw(countedStakeUsdSql('usd_amount', 'amount', 'undecided'));

/**
 * Returns the changes to the counted stakes of a player's settled bets after a sequence position. `position` is the position of the
 * rollback or correction, `betPosition` that of the bet's first settlement. `changeUsd` is negative if the counted stake has decreased.
 */
export async function correctionsOf(db: DbOrTx, userId: number, after: bigint): Promise<CorrectedStake[]> {
  const { rows } = await sql<CorrectedStake>`
    select id as position, bet_position as "betPosition", ${countedOf('after')} - ${countedOf('before')} as "changeUsd"
    from bet_corrections where user_id = ${userId} and id > ${after}
    union all
    select reversal_id, coalesce(settlement_id, id), -${COUNTED} from bets where user_id = ${userId} and reversal_id > ${after}
    order by position`.execute(db);
  return rows;
}

/** Number of bets in the first read. Each further read doubles this number, up to MOST. */
const FIRST = 200;
const MOST = 10_000;
/** The times of bets do not follow the order of their ids exactly, because a transaction may wait for a lock after it has started. */
const DISORDER_MS = 60_000;

type Row = { id: bigint; at: Date; settledAt: Date | null; staked: bigint; paid: bigint };

/**
 * Returns a locked player's stakes, payouts and play time for the day, week and month that contain a given time, as the gate would have
 * counted them. Reads the newest bets back to the start of the periods. The payout of a round that started before a period is not included,
 * which makes limits stricter.
 */
export async function playSince(tx: Tx, userId: number, at: Date): Promise<Play> {
  const play = noPlay(at);
  const earliest = Math.min(...LIMIT_PERIODS.map((period) => play[period].start.getTime())) - DISORDER_MS;
  let { lastAt } = play;
  let later: Date | undefined;
  let below: bigint | undefined;
  for (let size = FIRST; ; size = Math.min(size * 2, MOST)) {
    const rows = await readBefore(tx, { userId, below, size });
    for (const row of rows) {
      add(play, row, later);
      later = later && later < row.at ? later : row.at;
      lastAt ??= row.at;
    }
    const last = rows.at(-1);
    if (!last || rows.length < size || last.at.getTime() < earliest) return { ...play, lastAt };
    below = last.id;
  }
}

function add(play: Play, row: Row, later: Date | undefined): void {
  for (const period of LIMIT_PERIODS) {
    const played = play[period];
    if (row.at >= played.start) played.staked += row.staked;
    if (row.settledAt && row.settledAt >= played.start) played.paid += row.paid;
    if (later) played.playedMs += playedBetween(row.at, later, played.start);
  }
}

/** Reads the player's newest bets with ids below `below`. */
async function readBefore(
  tx: Tx,
  { userId, below, size }: { userId: number; below: bigint | undefined; size: number },
): Promise<Row[]> {
  const found = await tx
    .selectFrom('bets')
    .select(['id', 'status', 'is_corrected', 'created_at', 'settled_at'])
    .select(['amount', 'payout', 'usd_amount', 'usd_payout'])
    .where('user_id', '=', userId)
    .$if(below !== undefined, (q) => q.where('id', '<', below!))
    .orderBy('id', 'desc')
    .limit(size)
    .execute();
  const rows = await asTheyStand(tx, found);
  return rows.map(({ id, status, created_at: at, settled_at: settledAt, usd_amount, usd_payout }) => {
    const isReversed = status === 'ROLLBACK';
    return { id, at, settledAt, staked: isReversed ? 0n : usd_amount, paid: isReversed ? 0n : usd_payout };
  });
}
