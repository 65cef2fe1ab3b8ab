import { type RawBuilder, sql } from 'kysely';
import { iso } from '../../../../platform/clock.ts';
import { int4Array } from '../../../../platform/database/arrays.ts';
import { type Tx, transaction } from '../../../../platform/database/db.ts';
import { formatUnits, MAX_UNITS, type Units } from '../../../../platform/money.ts';
import { type Consumer, createConsumer, type OnConsumed } from '../../../games/bets/consume.ts';
import { effectsIn, type Slice } from '../../../games/bets/effects.ts';
import { type Balances, balancesOfMany, playersMoved } from '../../../money/ledger/balances.ts';
import { createSafeWatermark, reservedBelow } from '../../../money/ledger/safe-watermark.ts';
import { type MessageDeps, messageOf, rateOf } from './events.ts';
import { CURSORS, insertMessages, type NewMessage } from './queries.ts';

const CONSUMER: Consumer = { name: CURSORS.bets, apply };

/** The maximum number of rows in one transaction. There is one row for each player and minute. */
const BATCH = 500;

/**
 * Reports play and balances once per player and minute, never per bet. A bet is counted in the minute in which it is consumed, so that
 * reported minutes never change. A rollback is subtracted in the minute in which it is consumed.
 */
export function createMinutes(deps: MessageDeps & { onConsumed: OnConsumed }) {
  const { db } = deps;
  const safeWatermark = createSafeWatermark(db);
  return {
    consumer: createConsumer(db, CONSUMER, deps.onConsumed),

    /** Returns true if a minute with play has passed, or if ids were reserved since the last run, of which some may be postings. */
    async isDue(): Promise<boolean> {
      const below = await reservedBelow(db);
      const { rows } = await sql<{ is: boolean }>`
        select exists (select from crm_rounds where minute < date_trunc('minute', now()))
          or exists (select from crm_minutes where minute < date_trunc('minute', now()))
          or exists (select from cursors where name = ${CURSORS.money} and position + 1 < ${below}) as is`.execute(
        db,
      );
      return rows[0]!.is;
    },

    /** Creates the messages of past minutes. */
    async createMessages(): Promise<void> {
      const below = await safeWatermark();
      await transaction(db, (tx) => recordMoved(tx, below));
      while ((await transaction(db, (tx) => createBatch(tx, deps))) === BATCH);
    },
  };
}

async function apply(tx: Tx, slice: Slice): Promise<void> {
  await sql`
    insert into crm_rounds as r (minute, user_id, game_id, currency_id, bets, staked, paid, staked_usd, paid_usd)
    select date_trunc('minute', now()), user_id, game_id, currency_id, sum(sign)::int4,
      ${capped(sql`sum(sign * amount)`)}, ${capped(sql`sum(sign * payout)`)},
      ${capped(sql`sum(sign * usd_amount)`)}, ${capped(sql`sum(sign * usd_payout)`)}
    from ${effectsIn(slice, undefined, sql`, currency_id`)} effects group by user_id, game_id, currency_id
    on conflict (minute, user_id, game_id, currency_id) do update set bets = r.bets + excluded.bets,
      ${sql.join(['staked', 'paid', 'staked_usd', 'paid_usd'].map(addedCapped))}`.execute(tx);
}

/** Limits a sum to 64 bits. A single bet may pay the maximum, and the sum of two such bets must not stop the consumer with an error. */
const capped = (sum: RawBuilder<unknown>) =>
  sql`least(greatest(${sum}, ${sql.lit(String(-MAX_UNITS))}::numeric), ${sql.lit(String(MAX_UNITS))}::numeric)::int8`;

const addedCapped = (column: string) => {
  const before = sql.ref(`r.${column}`);
  return sql`${sql.ref(column)} = ${capped(sql`${before}::numeric + ${sql.ref(`excluded.${column}`)}`)}`;
};

/** Records players whose balances have changed since the last run for reasons other than bets. */
async function recordMoved(tx: Tx, below: bigint): Promise<void> {
  const cursor = await tx
    .selectFrom('cursors')
    .select('position')
    .where('name', '=', CURSORS.money)
    .forUpdate()
    .executeTakeFirst();
  if (!cursor || below <= cursor.position + 1n) return;
  const userIds = await playersMoved(tx, { after: cursor.position, below });
  await sql`insert into crm_minutes (minute, user_id) select date_trunc('minute', now()), id from unnest(${int4Array(userIds)}::int4[]) u(id)
    on conflict do nothing`.execute(tx);
  await tx
    .updateTable('cursors')
    .set({ position: below - 1n, updated_at: sql<Date>`now()` })
    .where('name', '=', CURSORS.money)
    .execute();
}

type Round = {
  slug: string;
  currencyId: string;
  bets: number;
  staked: Units;
  paid: Units;
  stakedUsd: Units;
  paidUsd: Units;
};
type Minute = { minute: Date; userId: number };
type Elapsed = Minute & { [R in keyof Round]: Round[R] | null };

/** Creates the messages of one batch of players and minutes. Returns their number. */
async function createBatch(tx: Tx, deps: MessageDeps): Promise<number> {
  const rows = await deleteElapsed(tx);
  const minutes = [...Map.groupBy(rows, ({ minute, userId }) => `${iso(minute)} ${userId}`).values()];
  const balances = await balancesOfMany(tx, [...new Set(rows.map(({ userId }) => userId))]);
  await insertMessages(
    tx,
    minutes.flatMap((minuteRows) => {
      const { minute, userId } = minuteRows[0]!;
      const rounds = minuteRows.filter((row): row is Minute & Round => row.slug !== null);
      return messagesOf(deps, { minute, userId }, rounds, balances.get(userId) ?? []);
    }),
  );
  return minutes.length;
}

/** Deletes and returns the earliest past minutes. A player's minute without bets has one row with an empty round. */
async function deleteElapsed(tx: Tx): Promise<Elapsed[]> {
  const { rows } = await sql<Elapsed>`
    with ended as materialized (
      select minute, user_id from (
        select minute, user_id from crm_rounds where minute < date_trunc('minute', now())
        union select minute, user_id from crm_minutes where minute < date_trunc('minute', now())) all_of_them
      order by minute, user_id limit ${BATCH}
    ), moved as (
      delete from crm_minutes m using ended e where m.minute = e.minute and m.user_id = e.user_id
    ), played as (
      delete from crm_rounds r using ended e where r.minute = e.minute and r.user_id = e.user_id returning r.*
    )
    select e.minute, e.user_id as "userId", g.slug, p.currency_id as "currencyId", p.bets, p.staked, p.paid, p.staked_usd as "stakedUsd",
      p.paid_usd as "paidUsd"
    from ended e left join played p using (minute, user_id) left join games g on g.id = p.game_id
    order by e.minute, e.user_id, g.slug, p.currency_id`.execute(tx);
  return rows;
}

function messagesOf(
  { currencies, origin }: MessageDeps,
  { minute, userId }: Minute,
  rounds: readonly Round[],
  balances: readonly Balances[],
): NewMessage[] {
  const message = (type: string, fields: object) =>
    messageOf(
      { userId, eventId: `${type}-${minute.getTime() / 1000}-${userId}`, at: minute, origin },
      {
        type,
        ...fields,
      },
    );
  const rate = (currencyId: string) => rateOf(currencies, currencyId);
  const played = rounds.map((round) => ({
    game: round.slug,
    rounds: round.bets,
    bet_amount: formatUnits(round.staked),
    win_amount: formatUnits(round.paid),
    bet_amount_usd: formatUnits(round.stakedUsd),
    win_amount_usd: formatUnits(round.paidUsd),
    currency: round.currencyId,
    exchange_rate: rate(round.currencyId),
  }));
  const held = balances.map(({ currencyId, cash, bonus, vault, hold }) => ({
    amount: formatUnits(cash),
    bonus: formatUnits(bonus),
    vault: formatUnits(vault),
    locked: formatUnits(hold),
    currency: currencyId,
    exchange_rate: rate(currencyId),
  }));
  return [
    ...(played.length > 0 ? [message('game_round', { games: played })] : []),
    message('balance', { balances: held }),
  ];
}
