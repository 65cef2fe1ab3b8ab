import { type InsertObject, type Selectable, sql } from 'kysely';
import { iso } from '../../../platform/clock.ts';
import type { DbOrTx, Tx } from '../../../platform/database/db.ts';
import type { DB, KycTiers } from '../../../platform/database/tables.ts';
import { newId } from '../../../platform/ids.ts';
import {
  type Check,
  type KycReport,
  nothingIn,
  type RejectType,
  type Status,
  TIERS,
  type Tier,
  type TierState,
} from './rules.ts';

type StoredCheck = { name: string; result: Check['result']; detail: string | null; at: string };

const toState = (row: Selectable<KycTiers>): TierState => ({
  tier: row.tier as Tier,
  status: row.status as Status,
  provider: row.provider,
  asOf: row.as_of,
  submittedAt: row.submitted_at,
  decidedAt: row.decided_at,
  decidedBy: row.decided_by,
  expiresAt: row.expires_at,
  moderationComment: row.moderation_comment,
  clientComment: row.client_comment,
  rejectLabels: row.reject_labels,
  rejectType: row.reject_type as RejectType | null,
  checks: (row.checks as StoredCheck[]).map((check) => ({ ...check, at: new Date(check.at) })),
});

/** Returns all four tiers in order, as stored. Some approvals may have expired since they were stored. */
export async function readTiers(db: DbOrTx, userId: number): Promise<TierState[]> {
  const rows = await db.selectFrom('kyc_tiers').selectAll().where('user_id', '=', userId).execute();
  const known = new Map(rows.map((row) => [row.tier, toState(row)]));
  return TIERS.map((tier) => known.get(tier) ?? nothingIn(tier));
}

export async function storeTier(tx: Tx, userId: number, state: TierState): Promise<void> {
  const values = {
    status: state.status,
    provider: state.provider,
    as_of: state.asOf,
    submitted_at: state.submittedAt,
    decided_at: state.decidedAt,
    decided_by: state.decidedBy,
    expires_at: state.expiresAt,
    moderation_comment: state.moderationComment,
    client_comment: state.clientComment,
    reject_labels: [...state.rejectLabels],
    reject_type: state.rejectType,
    checks: JSON.stringify(state.checks.map((check) => ({ ...check, at: iso(check.at) }))),
    updated_at: sql<Date>`now()`,
  };
  await tx
    .insertInto('kyc_tiers')
    .values({ user_id: userId, tier: state.tier, ...values })
    .onConflict((oc) => oc.columns(['user_id', 'tier']).doUpdateSet(values))
    .execute();
}

export type HistoryEntry = { from: Status; to: TierState; actorId: number | null; reason: string | null };

export async function writeHistory(tx: Tx, userId: number, { from, to, actorId, reason }: HistoryEntry) {
  await tx
    .insertInto('kyc_history')
    .values({
      id: newId(),
      user_id: userId,
      tier: to.tier,
      from_status: from,
      to_status: to.status,
      reject_type: to.rejectType,
      actor_id: actorId,
      reason,
    })
    .execute();
}

const MOST_HISTORY = 200;

/** The history of a player's tiers, newest first. */
export const readHistory = (db: DbOrTx, userId: number) =>
  db
    .selectFrom('kyc_history')
    .selectAll()
    .where('user_id', '=', userId)
    .orderBy('id', 'desc')
    .limit(MOST_HISTORY)
    .execute();

/** The player's latest final rejection. */
export const findFinalRejection = (db: DbOrTx, userId: number) =>
  db
    .selectFrom('kyc_history')
    .select(['tier', 'created_at'])
    .where('user_id', '=', userId)
    .where('to_status', '=', 'REJECTED')
    .where('reject_type', '=', 'FINAL')
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst();

export const findPerson = (db: DbOrTx, userId: number) =>
  db.selectFrom('kyc_persons').selectAll().where('user_id', '=', userId).executeTakeFirst();

export const findPersons = (db: DbOrTx, userIds: readonly number[]) =>
  db
    .selectFrom('kyc_persons')
    .selectAll()
    .where('user_id', '=', sql<number>`any(${userIds}::int4[])`)
    .execute();

const MOST_DUPLICATES = 10;

/** Other accounts that probably belong to the same person, ordered by their statements, newest first. */
export const findDuplicates = (db: DbOrTx, userId: number, personKeys: readonly Buffer[]) =>
  db
    .selectFrom('kyc_persons')
    .select(['user_id', 'stated_at'])
    .where('person_key', 'in', personKeys)
    .where('user_id', '<>', userId)
    .orderBy('stated_at', 'desc')
    .limit(MOST_DUPLICATES)
    .execute();

const NOW = sql<Date>`now()`;

export const storePerson = (
  tx: Tx,
  userId: number,
  stated: { sealed: Buffer; person_key: Buffer; document_country?: null },
) => upsertPerson(tx, userId, { ...stated, stated_at: NOW });

export const storeDocumentCountry = (tx: Tx, userId: number, country: string) =>
  upsertPerson(tx, userId, { document_country: country });

export const storeUnderage = (db: DbOrTx, userId: number) => upsertPerson(db, userId, { underage_at: NOW });

async function upsertPerson(
  db: DbOrTx,
  userId: number,
  values: Omit<InsertObject<DB, 'kyc_persons'>, 'user_id'>,
): Promise<void> {
  await db
    .insertInto('kyc_persons')
    .values({ ...values, user_id: userId })
    .onConflict((oc) => oc.column('user_id').doUpdateSet(values))
    .execute();
}

export const findApplicant = (db: DbOrTx, provider: string, userId: number) =>
  db
    .selectFrom('kyc_applicants')
    .select('applicant_id')
    .where('provider', '=', provider)
    .where('user_id', '=', userId)
    .executeTakeFirst();

/** The player's latest applicant, at any provider. */
export const findReference = (db: DbOrTx, userId: number) =>
  db
    .selectFrom('kyc_applicants')
    .select('applicant_id')
    .where('user_id', '=', userId)
    .orderBy('created_at', 'desc')
    .limit(1)
    .executeTakeFirst();

export const findApplicantUser = (db: DbOrTx, provider: string, applicantId: string) =>
  db
    .selectFrom('kyc_applicants')
    .select('user_id')
    .where('provider', '=', provider)
    .where('applicant_id', '=', applicantId)
    .executeTakeFirst();

export async function storeApplicant(
  db: DbOrTx,
  applicant: { provider: string; applicantId: string; userId: number },
): Promise<void> {
  await db
    .insertInto('kyc_applicants')
    .values({ provider: applicant.provider, applicant_id: applicant.applicantId, user_id: applicant.userId })
    .onConflict((oc) => oc.doNothing())
    .execute();
}

/** Forgets an applicant, so that the player's next session creates another one. */
export async function deleteApplicant(tx: Tx, provider: string, applicantId: string): Promise<void> {
  await tx
    .deleteFrom('kyc_applicants')
    .where('provider', '=', provider)
    .where('applicant_id', '=', applicantId)
    .execute();
}

/** A webhook about a player, with the result of processing it. */
type StoredEvent = Pick<KycReport, 'eventId' | 'applicantId' | 'userId' | 'tier' | 'at'> & {
  provider: string;
  status: string;
  outcome: string;
};

/** Stores a webhook with its outcome. Returns false if it is already stored. */
export async function storeEvent(tx: Tx, event: StoredEvent): Promise<boolean> {
  const stored = await tx
    .insertInto('kyc_events')
    .values({
      provider: event.provider,
      event_id: event.eventId,
      applicant_id: event.applicantId,
      user_id: event.userId,
      tier: event.tier,
      status: event.status,
      outcome: event.outcome,
      occurred_at: event.at,
    })
    .onConflict((oc) => oc.doNothing())
    .returning('event_id')
    .executeTakeFirst();
  return stored !== undefined;
}

/** Finds players with an expired approval. */
export async function findExpired(db: DbOrTx, most: number): Promise<number[]> {
  const rows = await db
    .selectFrom('kyc_tiers')
    .select('user_id')
    .where('status', 'in', ['APPROVED', 'MANUALLY_APPROVED'])
    .where('expires_at', '<=', sql<Date>`now()`)
    .orderBy('expires_at')
    .limit(most)
    .execute();
  return [...new Set(rows.map((row) => row.user_id))];
}
