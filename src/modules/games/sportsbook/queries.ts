import { sql } from 'kysely';
import type { Db } from '../../../platform/db.ts';

/** A transaction that was carried out, as it is kept. */
export type TransactionRow = { id: string; userId: number; currencyId: string; payload: object };

const columns = sql`t.transaction_id as id, t.user_id as "userId", t.currency_id as "currencyId", t.payload`;

export async function findCarriedOut(
  db: Db,
  { providerId, transactionId, userId }: { providerId: number; transactionId: string; userId: number },
): Promise<TransactionRow | undefined> {
  const { rows } = await sql<TransactionRow>`select ${columns} from provider_transactions t
    where t.provider_id = ${providerId} and t.transaction_id = ${transactionId} and t.user_id = ${userId}
      and t.status in ('DONE', 'UNDONE')`.execute(db);
  return rows[0];
}

export type BetRow = { id: bigint; userId: number; status: 'CREATED' | 'SETTLED' | 'ERROR' | 'ROLLBACK' };

/** The newest bet of this id: players' bets have names of their own. One without a bet row (a free bet) is as its round. */
export async function findBet(db: Db, providerId: number, betId: string): Promise<BetRow | undefined> {
  const { rows } = await sql<BetRow>`select r.id, r.user_id as "userId",
      coalesce(b.status, case when r.status = 'OPEN' then 'CREATED' when r.stakes = 0 then 'ROLLBACK' else 'SETTLED' end) as status
    from provider_rounds r left join bets b on b.id = r.bet_id
    where r.round_ref = ${betId} and r.provider_id = ${providerId} order by r.id desc limit 1`.execute(db);
  return rows[0];
}

export async function transactionsOfBet(db: Db, roundId: bigint): Promise<TransactionRow[]> {
  const { rows } = await sql<TransactionRow>`select ${columns} from provider_transactions t
    where t.round_id = ${roundId} and t.status in ('DONE', 'UNDONE') order by t.id`.execute(db);
  return rows;
}
