import type { z } from 'zod';
import type { StaffCall } from '../../../http/access.ts';
import { iso } from '../../../platform/clock.ts';
import type { DbOrTx } from '../../../platform/database/db.ts';
import { getUser, shortUsers, sightOf, toShortPrivateUser } from '../../base/users/service.ts';
import { transactionTime } from '../gate/service.ts';
import { toPlayerTier } from './level.ts';
import type { Persons } from './persons.ts';
import * as queries from './queries.ts';
import { asOfNow, levelOf, type Status, type Tier, type TierState } from './rules.ts';
import type { KycAdminDetail } from './schemas.ts';
import { signalsOf } from './signals.ts';

/** Returns a user's verification for staff. Throws 404 USER_NOT_FOUND. */
export async function readDetail(
  db: DbOrTx,
  persons: Persons,
  by: StaffCall,
  userId: number,
): Promise<z.input<typeof KycAdminDetail>> {
  const sight = sightOf(by.user);
  const user = await getUser(db, userId);
  const now = await transactionTime(db);
  const tiers = (await queries.readTiers(db, userId)).map((state) => asOfNow(state, now));
  const history = await queries.readHistory(db, userId);
  const actors = [...tiers.map((state) => state.decidedBy), ...history.map((row) => row.actor_id)];
  const people = await shortUsers(db, actors, sight);
  const actorOf = (id: number | null) => people.get(id ?? 0) ?? null;
  const reference = await queries.findReference(db, userId);
  return {
    userId,
    user: toShortPrivateUser(user, sight),
    level: levelOf(tiers, now),
    tiers: tiers.map((state) => ({
      ...toPlayerTier(state),
      status: state.status,
      rejectType: state.rejectType,
      decidedBy: actorOf(state.decidedBy),
    })),
    history: history.map((row) => ({
      id: row.id,
      tier: row.tier as Tier,
      fromStatus: row.from_status as Status,
      toStatus: row.to_status as Status,
      actor: actorOf(row.actor_id),
      reason: row.reason,
      at: iso(row.created_at),
    })),
    checks: tiers.flatMap(({ checks }) => checks.map((check) => ({ ...check, at: iso(check.at) }))),
    riskSignals: await signalsOf(db, { user, tiers, persons }),
    providerReference: reference?.applicant_id ?? null,
    clientComment: latestComment(tiers),
  };
}

/** The provider's latest comment for staff only. */
const latestComment = (tiers: readonly TierState[]): string | null =>
  tiers
    .filter((state) => state.clientComment !== null)
    .sort((a, b) => b.asOf.getTime() - a.asOf.getTime())
    .at(0)?.clientComment ?? null;
