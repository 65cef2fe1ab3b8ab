import { sql } from 'kysely';
import { expect, vi } from 'vitest';
import { lockPlayers } from '../../../src/modules/base/players/service.ts';
import { holdMonthOf } from '../../../src/modules/games/bets/service.ts';
import type { Plan } from '../../../src/modules/games/betting/batch.ts';
import { reserveIds } from '../../../src/modules/money/ledger/queries.ts';
import { run, type Tx, transaction } from '../../../src/platform/database/db.ts';
import type { TestApp } from '../app.ts';

/** Returns the number of nonces that a batch of bets uses. */
export const noncesOf = ({ taken }: Plan): number => [...taken.values()].reduce((sum, n) => sum + n, 0);

export type TestBet = {
  userId: number;
  gameId: number;
  amount?: bigint;
  payout?: bigint;
  /** Value of one unit in US dollars. */
  usd?: bigint;
  status?: string;
  inputs?: object;
  outcome?: object;
  seedPairId?: bigint;
  roundId?: bigint;
  rtpBp?: number;
  maxProfitUsd?: bigint;
  settledAt?: Date;
  bonus?: BonusParts;
};

/** Amounts of bonus money in a bet. */
export type BonusParts = { staked: bigint; paid: bigint };

/** The following functions are the steps in which settlement writes a bet. The bet has no ledger entries, so the books do not balance. */
export const lock = (tx: Tx, userId: number) => lockPlayers(tx, [userId]);
export const reserve = (tx: Tx) => run(tx, reserveIds());
export async function write(tx: Tx, bet: TestBet): Promise<bigint> {
  const { userId, gameId, amount = 100n, payout = 0n, usd = 3n, status = 'SETTLED' } = bet;
  const {
    inputs = null,
    outcome = null,
    seedPairId = null,
    roundId = null,
    rtpBp = null,
    maxProfitUsd = null,
  } = bet;
  const { settledAt = new Date() } = bet;
  const { rows } = await sql<{ id: bigint }>`
    insert into bets (id, amount, payout, usd_amount, usd_payout, usd_rate, user_id, game_id, status, currency_id,
      inputs, outcome, seed_pair_id, round_id, rtp_bp, max_profit_usd, settled_at, edge_ppm)
    values (currval('ledger_ids'), ${amount}, ${payout}, ${amount * usd}, ${payout * usd}, 1, ${userId}, ${gameId}, ${status},
      'USDT', ${inputs && JSON.stringify(inputs)}, ${outcome && JSON.stringify(outcome)}, ${seedPairId}, ${roundId}, ${rtpBp}, ${maxProfitUsd}, ${settledAt},
      ${amount === 0n ? 30_000 : null})
    returning id`.execute(tx);
  const { id } = rows[0]!;
  if (bet.bonus) await writeBonus(tx, id, userId, bet.bonus);
  return id;
}

const writeBonus = (tx: Tx, betId: bigint, userId: number, { staked, paid }: BonusParts) =>
  sql`insert into bonus_bets (bet_id, user_id, grant_id, currency_id, bonus_staked, bonus_paid, counted, contribution_bp)
    values (${betId}, ${userId}, 0, 'USDT', ${staked}, ${paid}, 0, 10000)
    on conflict (bet_id) do update set bonus_staked = excluded.bonus_staked, bonus_paid = excluded.bonus_paid`.execute(
    tx,
  );

/** Places a single bet in its own transaction, in the same way as any game. */
export const placeBet = ({ db }: TestApp, bet: TestBet): Promise<bigint> =>
  transaction(db, async (tx) => {
    await lock(tx, bet.userId);
    await reserve(tx);
    return write(tx, bet);
  });

/** Settles or rolls back an open bet, as the end of a round does. Returns the sequence position of its settlement. */
export const settleBet = (
  { db }: TestApp,
  { id, userId }: { id: bigint; userId: number },
  status = 'SETTLED',
): Promise<bigint> =>
  transaction(db, async (tx) => {
    await lock(tx, userId);
    await reserve(tx);
    return settle(tx, id, status);
  });

/** Performs the last step of settling a bet. Returns the sequence position of the settlement. */
export async function settle(tx: Tx, id: bigint, status = 'SETTLED'): Promise<bigint> {
  const { rows } = await sql<{ position: bigint }>`
    update bets set status = ${status}, settlement_id = currval('ledger_ids'), settled_at = now() where id = ${id}
    returning settlement_id as position`.execute(tx);
  return rows[0]!.position;
}

/** Rolls back a settled bet as the product does, but without moving money. Returns the sequence position of the reversal. */
export const reverseBet = (
  { db }: TestApp,
  { id, userId }: { id: bigint; userId: number },
): Promise<bigint> =>
  transaction(db, async (tx) => {
    await lock(tx, userId);
    await reserve(tx);
    const { rows } = await sql<{ position: bigint }>`
      update bets set status = 'ROLLBACK', reversal_id = currval('ledger_ids'), updated_at = now() where id = ${id}
      returning reversal_id as position`.execute(tx);
    return rows[0]!.position;
  });

/** The figures of a bet after a correction. */
export type Corrected = { amount?: bigint; payout?: bigint; usd?: bigint; at?: Date; bonus?: BonusParts };

/**
 * Corrects a settled bet as the provider wallet does, but without moving money. `after: null` reverses the bet, or reopens it (`status`).
 * Omitted fields keep their values. Returns the sequence position of the correction.
 */
export const correctBet = (
  { db }: TestApp,
  bet: { id: bigint; userId: number },
  after: Corrected | null,
  status?: CorrectedStatus,
): Promise<bigint> => transaction(db, (tx) => correct(tx, bet, after, status));

type CorrectedStatus = 'SETTLED' | 'ROLLBACK' | 'CREATED';

export async function correct(
  tx: Tx,
  { id, userId }: { id: bigint; userId: number },
  after: Corrected | null,
  status: CorrectedStatus = after ? 'SETTLED' : 'ROLLBACK',
): Promise<bigint> {
  await lock(tx, userId);
  await holdMonthOf(tx, id);
  await reserve(tx);
  const named =
    after && JSON.stringify(after, (_, value) => (typeof value === 'bigint' ? String(value) : value));
  const { rows } = await sql<{ position: bigint }>`
    insert into bet_corrections (id, bet_id, bet_position, user_id, game_id, currency_id, amount_before, payout_before, usd_amount_before,
      usd_payout_before, at_before, amount_after, payout_after, usd_amount_after, usd_payout_after, at_after, bonus_staked, bonus_paid)
    select currval('ledger_ids'), b.id, coalesce(b.settlement_id, b.id), b.user_id, b.game_id, b.currency_id, o.amount, o.payout,
      o.usd_amount, o.usd_payout, o.at, n.amount, n.payout, n.amount * n.usd, n.payout * n.usd, n.at,
      case when o.amount is not null then coalesce(x.bonus_staked, 0) end, case when o.amount is not null then coalesce(x.bonus_paid, 0) end
    from bets b
    left join bonus_bets x on x.bet_id = b.id
    left join lateral (select * from bet_corrections where bet_id = b.id order by bet_corrections.id desc limit 1) c on true
    cross join lateral (select
      case when c.id is null then b.amount else c.amount_after end as amount,
      case when c.id is null then b.payout else c.payout_after end as payout,
      case when c.id is null then b.usd_amount else c.usd_amount_after end as usd_amount,
      case when c.id is null then b.usd_payout else c.usd_payout_after end as usd_payout,
      case when c.id is null then coalesce(b.settled_at, b.created_at) else c.at_after end as at) o
    left join lateral (
      select coalesce((v ->> 'amount')::int8, o.amount, b.amount) as amount, coalesce((v ->> 'payout')::int8, o.payout, 0) as payout,
        coalesce((v ->> 'usd')::int8, b.usd_amount / b.amount) as usd, coalesce((v ->> 'at')::timestamptz, o.at, now()) as at
      from (select ${named}::jsonb) named(v) where v is not null) n on true
    where b.id = ${id} returning id as position`.execute(tx);
  await sql`update bets set status = ${status}, is_corrected = true, updated_at = now() where id = ${id}`.execute(
    tx,
  );
  if (after?.bonus) await writeBonus(tx, id, userId, after.bonus);
  return rows[0]!.position;
}

export async function cursorPosition({ db }: Pick<TestApp, 'db'>, name = 'user-stats'): Promise<bigint> {
  const { rows } = await sql<{
    position: bigint;
  }>`select position from cursors where name = ${name}`.execute(db);
  return rows[0]!.position;
}

/**
 * Runs a consumer of bets until it has counted all settled bets. One run may not be enough, because a transaction in any database of the
 * same server can hold back the safe watermark for a short time.
 */
export const countBets = (
  app: Pick<TestApp, 'db'>,
  cursor: string,
  consumer: { catchUp(): Promise<unknown> },
): Promise<boolean> =>
  vi.waitUntil(
    async () => {
      await consumer.catchUp();
      const { rows } = await sql<{ id: bigint }>`
        select greatest((select max(id) from bet_corrections),
          coalesce(max(greatest(reversal_id, coalesce(settlement_id, id))), 0)) as id from bets
        where status = 'SETTLED' or reversal_id is not null or is_corrected`.execute(app.db);
      return (await cursorPosition(app, cursor)) >= rows[0]!.id;
    },
    { timeout: 20_000, interval: 20 },
  );

/** Adds all settled bets to the player statistics. Resolves to true once they are added, and throws after a timeout. */
export const consumeAll = (app: TestApp): Promise<boolean> =>
  countBets(app, 'user-stats', app.services.userStats);

/** The game dice, as shown in lists and statistics. */
export const SHOWN_DICE = {
  id: expect.any(Number),
  slug: 'dice',
  name: 'Dice',
  type: 'HOUSE_GAME',
  images: ['/art/tile-dice.svg'],
  providerName: null,
};

/** Returns gate settings that allow all play and payments. */
export const openWorld = () => ({
  isGeoBlocked: false,
  isPlayOpen: true,
  isDepositOpen: true,
  isWithdrawOpen: true,
  minBetIntervalMs: 0,
  keepsBetTimes: false,
});
