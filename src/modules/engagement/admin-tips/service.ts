import type { z } from 'zod';
import type { StaffCall } from '../../../http/access.ts';
import type { Db } from '../../../platform/db.ts';
import { sightOf } from '../../base/users/service.ts';
import { type GiveDeps, give, type Wanted } from './give.ts';
import { list, received } from './list.ts';
import type { AdminTipQuery, ReceivedAdminTipQuery } from './schemas.ts';

export type AdminTips = ReturnType<typeof createAdminTips>;

/** `reads` is for the list of staff, which may be a little old. */
type AdminTipDeps = GiveDeps & { reads: Db };

/** Money that staff gives players, and cash that it takes from them. */
export const createAdminTips = (deps: AdminTipDeps) => ({
  give: (by: StaffCall, wanted: Wanted) => give(deps, by, wanted),
  list: (by: StaffCall, query: z.output<typeof AdminTipQuery>) => list(deps.reads, query, sightOf(by.user)),
  received: (userId: number, query: z.output<typeof ReceivedAdminTipQuery>) =>
    received(deps.db, userId, query),
});
