import { type RawBuilder, sql } from 'kysely';
import type { Db } from '../../../platform/db.ts';
import { toShortPublicUser } from '../../base/users/service.ts';
import type { Beside, Scenery, SceneryRow } from '../../games/bets/live.ts';
import { PUBLIC_USER_COLUMNS, toRow } from '../../games/bets/show.ts';
import type { ActivityState } from './state.ts';

type Deps = { db: Db; beside: Beside; state: ActivityState };

/** Rows that a feed chooses from: more would not fit into its share. */
const MOST = 200;

/** Rows for the live feed; of activities that are active, and of bots that are not banned. Nothing is read while none is active. */
export function createScenery({ db, beside, state }: Deps): Scenery {
  const read = async (isMeant: RawBuilder<boolean>): Promise<SceneryRow[]> => {
    if (!state.hasActive()) return [];
    const [rows] = await Promise.all([readRows(db, isMeant), state.sayWatched()]);
    return rows.map((row) => toScenery(row, beside));
  };
  return {
    latest: () => read(sql<boolean>`true`),
    within: ({ after, below }) => read(sql<boolean>`s.id > ${after} and s.id < ${below}`),
  };
}

const readRows = (db: Db, isMeant: RawBuilder<boolean>) =>
  db
    .selectFrom('simulated_bets as s')
    .innerJoin('bot_activities as a', 'a.user_id', 's.user_id')
    .innerJoin('users', 'users.id', 's.user_id')
    .innerJoin('games', 'games.id', 's.game_id')
    .select(['s.id', 's.currency_id', 's.amount', 's.payout', 's.usd_amount', 's.usd_payout', 's.created_at'])
    .select(['s.user_id', 's.game_id', ...PUBLIC_USER_COLUMNS])
    .select(['games.slug', 'games.name', 'games.type', 'games.images', 'games.custom_images'])
    .select('games.provider_name')
    .where(isMeant)
    .where('a.is_active', '=', true)
    .where('users.is_bot', '=', true)
    .where('users.banned_at', 'is', null)
    .orderBy('s.id', 'desc')
    .limit(MOST)
    .execute();

type Row = Awaited<ReturnType<typeof readRows>>[number];

function toScenery(row: Row, beside: Beside): SceneryRow {
  const at = row.created_at;
  const bet = { ...row, status: 'SETTLED', updated_at: at, settled_at: at, is_corrected: false };
  const { game: gameIdentity, settledAt: _, ...shown } = toRow(bet);
  // When its game was last played is what bets say.
  const game = beside(row.game_id, undefined);
  return {
    position: row.id,
    scenery: {
      ...shown,
      id: `sim-${row.id}`,
      user: toShortPublicUser({ ...row, id: row.user_id }, undefined),
      gameIdentity,
      ...(game && { game }),
      isSimulated: true,
    },
  };
}
