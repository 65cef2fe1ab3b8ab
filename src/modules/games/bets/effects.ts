import { type RawBuilder, sql } from 'kysely';
import type { DbOrTx } from '../../../platform/database/db.ts';
import { countedStakeUsdSql } from './rules.ts';

/**
 * The effects of bets on sums, in order: a settled bet adds its amounts (`sign` 1), a later rollback subtracts them (`sign` -1). The
 * sequence position of a bet is its id if it was settled immediately, otherwise its `settlement_id`. The position of a rollback is its
 * `reversal_id`. A correction subtracts the bet's previous amounts and adds the new ones, both at the correction's id. Each kind of effect
 * is read through its own index. `counted_usd` is the counted stake (rules.ts), which is used for rewards, scores and wagering.
 * `usd_amount` is the value of the whole stake.
 */
export type Cursor = { position: bigint; generation: number };

/**
 * The effects with positions after `after`, up to and including `upTo`. With `isReversal` their signs are inverted, because a replay
 * reverses them.
 */
export type Slice = { after: bigint; upTo: bigint; isReversal?: boolean };

/** The next `batch` effects with positions below `below`. */
export type Limits = { below: bigint; batch: number };

/** Returns the cursor's position after a slice was applied. */
export const cursorAfter = ({ after, upTo, isReversal }: Slice): bigint => (isReversal ? after : upTo);

type Sql = RawBuilder<unknown>;

/** A bet that was rolled back while open has no effect. A corrected bet was settled once, regardless of its current status. */
const HAS_EFFECT = sql`(status = 'SETTLED' or reversal_id is not null or is_corrected)`;
const POSITION = sql`coalesce(settlement_id, id)`;
const COLUMNS = sql`user_id, game_id, amount, payout, usd_amount, usd_payout, coalesce(undecided, 0) as undecided,
  ${sql.raw(countedStakeUsdSql('usd_amount', 'amount', 'undecided'))} as counted_usd, coalesce(settled_at, created_at) as at, ${POSITION} as bet_position`;

const positionOf = (name: string) => sql`(select position from cursors where name = ${sql.lit(name)})`;
export const generationOf = (name: string) =>
  sql`(select generation from cursors where name = ${sql.lit(name)})`;

/**
 * Additional columns, each preceded by a comma. If it is a function, it receives a position `since`: the version of the bet that this
 * effect contains was replaced by the first correction after `since`.
 */
type More = Sql | ((since: Sql) => Sql);

type Selection = {
  within: (position: Sql) => Sql;
  which?: Sql | undefined;
  more?: More | undefined;
  sign?: 1 | -1;
  rest?: (position: Sql) => Sql;
};

const BY_ID = sql`id`;
const BY_SETTLEMENT = sql`settlement_id`;
const BY_REVERSAL = sql`reversal_id`;
const BY_CORRECTION = sql`correction_id`;

/**
 * SQL: one row for each correction with the bet's amounts before or after it, under the column names of `bets`. Only bets on provider games
 * are corrected, so columns for house games are null.
 */
const sideOf = (side: 'before' | 'after') => {
  const of = (name: string) => sql.ref(`${name}_${side}`);
  return sql`(select id as correction_id, bet_id as id, bet_position as settlement_id, user_id, game_id, ${of('amount')} as amount,
    ${of('payout')} as payout, ${of('usd_amount')} as usd_amount, ${of('usd_payout')} as usd_payout, ${of('undecided')} as undecided,
    ${of('at')} as settled_at,
    ${of('at')} as created_at, created_at as updated_at, null::int2 as rtp_bp, null::int8 as max_profit_usd, null::json as inputs,
    null::json as outcome, null::int8 as seed_pair_id, null::int8 as round_id, currency_id, null::int4 as edge_ppm, true as is_corrected
    from bet_corrections where ${of('amount')} is not null) ${sql.ref(side)}`;
};
const [BEFORE, AFTER] = [sideOf('before'), sideOf('after')];

const lists = ({ within, which = sql`true`, more = sql``, sign = 1, rest = () => sql`` }: Selection) => {
  const columns = (since = POSITION) => sql`${COLUMNS}${typeof more === 'function' ? more(since) : more}`;
  return sql`(
  (select id as position, ${sql.lit(sign)} as sign, ${columns()} from bets
   where ${within(BY_ID)} and settlement_id is null and ${HAS_EFFECT} and ${which} ${rest(BY_ID)})
  union all
  (select settlement_id, ${sql.lit(sign)}, ${columns()} from bets
   where ${within(BY_SETTLEMENT)} and ${HAS_EFFECT} and ${which} ${rest(BY_SETTLEMENT)})
  union all
  (select reversal_id, ${sql.lit(-sign)}, ${columns()} from bets
   where ${within(BY_REVERSAL)} and ${which} ${rest(BY_REVERSAL)})
  union all
  (select correction_id, ${sql.lit(-sign)}, ${columns(sql`correction_id - 1`)} from ${BEFORE}
   where ${within(BY_CORRECTION)} and ${which} ${rest(BY_CORRECTION)})
  union all
  (select correction_id, ${sql.lit(sign)}, ${columns(BY_CORRECTION)} from ${AFTER}
   where ${within(BY_CORRECTION)} and ${which} ${rest(BY_CORRECTION)}))`;
};

/** SQL: the effects of a slice that match the condition `which`, as a table for FROM. */
export const effectsIn = ({ after, upTo, isReversal }: Slice, which?: Sql, more?: More) =>
  lists({
    which,
    more,
    sign: isReversal ? -1 : 1,
    within: (position) => sql`${position} > ${after} and ${position} <= ${upTo}`,
  });

/** SQL: all effects after a consumer's cursor that match the condition `which`, as a table for FROM. */
export const effectsAfterCursor = (name: string, which: Sql) => effectsAfter(positionOf(name), { which });

/** SQL: all effects after a position, as a table for FROM. */
export const effectsAfter = (after: Sql, selection: Pick<Selection, 'which' | 'more' | 'rest'>) =>
  lists({ ...selection, within: (position) => sql`${position} > ${after}` });

/**
 * Returns the next slice and its number of effects, or undefined if there are none. A cursor cannot stop between effects at the same
 * position, so these stay in one slice even if it exceeds the batch size.
 */
export async function sliceAfter(
  db: DbOrTx,
  after: bigint,
  { below, batch, which }: Limits & { which?: Sql },
): Promise<{ slice: Slice; found: number } | undefined> {
  const within = (position: Sql) => sql`${position} > ${after} and ${position} < ${below}`;
  const { found, last } = await boundsOf(db, { within, which }, { batch, order: sql`asc` });
  return last === null ? undefined : { slice: { after, upTo: last }, found };
}

/** Returns the last slice after `from` and up to `upTo`, as a reversal. */
export async function sliceBefore(
  db: DbOrTx,
  upTo: bigint,
  { from, batch }: { from: bigint; batch: number },
): Promise<{ slice: Slice; found: number }> {
  const within = (position: Sql) => sql`${position} > ${from} and ${position} <= ${upTo}`;
  const { found, first } = await boundsOf(db, { within }, { batch, order: sql`desc` });
  const after = found < batch || first === null ? from : first - 1n;
  return { slice: { after, upTo, isReversal: true }, found };
}

type Bounds = { found: number; first: bigint | null; last: bigint | null };

async function boundsOf(
  db: DbOrTx,
  selection: Selection,
  { batch, order }: { batch: number; order: Sql },
): Promise<Bounds> {
  const atMost = sql`fetch first (${batch}::int8) rows with ties`;
  const rest = (position: Sql) => sql`order by ${position} ${order} ${atMost}`;
  const { rows } = await sql<Bounds>`
    select count(*)::int as found, min(position) as first, max(position) as last from (
      select position from ${lists({ ...selection, rest })} effects order by position ${order} ${atMost}) next`.execute(
    db,
  );
  return rows[0]!;
}
