import { sql } from 'kysely';
import type { Tx } from '../../../platform/db.ts';
import { betErrors } from './errors.ts';

/** Settled bets are changed, and months of them are taken away, one after the other: what is kept of a month is what it comes to. */
const LOCK = sql`hashtextextended('months of bets', 0)`;

/** Until the transaction ends no month is taken away. Throws 409 BET_ARCHIVED where the bet's has been, or is about to be. */
export async function keepMonthOf(tx: Tx, betId: bigint): Promise<void> {
  await sql`select pg_advisory_xact_lock_shared(${LOCK})`.execute(tx);
  const { rows } = await sql<{ part: string }>`
    select part from archived_parts where list = 'bets' and below > ${betId} order by below limit 1`.execute(
    tx,
  );
  const [month] = rows;
  if (month) throw betErrors.BET_ARCHIVED({ part: month.part });
}

/** Until the transaction ends nobody changes a settled bet. Waits for those who do. */
export const closeMonths = (tx: Tx) => sql`select pg_advisory_xact_lock(${LOCK})`.execute(tx);
