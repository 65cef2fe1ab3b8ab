import { sql } from 'kysely';
import type { DbOrTx, Tx } from '../../../platform/db.ts';
import type { Units } from '../../../platform/money.ts';

export type Rollover = ReturnType<typeof createRollover>;
/** Dollars that a player has ever wagered, to the last settled bet. */
type WageredOf = (db: DbOrTx, userId: number) => Promise<Units>;
type Turnover = { userId: number; usdAmount: Units };

/** The turnover that deposits require before anything is paid out. */
export function createRollover({ wageredOf }: { wageredOf: WageredOf }) {
  /** Dollars that a player still has to wager, to the last settled bet; never below zero. */
  async function remaining(db: DbOrTx, userId: number): Promise<Units> {
    const row = await db
      .selectFrom('rollovers')
      .select(['required_usd', 'wagered_usd'])
      .where('user_id', '=', userId)
      .executeTakeFirst();
    if (!row || row.required_usd === 0n) return 0n;
    const since = (await wageredOf(db, userId)) - BigInt(row.wagered_usd);
    // Rolled back bets can bring the sum below its value at the start.
    const wagered = since > 0n ? since : 0n;
    return row.required_usd > wagered ? row.required_usd - wagered : 0n;
  }

  async function begin(tx: Tx, userId: number, requiredUsd: Units): Promise<void> {
    const values = { required_usd: requiredUsd, wagered_usd: String(await wageredOf(tx, userId)) };
    await tx
      .insertInto('rollovers')
      .values({ user_id: userId, ...values })
      .onConflict((oc) => oc.column('user_id').doUpdateSet({ ...values, updated_at: sql<Date>`now()` }))
      .execute();
  }

  return {
    remaining,

    /** Requires turnover on top of what is still open, counted from now on. The player must be locked. */
    async add(tx: Tx, { userId, usdAmount }: Turnover): Promise<void> {
      if (usdAmount === 0n) return;
      await begin(tx, userId, (await remaining(tx, userId)) + usdAmount);
    },

    /** Takes back the turnover that a deposit required, as far as it is open. The player must be locked. */
    async remove(tx: Tx, { userId, usdAmount }: Turnover): Promise<void> {
      const open = await remaining(tx, userId);
      if (usdAmount === 0n || open === 0n) return;
      await begin(tx, userId, open > usdAmount ? open - usdAmount : 0n);
    },
  };
}

/** Ends the turnover that is required. The player must be locked. */
export async function completeWagering(tx: Tx, userId: number): Promise<void> {
  await tx.updateTable('rollovers').set({ required_usd: 0n }).where('user_id', '=', userId).execute();
}
