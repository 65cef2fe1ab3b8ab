import type { z } from 'zod';
import type { StaffCall } from '../../../http/access.ts';
import { type Tx, transaction } from '../../../platform/db.ts';
import { getUser } from '../../base/users/service.ts';
import { cancelChange, changeLimit, confirmChange, type PlaySince, setBetLimit } from './change.ts';
import {
  type ExclusionDeps,
  excludeSelf,
  excludeUser,
  liftExclusion,
  notifyEnded,
  showExclusion,
} from './exclude.ts';
import type { LiftExclusion, LimitChange, SetSelfExclude, StaffLimit, UserExclusion } from './schemas.ts';
import { type DepositedOf, showLimits, showOne } from './show.ts';

export type UserLimits = ReturnType<typeof createLimits>;

/** How players protect themselves, and how staff protects them: exclusions and limits on deposits, stakes, losses and time. */
export function createLimits(parts: ExclusionDeps & { playSince: PlaySince; depositedOf: DepositedOf }) {
  const { db, playSince, depositedOf } = parts;
  const change = (userId: number, work: (tx: Tx) => Promise<number>) =>
    transaction(db, async (tx) => showOne(tx, { userId, id: await work(tx), depositedOf }));
  return {
    exclusion: (userId: number) => showExclusion(db, userId),
    excludeSelf: (userId: number, input: z.output<typeof SetSelfExclude>) =>
      excludeSelf(parts, userId, input),

    limits: (userId: number) => showLimits(db, userId, depositedOf),
    change: (userId: number, input: z.output<typeof LimitChange>) =>
      change(userId, (tx) => changeLimit(tx, { userId, playSince }, input)),
    confirm: (userId: number, id: string) =>
      change(userId, (tx) => confirmChange(tx, { userId, playSince }, id)),
    async cancel(userId: number, id: string) {
      await transaction(db, (tx) => cancelChange(tx, userId, id));
      return { success: true };
    },

    /** Throws 404 USER_NOT_FOUND. */
    async exclusionForStaff(id: number) {
      await getUser(db, id);
      return showExclusion(db, id);
    },
    /** Throws 404 USER_NOT_FOUND. */
    async limitsForStaff(id: number) {
      await getUser(db, id);
      return showLimits(db, id, depositedOf);
    },
    excludeUser: (by: StaffCall, input: z.output<typeof UserExclusion>) => excludeUser(parts, by, input),
    lift: (by: StaffCall, input: z.output<typeof LiftExclusion>) => liftExclusion(db, by, input),
    notifyEnded: () => notifyEnded(db),
    setBetLimit: (by: StaffCall, input: z.output<typeof StaffLimit>) =>
      setBetLimit(db, { by, playSince }, input),
  };
}
