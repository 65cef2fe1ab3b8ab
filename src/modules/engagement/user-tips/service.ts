import type { z } from 'zod';
import { type LimitDeps, limits } from './limits.ts';
import { list } from './list.ts';
import type { NewTip, UserTipQuery } from './schemas.ts';
import { type Caller, type SendDeps, send } from './send.ts';

export type UserTips = ReturnType<typeof createUserTips>;

/** Money that players give each other. */
export const createUserTips = (deps: SendDeps & LimitDeps) => ({
  send: (caller: Caller, input: z.output<typeof NewTip>) => send(deps, caller, input),
  limits: (caller: Pick<Caller, 'userId' | 'ip'>) => limits(deps, caller),
  list: (userId: number, query: z.output<typeof UserTipQuery>) => list(deps.db, userId, query),
});
