import { sql } from 'kysely';
import type { Tx } from '../../../platform/db.ts';
import { emitEvent } from '../../base/events/service.ts';
import { notify } from '../../base/notifications/notify.ts';
import type { VipLevel } from '../../base/site-config/rewards/rules.ts';
import type { Gate } from '../../compliance/gate/service.ts';
import { skipLevels } from '../vip/skip.ts';

type Granted = { userId: number; ownLevel: number; granted: number; ladder: readonly VipLevel[] };

/** Raises a player, whose row is locked, to a level that is granted. */
export async function grantLevel(tx: Tx, { userId, ownLevel, granted, ladder }: Granted): Promise<void> {
  if (granted === ownLevel) return;
  await skipLevels(
    tx,
    userId,
    ladder.filter(({ level }) => level > ownLevel && level <= granted),
  );
  await tx
    .updateTable('users')
    .set({ vip_level: granted, updated_at: sql<Date>`now()` })
    .where('id', '=', userId)
    .execute();
}

type Decided = { id: string; userId: number; ownLevel: number; granted: number | null };

/** Tells the player what was decided, unless they are banned or excluded: nothing draws those back. The player must be locked. */
export async function tellApplicant(
  tx: Tx,
  gate: Gate,
  { id, userId, ownLevel, granted }: Decided,
): Promise<void> {
  const refusals = await gate.refusals(tx, { action: 'claim', userId, country: null });
  if (refusals.length > 0) return;
  if (granted === null) return notify(tx, userId, 'vip.rejected', { applicationId: id });
  if (granted > ownLevel)
    await emitEvent(tx, { event: 'vip.level', userId, data: { level: granted, previousLevel: ownLevel } });
  await notify(tx, userId, 'vip.approved', { applicationId: id, level: granted });
}
