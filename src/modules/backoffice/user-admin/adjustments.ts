import { type RawBuilder, type Selectable, sql } from 'kysely';
import { iso } from '../../../platform/clock.ts';
import type { Adjustments } from '../../../platform/database.ts';
import type { Tx } from '../../../platform/db.ts';
import { newId } from '../../../platform/ids.ts';
import { formatUnits, type Units } from '../../../platform/money.ts';
import { areTwoPeople } from '../../base/access/connected.ts';

/** What a player's cash is to become; `usdAmount` is what the difference is worth (null: there is no rate to trust). */
export type Adjustment = {
  userId: number;
  currencyId: string;
  before: Units;
  after: Units;
  usdAmount: Units | null;
};
export type Proposal = Selectable<Adjustments>;
type By = { actorId: number; reason: string | undefined };

/** How long a second person may agree, and the time over which adjustments by one person alone add up. */
const AGREE_HOURS = 24;

/** What was proposed and waits for a second person: the same amount against the same balance. The player must be locked. */
export const findProposals = (
  tx: Tx,
  { userId, currencyId, before, after }: Adjustment,
): Promise<Proposal[]> =>
  tx
    .selectFrom('adjustments')
    .selectAll()
    .where('user_id', '=', userId)
    .where('currency_id', '=', currencyId)
    .where('carried_out_at', 'is', null)
    .where('cash_before', '=', before)
    .where('cash_after', '=', after)
    .where('expires_at', '>', sql<Date>`now()`)
    .orderBy('created_at')
    .orderBy('id')
    .execute();

/** The first proposal that this person may agree to: of somebody who counts as another one. */
export async function findOfAnother(
  tx: Tx,
  open: readonly Proposal[],
  actorId: number,
): Promise<Proposal | undefined> {
  for (const proposal of open) if (await areTwoPeople(tx, [proposal.actor_id, actorId])) return proposal;
  return undefined;
}

/**
 * Whether one person is not enough: more dollars than the threshold, with all that the same person has moved alone within a day, or that
 * anybody has moved alone for the same player; or nobody knows what it is worth. Player and person must be locked.
 */
export async function needsAnother(
  tx: Tx,
  { userId, usdAmount }: Adjustment,
  actorId: number,
  thresholdUsd: Units,
): Promise<boolean> {
  if (usdAmount === null) return true;
  const { rows } = await sql<{ usd: string }>`
    select greatest(
      (select coalesce(sum(usd_amount), 0) from adjustments where user_id = ${userId} and ${ALONE}),
      (select coalesce(sum(usd_amount), 0) from adjustments where actor_id = ${actorId} and ${ALONE}))::text as usd`.execute(
    tx,
  );
  return BigInt(rows[0]!.usd) + usdAmount > thresholdUsd;
}
const ALONE = sql`expires_at is null and carried_out_at > now() - make_interval(hours => ${sql.lit(AGREE_HOURS)})`;

/** Stores what waits for a second person. */
export const propose = (tx: Tx, adjustment: Adjustment, by: By): Promise<Proposal> =>
  insert(tx, adjustment, by, { expires_at: sql<Date>`now() + make_interval(hours => ${AGREE_HOURS})` });

/** Stores what one person did. */
export const recordAlone = (tx: Tx, adjustment: Adjustment, by: By, entryId: bigint): Promise<Proposal> =>
  insert(tx, adjustment, by, { entry_id: entryId, carried_out_at: sql<Date>`now()` });

const insert = (
  tx: Tx,
  { userId, currencyId, before, after, usdAmount }: Adjustment,
  { actorId, reason }: By,
  state: { expires_at: RawBuilder<Date> } | { entry_id: bigint; carried_out_at: RawBuilder<Date> },
): Promise<Proposal> =>
  tx
    .insertInto('adjustments')
    .values({
      id: newId(),
      user_id: userId,
      currency_id: currencyId,
      cash_before: before,
      cash_after: after,
      usd_amount: usdAmount,
      actor_id: actorId,
      reason: reason ?? null,
      ...state,
    })
    .returningAll()
    .executeTakeFirstOrThrow();

/** Records that a second person has agreed, and the entry of the movement. */
export async function recordAgreed(
  tx: Tx,
  { id }: Proposal,
  { actorId, entryId }: { actorId: number; entryId: bigint },
): Promise<void> {
  await tx
    .updateTable('adjustments')
    .set({ agreed_by: actorId, entry_id: entryId, carried_out_at: sql<Date>`now()` })
    .where('id', '=', id)
    .execute();
}

/** What the proposer reads and the audit records. */
export const shownOf = (proposal: Proposal) => ({
  proposalId: proposal.id,
  expiresAt: iso(proposal.expires_at!),
  currencyId: proposal.currency_id,
  before: formatUnits(proposal.cash_before),
  after: formatUnits(proposal.cash_after),
  usdAmount: proposal.usd_amount === null ? null : formatUnits(proposal.usd_amount),
});
