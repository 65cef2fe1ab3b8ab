import type { z } from 'zod';
import { iso } from '../../../platform/clock.ts';
import type { DbOrTx } from '../../../platform/database/db.ts';
import { findCountryOfRegistration } from '../../base/registration-info/record.ts';
import type { UserRow } from '../../base/users/service.ts';
import type { Persons } from './persons.ts';
import * as queries from './queries.ts';
import { isInReview, type TierState } from './rules.ts';
import type { KycRiskSignal } from './schemas.ts';

type Signal = z.input<typeof KycRiskSignal>;
type Subject = { user: UserRow; tiers: readonly TierState[]; persons: Persons };

/** Returns reasons to examine a player more closely, the most severe first. */
export async function signalsOf(db: DbOrTx, subject: Subject): Promise<Signal[]> {
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
