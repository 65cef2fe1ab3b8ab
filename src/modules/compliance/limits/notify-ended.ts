import { sql } from 'kysely';
import { type Db, type DbOrTx, type Tx, transaction } from '../../../platform/database/db.ts';
import { lockPlayers } from '../../base/players/service.ts';
import { announceEnd } from './exclusions.ts';
import { openExclusions } from './queries.ts';

const BATCH = 100;

/** Notifies players once when their exclusion and its waiting period have ended. */
export async function notifyEnded({ db }: { db: Db }): Promise<void> {
  let players: number[];
  do {
    players = await findEnded(db, BATCH);
    for (const userId of players)
      await transaction(db, async (tx) => {
        await lockPlayers(tx, [userId]);
        const isNew = await markEnded(tx, userId);
        // Players with a later exclusion are notified when that one ends.
        if (isNew && (await openExclusions(tx, userId)).length === 0) await announceEnd(tx, userId);
      });
  } while (players.length === BATCH);
}

/** Returns players who have not been notified of the end of an exclusion. */
async function findEnded(db: DbOrTx, most: number): Promise<number[]> {
  const rows = await db
    .selectFrom('exclusions')
    .select('user_id')
    .where('end_told_at', 'is', null)
    .where('play_from', '<=', sql<Date>`now()`)
    .orderBy('play_from')
    .limit(most)
    .execute();
  return [...new Set(rows.map((row) => row.user_id))];
}

/** Marks the ended exclusions of a player as notified. Returns false if they already were. */
async function markEnded(tx: Tx, userId: number): Promise<boolean> {
  const now = sql<Date>`now()`;
  const { numUpdatedRows } = await tx
    .updateTable('exclusions')
    .set({ end_told_at: now })
    .where('user_id', '=', userId)
    .where('end_told_at', 'is', null)
    .where('play_from', '<=', now)
    .executeTakeFirstOrThrow();
  return numUpdatedRows > 0n;
}
