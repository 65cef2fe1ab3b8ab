import type { z } from 'zod';
import type { StaffCall } from '../../../http/access.ts';
import { iso } from '../../../platform/clock.ts';
import type { Db } from '../../../platform/db.ts';
import { shortUsers, sightOf } from '../../base/users/service.ts';
import { listMessages } from './queries.ts';
import type { StaffChatMessage, StaffQuery } from './schemas.ts';

/** The newest messages for staff, deleted ones too. */
export async function list(
  db: Db,
  by: StaffCall,
  query: z.output<typeof StaffQuery>,
): Promise<StaffChatMessage[]> {
  const rows = await listMessages(db, query);
  const ids = rows.flatMap(({ userId, deletedBy }) => [userId, deletedBy]);
  const users = await shortUsers(db, ids, sightOf(by.user));
  return rows.map(({ id, userId, tipId, createdAt, deletedAt, deletedBy, ...row }) => ({
    ...row,
    id: String(id),
    user: users.get(userId)!,
    tipId: tipId === null ? null : String(tipId),
    createdAt: iso(createdAt),
    deletedAt: deletedAt && iso(deletedAt),
    deletedBy: deletedBy === null ? null : users.get(deletedBy)!,
  }));
}
