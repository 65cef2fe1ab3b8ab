import { sql } from 'kysely';
import { iso } from '../../../../platform/clock.ts';
import { type Tx, transaction } from '../../../../platform/db.ts';
import { formatUnits, type Units } from '../../../../platform/money.ts';
import { int4Array } from '../../../../platform/pg-arrays.ts';
import { type Consumer, createConsumer, type OnConsumed } from '../../../games/bets/consume.ts';
import { effectsIn, type Slice } from '../../../games/bets/effects.ts';
import { type Balances, balancesOfMany } from '../../../money/ledger/balances.ts';
import { createSafeWatermark } from '../../../money/ledger/safe-watermark.ts';
import { playersMoved } from '../../../money/ledger/touched.ts';
import { CURSORS, insertMessages, type NewMessage } from './queries.ts';
import { messageOf, rateOf, type TakeDeps } from './take.ts';

const CONSUMER: Consumer = { name: CURSORS.bets, apply };

/** Players whose minutes are told in one transaction. */
const PLAYERS = 500;

/**
 * What players have played, and what they have then, once for each player and minute: never a message for a bet. A bet belongs to the minute
 * in which it was consumed, so that nothing is added to one that was told; what was rolled back counts against the minute of then.
 */
export function createMinutes(deps: TakeDeps & { onConsumed: OnConsumed }) {
  const { db } = deps;
  const safeWatermark = createSafeWatermark(db);
  return {
    consumer: createConsumer(db, CONSUMER, deps.onConsumed),

    /** Makes messages of the minutes that are over. */
    async tell(): Promise<void> {
      const below = await safeWatermark();
      await transaction(db, (tx) => noteMoved(tx, below));
      while ((await transaction(db, (tx) => tellSome(tx, deps))) === PLAYERS);
    },
  };
}

async function apply(tx: Tx, slice: Slice): Promise<void> {
  await sql`
    insert into crm_rounds as r (minute, user_id, game_id, currency_id, bets, staked, paid, staked_usd, paid_usd)
    select date_trunc('minute', now()), user_id, game_id, currency_id, sum(sign)::int4, sum(sign * amount)::int8, sum(sign * payout)::int8,
      sum(sign * usd_amount)::int8, sum(sign * usd_payout)::int8
    from ${effectsIn(slice, undefined, sql`, currency_id`)} effects group by user_id, game_id, currency_id
    on conflict (minute, user_id, game_id, currency_id) do update set bets = r.bets + excluded.bets, staked = r.staked + excluded.staked,
      paid = r.paid + excluded.paid, staked_usd = r.staked_usd + excluded.staked_usd, paid_usd = r.paid_usd + excluded.paid_usd`.execute(
    tx,
  );
}

/** Notes whose money has moved by anything else since it was noted last. */
async function noteMoved(tx: Tx, below: bigint): Promise<void> {
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
type Ended = Minute & { [R in keyof Round]: Round[R] | null };

/** Answers for how many players and minutes. */
async function tellSome(tx: Tx, deps: TakeDeps): Promise<number> {
  const rows = await takeEnded(tx);
  const minutes = [...Map.groupBy(rows, ({ minute, userId }) => `${iso(minute)} ${userId}`).values()];
  const balances = await balancesOfMany(tx, [...new Set(rows.map(({ userId }) => userId))]);
  await insertMessages(
    tx,
    minutes.flatMap((ended) => {
      const { minute, userId } = ended[0]!;
      const rounds = ended.filter((row): row is Minute & Round => row.slug !== null);
      return messagesOf(deps, { minute, userId }, rounds, balances.get(userId) ?? []);
    }),
  );
  return minutes.length;
}

/** Takes away what is known of the first minutes that are over. A minute without bets comes with an empty round. */
async function takeEnded(tx: Tx): Promise<Ended[]> {
  const { rows } = await sql<Ended>`
    with ended as materialized (
      select minute, user_id from (
        select minute, user_id from crm_rounds where minute < date_trunc('minute', now())
        union select minute, user_id from crm_minutes where minute < date_trunc('minute', now())) all_of_them
      order by minute, user_id limit ${PLAYERS}
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
  { currencies, origin }: TakeDeps,
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
