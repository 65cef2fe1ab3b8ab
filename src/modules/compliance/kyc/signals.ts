import type { z } from 'zod';
import { iso } from '../../../platform/clock.ts';
import type { DbOrTx } from '../../../platform/db.ts';
import { findCountryOfRegistration } from '../../base/registration-info/service.ts';
import type { UserRow } from '../../base/users/service.ts';
import type { Persons } from './persons.ts';
import { findDuplicates, findFinalRejection, findPerson } from './queries.ts';
import { isInReview, type TierState } from './rules.ts';
import type { KycRiskSignal } from './schemas.ts';

type Signal = z.input<typeof KycRiskSignal>;
type Known = { user: UserRow; tiers: readonly TierState[]; persons: Persons };

/** What speaks for a closer look at a player, worst first. */
export async function signalsOf(db: DbOrTx, known: Known): Promise<Signal[]> {
  const signals = [
    ...(await personSignals(db, known)),
    ...(await rejectionSignals(db, known.user.id)),
    ...known.tiers.filter(isInReview).map(reviewSignal),
  ];
  return signals.sort((a, b) => ORDER.indexOf(a.severity) - ORDER.indexOf(b.severity));
}

const ORDER = ['HIGH', 'MEDIUM', 'LOW'];

async function personSignals(db: DbOrTx, { user, persons }: Known): Promise<Signal[]> {
  const row = await findPerson(db, user.id);
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
  const duplicates = await findDuplicates(db, user.id, row.person_key);
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
  const last = await findFinalRejection(db, userId);
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
