import { type RawBuilder, sql } from 'kysely';
import type { DbOrTx } from '../../../platform/db.ts';

/**
 * What bets add to sums, in the order in which it happened: a settled bet once (`sign` 1), and the same once more with the sign -1
 * where it was rolled back. The place of a bet is the id of one that was settled when it was made, the settlement_id of one that was
 * settled later; its reversal has the place `reversal_id`. Each of the three lists is read by an index of its own.
 */
export type Cursor = { position: bigint; generation: number };

/** The effects with places above `after`, up to `upTo`. `isBack`: they are taken back, with the opposite signs. */
export type Slice = { after: bigint; upTo: bigint; isBack?: boolean };

/** The next `batch` effects with places below `below`. */
export type Range = { below: bigint; batch: number };

/** Where a cursor stands when a slice was taken. */
export const reachedBy = ({ after, upTo, isBack }: Slice): bigint => (isBack ? after : upTo);

type Sql = RawBuilder<unknown>;

/** A bet that was rolled back while it was open never counted. */
const COUNTED = sql`(status = 'SETTLED' or reversal_id is not null)`;
const PLACE = sql`coalesce(settlement_id, id)`;
const COLUMNS = sql`user_id, game_id, amount, payout, usd_amount, usd_payout, coalesce(settled_at, created_at) as at, ${PLACE} as bet_place`;

const positionOf = (name: string) => sql`(select position from cursors where name = ${sql.lit(name)})`;
export const generationOf = (name: string) =>
  sql`(select generation from cursors where name = ${sql.lit(name)})`;

type Selection = {
  within: (place: Sql) => Sql;
  which: Sql;
  more?: Sql;
  sign?: 1 | -1;
  rest?: (place: Sql) => Sql;
};

const BY_ID = sql`id`;
const BY_SETTLEMENT = sql`settlement_id`;
const BY_REVERSAL = sql`reversal_id`;

const threeLists = ({ within, which, more = sql``, sign = 1, rest = () => sql`` }: Selection) => sql`(
  (select id as place, ${sql.lit(sign)} as sign, ${COLUMNS}${more} from bets
   where ${within(BY_ID)} and settlement_id is null and ${COUNTED} and ${which} ${rest(BY_ID)})
  union all
  (select settlement_id, ${sql.lit(sign)}, ${COLUMNS}${more} from bets
   where ${within(BY_SETTLEMENT)} and ${COUNTED} and ${which} ${rest(BY_SETTLEMENT)})
  union all
  (select reversal_id, ${sql.lit(-sign)}, ${COLUMNS}${more} from bets
   where ${within(BY_REVERSAL)} and ${which} ${rest(BY_REVERSAL)}))`;

/** The effects of a slice that `which` lets through, as a table for FROM; `more`: further columns, each after a comma. */
export const effectsIn = ({ after, upTo, isBack }: Slice, which: Sql = sql`true`, more = sql``) =>
  threeLists({
    which,
    more,
    sign: isBack ? -1 : 1,
    within: (place) => sql`${place} > ${after} and ${place} <= ${upTo}`,
  });

/** All effects behind a cursor that `which` lets through, as a table for FROM. */
export const effectsBehind = (name: string, which: Sql) => effectsAfter(positionOf(name), { which });

/** The same behind any place. */
export const effectsAfter = (
  after: Sql,
  { which = sql`true`, ...selection }: Partial<Pick<Selection, 'which' | 'more' | 'rest'>> = {},
) => threeLists({ ...selection, which, within: (place) => sql`${place} > ${after}` });

/** Bets as they counted at a place: settled by then, and not rolled back by then. A condition on bets. */
export const countedAt = (place: bigint) =>
  sql`(${COUNTED} and ${PLACE} <= ${place} and (reversal_id is null or reversal_id > ${place}))`;

/**
 * Where the next batch ends, and how many effects it has; undefined: there are none. Effects that share a place come together, even
 * beyond the batch: no cursor could stop between them.
 */
export async function sliceAfter(
  db: DbOrTx,
  after: bigint,
  { below, batch, which = sql`true` }: Range & { which?: Sql },
): Promise<{ slice: Slice; found: number } | undefined> {
  const within = (place: Sql) => sql`${place} > ${after} and ${place} < ${below}`;
  const { found, last } = await boundsOf(db, { within, which }, { batch, order: sql`asc` });
  return last === null ? undefined : { slice: { after, upTo: last }, found };
}

/** The last batch up to `position` and above `from`, to be taken back. */
export async function sliceBefore(
  db: DbOrTx,
  position: bigint,
  { from, batch }: { from: bigint; batch: number },
): Promise<{ slice: Slice; found: number }> {
  const within = (place: Sql) => sql`${place} > ${from} and ${place} <= ${position}`;
  const { found, first } = await boundsOf(db, { within, which: sql`true` }, { batch, order: sql`desc` });
  const after = found < batch || first === null ? from : first - 1n;
  return { slice: { after, upTo: position, isBack: true }, found };
}

type Bounds = { found: number; first: bigint | null; last: bigint | null };

async function boundsOf(
  db: DbOrTx,
  { within, which }: Selection,
  { batch, order }: { batch: number; order: Sql },
): Promise<Bounds> {
  const atMost = sql`fetch first (${batch}::int8) rows with ties`;
  const rest = (place: Sql) => sql`order by ${place} ${order} ${atMost}`;
  const { rows } = await sql<Bounds>`
    select count(*)::int as found, min(place) as first, max(place) as last from (
      select place from ${threeLists({ within, which, rest })} lists order by place ${order} ${atMost}) next`.execute(
    db,
  );
  return rows[0]!;
}
