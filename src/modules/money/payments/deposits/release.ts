import { type Db, type Tx, transaction } from '../../../../platform/database/db.ts';
import { lockPlayers } from '../../../base/players/service.ts';
import { publishChange } from './advance.ts';
import { lockDeposit, updateDeposit } from './queries.ts';

const BATCH = 100;

/** Completes deposits that were held while their players were banned. Their money is already credited. */
export async function releaseDeposits(db: Db): Promise<void> {
  for (const held of await readHeld(db)) await transaction(db, (tx) => releaseOne(tx, held));
}

type Held = { id: string; userId: number };

async function releaseOne(tx: Tx, { id, userId }: Held): Promise<void> {
  const player = (await lockPlayers(tx, [userId])).get(userId);
  const row = await lockDeposit(tx, id);
  if (player?.isBanned || row.status !== 'ON_HOLD') return;
  const at = new Date().toISOString();
  const released = await updateDeposit(tx, id, { change: { status: 'COMPLETED', at, reason: null } });
  await publishChange(tx, row, released);
}

/** Returns held deposits of players who are no longer banned. */
const readHeld = (db: Db): Promise<Held[]> =>
  db
    .selectFrom('deposits')
    .innerJoin('players', 'players.user_id', 'deposits.user_id')
    .select(['deposits.id', 'players.user_id as userId'])
    .where('deposits.status', '=', 'ON_HOLD')
    .where('players.is_banned', '=', false)
    .orderBy('deposits.id')
    .limit(BATCH)
    .execute();
