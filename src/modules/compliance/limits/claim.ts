import type { StaffCall } from '../../../http/access.ts';
import type { Tx } from '../../../platform/db.ts';
import { assertMayDecide } from '../../base/access/connected.ts';
import { freshActor } from '../../base/access/service.ts';
import { lockPlayers } from '../../base/players/service.ts';
import { getUser } from '../../base/users/service.ts';

/**
 * Locks the player and the member of staff who wants to manage them, so that a ban of the latter has either happened before or
 * waits. Throws 404 USER_NOT_FOUND, 403 OWN_ACCOUNT, FORBIDDEN and ACCOUNT_CONNECTED, and as freshActor does.
 */
export async function claim(tx: Tx, by: StaffCall, userId: number): Promise<void> {
  await lockPlayers(tx, [by.user.id, userId]);
  await assertMayDecide(tx, await freshActor(tx, by), await getUser(tx, userId));
}
