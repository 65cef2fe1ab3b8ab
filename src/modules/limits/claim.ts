import type { StaffCall } from '../../http/access.ts';
import type { Tx } from '../../platform/db.ts';
import { assertMayManage } from '../access/rules.ts';
import { freshActor } from '../access/service.ts';
import { lockPlayers } from '../players/service.ts';
import { getUser } from '../users/service.ts';

/**
 * Locks the player for a member of staff who may manage him; his own lock too, so that a ban of whoever calls has happened before
 * this, or waits. Throws 404 USER_NOT_FOUND, 403 OWN_ACCOUNT and FORBIDDEN, and as freshActor does.
 */
export async function claim(tx: Tx, by: StaffCall, userId: number): Promise<void> {
  await lockPlayers(tx, [by.user.id, userId]);
  assertMayManage(await freshActor(tx, by), await getUser(tx, userId));
}
