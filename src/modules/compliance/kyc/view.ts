import type { z } from 'zod';
import type { StaffCall } from '../../../http/access.ts';
import { iso } from '../../../platform/clock.ts';
import type { DbOrTx } from '../../../platform/database/db.ts';
import { findCountryOfRegistration } from '../../base/registration-info/record.ts';
import { getUser, shortUsers, sightOf, toShortPrivateUser, type UserRow } from '../../base/users/service.ts';
import { transactionTime } from '../gate/service.ts';
import { toPlayerTier } from './level.ts';
import type { Persons } from './persons.ts';
import * as queries from './queries.ts';
import { asOfNow, isInReview, levelOf, type Status, type Tier, type TierState } from './rules.ts';
import type { KycAdminDetail, KycRiskSignal } from './schemas.ts';

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

/** Returns the provider's latest comment that only staff may see. */
const latestComment = (tiers: readonly TierState[]): string | null =>
  tiers
    .filter((state) => state.clientComment !== null)
    .sort((a, b) => b.asOf.getTime() - a.asOf.getTime())
    .at(0)?.clientComment ?? null;

type Signal = z.input<typeof KycRiskSignal>;
type Subject = { user: UserRow; tiers: readonly TierState[]; persons: Persons };

/** Returns risk signals, the most severe first. They are reasons to examine a player more closely. */
async function signalsOf(db: DbOrTx, subject: Subject): Promise<Signal[]> {
  const signals = [
    ...(await personSignals(db, subject)),
    ...(await rejectionSignals(db, subject.user.id)),
    ...subject.tiers.filter(isInReview).map(reviewSignal),
  ];
  return signals.sort((a, b) => ORDER.indexOf(a.severity) - ORDER.indexOf(b.severity));
}

const ORDER = ['HIGH', 'MEDIUM', 'LOW'];

async function personSignals(db: DbOrTx, { user, tiers, persons }: Subject): Promise<Signal[]> {
  const row = await queries.findPerson(db, user.id);
  if (!row) return [];
  const signals: Signal[] = [];
  if (row.underage_at)
    signals.push({
      code: 'STATED_UNDERAGE',
      severity: 'HIGH',
      at: iso(row.underage_at),
      detail: 'has stated a birth date below the minimum age',
    });
  if (!row.sealed || !row.person_key || !row.stated_at) return signals;
  const at = iso(row.stated_at);
  const person = persons.open(row.sealed);
  const duplicates = await queries.findDuplicates(db, user.id, persons.keysOf(person));
  if (duplicates.length > 0) {
    const detail = `same name and birth date as user ${duplicates.map((duplicate) => duplicate.user_id).join(', ')}`;
    signals.push({ code: 'SAME_PERSON', severity: 'HIGH', detail, at });
  }
  const stated = person.country;
  const registered = (await findCountryOfRegistration(db, user.id)) ?? user.country_code;
  if (registered && registered !== stated) {
    const detail = `has stated ${stated}, registered from ${registered}`;
    signals.push({ code: 'COUNTRY_MISMATCH', severity: 'MEDIUM', detail, at });
  }
  const issued = row.document_country;
  if (issued && issued !== stated) {
    const detail = `has stated ${stated}, identity document issued by ${issued}`;
    const verifiedAt = tiers.find(({ tier }) => tier === 'IDENTITY')?.decidedAt;
    signals.push({
      code: 'DOCUMENT_COUNTRY_MISMATCH',
      severity: 'MEDIUM',
      detail,
      at: verifiedAt ? iso(verifiedAt) : at,
    });
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
