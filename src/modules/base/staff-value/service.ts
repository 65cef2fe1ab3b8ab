import type { StaffCall } from '../../../http/access.ts';
import { iso } from '../../../platform/clock.ts';
import { type Db, type DbOrTx, type Tx, transaction } from '../../../platform/database/db.ts';
import { refuseOutOfRange } from '../../../platform/database/errors.ts';
import { AppError, errors } from '../../../platform/errors.ts';
import { newId } from '../../../platform/ids.ts';
import { formatUnits, type Units } from '../../../platform/money.ts';
import { areConnected, areTwoPeople, lockPeople } from '../access/connected.ts';
import { type Actor, isSuperAdmin } from '../access/rules.ts';
import { allowValue, freshActor } from '../access/service.ts';
import { recordAudit } from '../audit/service.ts';
import { lockPlayers } from '../players/service.ts';
import { getUser } from '../users/service.ts';
import {
  endOfProposal,
  findProposals,
  insertAlone,
  insertProposal,
  markAgreed,
  readProposals,
  sumsOfActor,
  sumsOfRecipients,
  type ValueRow,
} from './queries.ts';
import { type ApprovalNeeded, exceedsLimit, needsAnother, type StaffValue } from './rules.ts';

export const staffValueErrors = errors({
  REASON_REQUIRED: [400, 'This change needs a second approver: give a reason for it.'],
  APPROVAL_NEEDED: [
    409,
    "A colleague must make the same request too, before details.expiresAt. Neither of you may have created the other's account.",
  ],
  STAFF_VALUE_LIMIT: [
    403,
    'This exceeds the amount that staff below superadmin may move in 24 hours; see details.limitUsd.',
  ],
});

export type StaffValueDeps = {
  siteConfig: {
    lowestOfDay(db: DbOrTx, field: 'adjustmentApprovalUsd' | 'staffValueLimitUsd'): Promise<Units>;
  };
};

/** `id` is the id of the action's row, or undefined if the action moves nothing. `agreed` is the proposal that this call approves. */
export type Leave = { id: string | undefined; agreed: ValueRow | undefined };

/**
 * Actions that need a second person, keyed by the error that was thrown for the action. `withProposals` stores these actions as proposals.
 */
const waiting = new WeakMap<AppError, Proposal>();
type Proposal = StaffValue & { proposalId: string; expiresAt: string };

/**
 * The only policy for player funds that staff create or move. Every such action calls this function in its transaction before it posts to
 * the ledger. One person may act without approval below `adjustmentApprovalUsd` per 24 hours, both in total and for each recipient, but may
 * not pay from a source that only this person has set up. A superadmin may both set up and pay below that amount. At or above that amount,
 * a second person must make the same call, which carries out the action. Staff below superadmin can never move more than
 * `staffValueLimitUsd` in 24 hours, even with a second person. Locks the caller and the recipients. Throws 409 APPROVAL_NEEDED, 400
 * REASON_REQUIRED, 403 STAFF_VALUE_LIMIT, and the errors of freshActor.
 */
export async function assertValue(
  tx: Tx,
  { siteConfig }: StaffValueDeps,
  by: StaffCall,
  value: StaffValue,
): Promise<Leave> {
  allowValue(tx, by);
  if (value.usdAmount === 0n && value.recipients.every(({ usdAmount }) => usdAmount === 0n))
    return { id: undefined, agreed: undefined };
  await lockPlayers(tx, [by.user.id, ...value.recipients.map(({ userId }) => userId)]);
  const actor = await freshActor(tx, by);
  await lockPeople(tx, [actor.id]);
  const { aloneUsd, allUsd } = await sumsOfActor(tx, actor.id);
  await assertWithinLimit(tx, siteConfig, { actor, value, allUsd });
  const open = await findProposals(tx, value);
  const agreed = await findOfAnother(tx, open, actor.id);
  if (agreed) {
    await markAgreed(tx, agreed.id, {
      actorId: actor.id,
      usdAmount: value.isBudgeted ? 0n : value.usdAmount,
    });
    return { id: agreed.id, agreed };
  }
  const usdAmount = value.isBudgeted ? 0n : value.usdAmount;
  if (await mayActAlone(tx, siteConfig, { actor, value: { ...value, usdAmount }, aloneUsd }))
    return { id: (await insertAlone(tx, { ...value, usdAmount }, actor.id)).id, agreed: undefined };
  throw await refusalOf(tx, value, open[0]);
}

/**
 * Returns whose approval `assertValue` would require from this person now for an action without recipients, so that a page can show it
 * before the call. Takes no lock, so a call at the same time can change the result.
 */
export async function approvalNeeded(
  tx: Tx,
  { siteConfig }: StaffValueDeps,
  actor: Pick<Actor, 'id' | 'isSuperAdmin'>,
  value: StaffValue & { recipients: readonly []; isBudgeted?: never },
): Promise<ApprovalNeeded> {
  if (value.usdAmount === 0n) return 'NONE';
  const { aloneUsd, allUsd } = await sumsOfActor(tx, actor.id);
  if ((await exceededLimit(tx, siteConfig, { actor, value, allUsd })) !== undefined) return 'SUPERADMIN';
  const open = await readProposals(tx, value.operation, [value.input]);
  if (await findOfAnother(tx, open, actor.id)) return 'NONE';
  return (await mayActAlone(tx, siteConfig, { actor, value, aloneUsd })) ? 'NONE' : 'SECOND_PERSON';
}

type Acting = { actor: Pick<Actor, 'id' | 'isSuperAdmin'>; value: StaffValue; aloneUsd: Units };

/** Returns true if the action needs no second person. `value.usdAmount`: the amount that counts towards the caller's total. */
async function mayActAlone(
  tx: Tx,
  siteConfig: StaffValueDeps['siteConfig'],
  { actor, value, aloneUsd }: Acting,
): Promise<boolean> {
  const { usdAmount, recipients, setUpBy } = value;
  const userIds = recipients.map(({ userId }) => userId);
  const sums = { ofActorUsd: aloneUsd, ofRecipientsUsd: await sumsOfRecipients(tx, userIds) };
  const amounts = { usdAmount, recipientsUsd: recipients.map((recipient) => recipient.usdAmount) };
  const thresholdUsd = await siteConfig.lowestOfDay(tx, 'adjustmentApprovalUsd');
  if (needsAnother(amounts, sums, thresholdUsd)) return false;
  return actor.isSuperAdmin || !(await isSetUpByOne(tx, setUpBy, actor.id));
}

/** A proposal that waits for a second person. */
export type OpenProposal = {
  input: Readonly<Record<string, unknown>>;
  actorId: number;
  reason: string | null;
  at: Date;
  expiresAt: Date;
};

/** Returns the open proposals of these actions, oldest first. */
export async function listProposals(
  db: DbOrTx,
  operation: string,
  inputs: readonly StaffValue['input'][],
): Promise<OpenProposal[]> {
  const rows = await readProposals(db, operation, inputs);
  return rows.map(({ input, actor_id, reason, created_at, expires_at }) => ({
    input: input as OpenProposal['input'],
    actorId: actor_id,
    reason,
    at: created_at,
    expiresAt: expires_at!,
  }));
}

/**
 * For modules with separate proposals: counts an action towards the limits of the two people who approved it. Throws 403 STAFF_VALUE_LIMIT
 * if one of them is not a superadmin and would exceed their limit.
 */
export async function countAgreed(
  tx: Tx,
  { siteConfig }: StaffValueDeps,
  value: StaffValue,
  { proposedBy, agreedBy }: { proposedBy: number; agreedBy: number },
): Promise<void> {
  if (value.usdAmount === 0n) return;
  await lockPeople(tx, [proposedBy, agreedBy]);
  for (const id of [proposedBy, agreedBy]) {
    const actor = { isSuperAdmin: isSuperAdmin(await getUser(tx, id)) };
    const { allUsd } = await sumsOfActor(tx, id);
    await assertWithinLimit(tx, siteConfig, { actor, value, allUsd });
  }
  const proposal = { actorId: proposedBy, id: newId(), expiresAt: iso(await endOfProposal(tx)) };
  const { id } = await insertProposal(tx, value, proposal);
  await markAgreed(tx, id, { actorId: agreedBy, usdAmount: value.usdAmount });
}

type Limited = {
  actor: Pick<Actor, 'isSuperAdmin'>;
  value: Pick<StaffValue, 'usdAmount'>;
  /** The value that the person has moved within 24 hours. */
  allUsd: Units;
};

/** Returns the limit of staff below superadmin if the action would exceed it. */
async function exceededLimit(
  tx: Tx,
  siteConfig: StaffValueDeps['siteConfig'],
  { actor, value, allUsd }: Limited,
): Promise<Units | undefined> {
  if (actor.isSuperAdmin) return undefined;
  const limitUsd = await siteConfig.lowestOfDay(tx, 'staffValueLimitUsd');
  return exceedsLimit(value.usdAmount, allUsd, limitUsd) ? limitUsd : undefined;
}

async function assertWithinLimit(
  tx: Tx,
  siteConfig: StaffValueDeps['siteConfig'],
  limited: Limited,
): Promise<void> {
  const limitUsd = await exceededLimit(tx, siteConfig, limited);
  if (limitUsd !== undefined)
    throw staffValueErrors.STAFF_VALUE_LIMIT({
      limitUsd: formatUnits(limitUsd),
      movedUsd: formatUnits(limited.allUsd),
    });
}

/** Returns the first proposal by a person other than the caller. Connected accounts are treated as the same person. */
async function findOfAnother(
  tx: Tx,
  open: readonly ValueRow[],
  actorId: number,
): Promise<ValueRow | undefined> {
  for (const proposal of open) if (await areTwoPeople(tx, [proposal.actor_id, actorId])) return proposal;
  return undefined;
}

/** Returns true if all people who set up the source of the payment are treated as the same person as the caller. */
async function isSetUpByOne(
  tx: Tx,
  setUpBy: readonly (number | null)[] = [],
  actorId: number,
): Promise<boolean> {
  const people = setUpBy.filter((id) => id !== null);
  for (const id of people) if (!(await areConnected(tx, id, actorId))) return false;
  return people.length > 0;
}

async function refusalOf(tx: Tx, value: StaffValue, known: ValueRow | undefined): Promise<AppError> {
  if (known) return staffValueErrors.APPROVAL_NEEDED(shownOf(known.id, known.expires_at!, value));
  if (value.reason === undefined) return staffValueErrors.REASON_REQUIRED();
  const proposalId = newId();
  const expiresAt = await endOfProposal(tx);
  const refusal = staffValueErrors.APPROVAL_NEEDED(shownOf(proposalId, expiresAt, value));
  waiting.set(refusal, { ...value, proposalId, expiresAt: iso(expiresAt) });
  return refusal;
}

/** Returns the details of a proposal for the caller and the audit log. */
const shownOf = (proposalId: string, expiresAt: Date, { input, usdAmount }: StaffValue) => ({
  proposalId,
  expiresAt: iso(expiresAt),
  ...input,
  usdAmount: usdAmount === null ? null : formatUnits(usdAmount),
});

/**
 * Runs a call, and stores its proposal if the call needs a second person. The proposal needs a separate transaction, because the error has
 * rolled back the transaction of the call. Every service function that calls `assertValue` must be wrapped in this function.
 */
export async function withProposals<T>(db: Db, by: StaffCall, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const value = error instanceof AppError ? waiting.get(error) : undefined;
    if (!(error instanceof AppError) || !value) throw error;
    // The value does not fit into the column, so the proposal could never be carried out.
    await transaction(db, (tx) => propose(tx, by, value, error)).catch((failure: unknown) =>
      refuseOutOfRange(failure, {}),
    );
    throw error;
  }
}

/**
 * Stores a proposal for the part of an action that needs approval. The transaction continues with the rest of the action. A second person
 * approves the proposal later.
 */
export async function proposeNow(tx: Tx, by: StaffCall, value: StaffValue): Promise<void> {
  allowValue(tx, by);
  if ((await findProposals(tx, value)).some(({ actor_id }) => actor_id === by.user.id)) return;
  const expiresAt = iso(await endOfProposal(tx));
  await insertProposal(tx, value, { actorId: by.user.id, id: newId(), expiresAt });
}

/** Continues an action that `assertValue` allowed in an earlier transaction of the same call. */
export const goOn = (tx: Tx, by: StaffCall, _leave: Leave): void => allowValue(tx, by);

async function propose(tx: Tx, by: StaffCall, value: Proposal, refusal: AppError): Promise<void> {
  await lockPlayers(tx, [by.user.id]);
  await freshActor(tx, by);
  const { proposalId: id, expiresAt } = value;
  await insertProposal(tx, value, { actorId: by.user.id, id, expiresAt });
  const call = { ...by, status: refusal.status };
  await recordAudit(tx, call, { after: { ...refusal.details }, reason: value.reason });
}

/** Links the action to the ledger entry that carried it out. */
export async function setEntry(tx: Tx, id: string, entryId: bigint): Promise<void> {
  await tx.updateTable('staff_values').set({ entry_id: entryId }).where('id', '=', id).execute();
}

/** Returns the proposal that was carried out and its author, for the audit log. */
export const pairOf = ({ agreed }: Leave): { proposalId?: string; proposedBy?: number } =>
  agreed ? { proposalId: agreed.id, proposedBy: agreed.actor_id } : {};
