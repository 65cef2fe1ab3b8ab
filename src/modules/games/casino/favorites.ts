import { sql } from 'kysely';
import { LRUCache } from 'lru-cache';
import type { DatabaseClock } from '../../../platform/database/clock.ts';
import type { Db } from '../../../platform/database/db.ts';
import { readTogether } from '../../../platform/limits/shared-read.ts';

/** The times at which a player added their favorite games, by game id. */
export type Favorites = ReadonlyMap<number, Date>;

/** Maximum number of players whose favorites are cached. */
const MAX_PLAYERS = 10_000;
const NONE: Favorites = new Map();

/** Favorite games of players. Cached until a notification reports a change. */
export function createFavorites({ db, databaseClock }: { db: Db; databaseClock: DatabaseClock }) {
  const kept = new LRUCache<number, Favorites | Promise<Favorites>>({ max: MAX_PLAYERS });
  const read = readTogether((ids: readonly number[]) => readFavorites(db, ids));

  const load = (userId: number): Promise<Favorites> => {
    const reading = read(userId).then((found) => found ?? NONE);
    const settle = (found: Favorites | undefined) => {
      // A change in the meantime has removed this entry, so the result may be outdated.
      if (kept.get(userId) !== reading) return;
      if (found) kept.set(userId, found);
      else kept.delete(userId);
    };
    kept.set(userId, reading);
    reading.then(settle, () => settle(undefined));
    return reading;
  };
  return {
    async start(): Promise<void> {
      databaseClock.onGap(() => kept.clear());
      await databaseClock.onNotice('favorites_changed', (userId) => kept.delete(Number(userId)));
    },

    of: (userId: number): Favorites | Promise<Favorites> => kept.get(userId) ?? load(userId),

    async add(userId: number, gameId: number): Promise<void> {
      await db
        .insertInto('game_favorites')
        .values({ user_id: userId, game_id: gameId })
        .onConflict((oc) => oc.doNothing())
        .execute();
      kept.delete(userId);
    },

    async remove(userId: number, gameId: number): Promise<void> {
      await db
        .deleteFrom('game_favorites')
        .where('user_id', '=', userId)
        .where('game_id', '=', gameId)
        .execute();
      kept.delete(userId);
    },
  };
}

async function readFavorites(db: Db, userIds: readonly number[]): Promise<Map<number, Favorites>> {
  const rows = await db
    .selectFrom('game_favorites')
    .select(['user_id', 'game_id', 'created_at'])
    .where('user_id', '=', sql<number>`any(${userIds}::int4[])`)
    .execute();
  const byUser = Map.groupBy(rows, (row) => row.user_id);
  return new Map(
    [...byUser].map(([userId, own]) => [userId, new Map(own.map((row) => [row.game_id, row.created_at]))]),
  );
}
