import { type RawBuilder, sql } from 'kysely';
import type { Db, DbOrTx } from '../../../platform/db.ts';
import type { Units } from '../../../platform/money.ts';
import { int4Array } from '../../../platform/pg-arrays.ts';
import { RARE } from './sources.ts';

/** Ids between two others, both left out. */
export type Range = { after: bigint; below: bigint };

export type TouchedWallet = {
  userId: number;
  currencyId: string;
  cash: Units;
  vault: Units;
  version: bigint;
};

/** The condition of the partial index (0021-feed.sql), word for word: stakes and payouts in a later block than their bet. */
const LATER = sql`(id >> 10) <> (entry_id >> 10)`;

/**
 * The wallets of these players in which money has moved, with their present balances, which may be later than the range. A posting is
 * rare, or lies in a later block than its bet, or was written with its bet. The first two are indexed; for the last, `made` (a query of
 * `user_id`, `currency_id`) gives the bets that were made in the range. The cost grows with what happened, not with the number of players.
 */
export async function touchedWallets(
  db: Db,
  userIds: readonly number[],
  { after, below, made }: Range & { made: RawBuilder<unknown> },
): Promise<TouchedWallet[]> {
  const within = sql`id > ${after} and id < ${below}`;
  const { rows } = await sql<TouchedWallet>`
    with touched as materialized (
      select user_id, currency_id from (select * from ledger_lines where ${within} and ${RARE} offset 0) rare
      union select user_id, currency_id from (select * from ledger_lines where ${within} and ${LATER} offset 0) later
      union ${made}
    )
    select w.user_id as "userId", w.currency_id as "currencyId", w.cash, w.vault, w.version
    from (select * from touched where user_id = any(${int4Array(userIds)}::int4[])) t
    cross join lateral (select * from wallets w where w.user_id = t.user_id and w.currency_id = t.currency_id offset 0) w`.execute(
    db,
  );
  return rows;
}

/** Players whose money has moved in a range of ids by anything but stakes and payouts. */
export async function playersMoved(db: DbOrTx, { after, below }: Range): Promise<number[]> {
  const { rows } = await sql<{ userId: number }>`
    select distinct user_id as "userId" from (
      select * from ledger_lines where id > ${after} and id < ${below} and ${RARE} offset 0) rare`.execute(
    db,
  );
  return rows.map(({ userId }) => userId);
}
