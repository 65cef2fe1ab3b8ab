import type { z } from 'zod';
import type { StaffCall } from '../../../http/access.ts';
import { iso } from '../../../platform/clock.ts';
import { type Db, type DbOrTx, transaction } from '../../../platform/db.ts';
import { lockForDecision } from '../../base/access/connected.ts';
import { recordAudit } from '../../base/audit/service.ts';
import { findCountryOfRegistration } from '../../base/registration-info/service.ts';
import { getUser, shortUsers, sightOf, toShortPrivateUser, type UserRow } from '../../base/users/service.ts';
import { transactionTime } from '../gate/service.ts';
import { kycErrors } from './errors.ts';
import { changeTiers, lockStanding, type OnApproved, shownToPlayer, tierIn } from './level.ts';
import type { Persons } from './persons.ts';
import * as queries from './queries.ts';
import {
  afterDecision,
  asOfNow,
  isApproved,
  isInReview,
  levelOf,
  type Status,
  type Tier,
  type TierState,
} from './rules.ts';
import type { KycAdminDetail, KycDecision, KycRiskSignal } from './schemas.ts';

type Detail = z.input<typeof KycAdminDetail>;

/**
 * Decides about one tier. A decision that changes nothing is none. Throws 400 REASON_REQUIRED, and as lockForDecision does.
 */
export function decide(
  { db, persons, onApproved }: { db: Db; persons: Persons; onApproved: OnApproved },
  by: StaffCall,
  { userId, tier, action, rejectType, reason: text }: z.output<typeof KycDecision> & { userId: number },
): Promise<Detail> {
  const reason = text.trim();
  if (reason === '') throw kycErrors.REASON_REQUIRED();
  return transaction(db, async (tx) => {
    await lockForDecision(tx, by, userId);
    const standing = await lockStanding(tx, userId);
    const before = tierIn(standing, tier);
    const after = afterDecision(before, { action, rejectType, by: by.user.id }, standing.now);
    if (!after) return detailOf(tx, persons, by, userId);
    const changed = await changeTiers(tx, standing, [after], { actorId: by.user.id, reason });
    if (isApproved(after)) await onApproved(tx, userId, tier);
    const detail = await detailOf(tx, persons, by, userId);
    await recordAudit(tx, by, {
      before: { ...auditOf(before), level: levelOf(standing.tiers, standing.now) },
      after: { ...auditOf(after), level: levelOf(changed.tiers, changed.now) },
      reason,
    });
    return detail;
  });
}

const auditOf = ({ tier, status, rejectType, expiresAt }: TierState) => ({
  tier,
  status,
  rejectType,
  expiresAt: expiresAt && iso(expiresAt),
});

/** A user's verification as staff sees it. Throws 404 USER_NOT_FOUND. */
export async function detailOf(db: DbOrTx, persons: Persons, by: StaffCall, userId: number): Promise<Detail> {
  const sight = sightOf(by.user);
  const user = await getUser(db, userId);
  const now = await transactionTime(db);
  const tiers = (await queries.readTiers(db, userId)).map((state) => asOfNow(state, now));
  const history = await queries.readHistory(db, userId);
  const actors = [...tiers.map((state) => state.decidedBy), ...history.map((row) => row.actor_id)];
  const people = await shortUsers(db, actors, sight);
  const shownActor = (id: number | null) => people.get(id ?? 0) ?? null;
  const reference = await queries.findReference(db, userId);
  return {
    userId,
    user: toShortPrivateUser(user, sight),
    level: levelOf(tiers, now),
    tiers: tiers.map((state) => ({
      ...shownToPlayer(state),
      status: state.status,
      rejectType: state.rejectType,
      decidedBy: shownActor(state.decidedBy),
    })),
    history: history.map((row) => ({
      id: row.id,
      tier: row.tier as Tier,
      fromStatus: row.from_status as Status,
      toStatus: row.to_status as Status,
      actor: shownActor(row.actor_id),
      reason: row.reason,
      at: iso(row.created_at),
    })),
    checks: tiers.flatMap(({ checks }) => checks.map((check) => ({ ...check, at: iso(check.at) }))),
    riskSignals: await signalsOf(db, { user, tiers, persons }),
    providerReference: reference?.applicant_id ?? null,
    clientComment: latestComment(tiers),
  };
}

/** The provider's latest comment for staff alone. */
const latestComment = (tiers: readonly TierState[]): string | null =>
  tiers
    .filter((state) => state.clientComment !== null)
    .sort((a, b) => b.asOf.getTime() - a.asOf.getTime())
    .at(0)?.clientComment ?? null;

type Signal = z.input<typeof KycRiskSignal>;
type Subject = { user: UserRow; tiers: readonly TierState[]; persons: Persons };

/** Reasons to examine a player more closely, worst first. */
async function signalsOf(db: DbOrTx, subject: Subject): Promise<Signal[]> {
  const signals = [
    ...(await personSignals(db, subject)),
    ...(await rejectionSignals(db, subject.user.id)),
    ...subject.tiers.filter(isInReview).map(reviewSignal),
  ];
  return signals.sort((a, b) => ORDER.indexOf(a.severity) - ORDER.indexOf(b.severity));
}

const ORDER = ['HIGH', 'MEDIUM', 'LOW'];

async function personSignals(db: DbOrTx, { user, persons }: Subject): Promise<Signal[]> {
  const row = await queries.findPerson(db, user.id);
  if (!row) return [];
  const signals: Signal[] = [];
  if (row.underage_at)
    signals.push({
      code: 'STATED_UNDERAGE',
      severity: 'HIGH',
      at: iso(row.underage_at),
      detail: 'has stated a birth date that makes them too young',
    });
  if (!row.sealed || !row.person_key || !row.stated_at) return signals;
  const at = iso(row.stated_at);
  const duplicates = await queries.findDuplicates(db, user.id, row.person_key);
  if (duplicates.length > 0) {
    const detail = `same name and birth date as user ${duplicates.map((duplicate) => duplicate.user_id).join(', ')}`;
    signals.push({ code: 'SAME_PERSON', severity: 'HIGH', detail, at });
  }
  const stated = persons.open(row.sealed).country;
  const registered = (await findCountryOfRegistration(db, user.id)) ?? user.country_code;
  if (registered && registered !== stated) {
    const detail = `has stated ${stated}, registered from ${registered}`;
    signals.push({ code: 'COUNTRY_MISMATCH', severity: 'MEDIUM', detail, at });
  }
  return signals;
}

async function rejectionSignals(db: DbOrTx, userId: number): Promise<Signal[]> {
  const last = await queries.findFinalRejection(db, userId);
  if (!last) return [];
  const at = iso(last.created_at);
  return [{ code: 'FINALLY_REJECTED', severity: 'HIGH', detail: `tier ${last.tier}`, at }];
}

const reviewSignal = ({ tier, status, asOf }: TierState): Signal => ({
  code: status === 'ON_HOLD' ? 'ON_HOLD' : 'UNDER_REVIEW',
  severity: status === 'ON_HOLD' ? 'MEDIUM' : 'LOW',
  detail: `tier ${tier}`,
  at: iso(asOf),
});
