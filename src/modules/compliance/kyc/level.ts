import type { z } from 'zod';
import { iso } from '../../../platform/clock.ts';
import type { Tx } from '../../../platform/database/db.ts';
import { emitEvent } from '../../base/events/service.ts';
import { notify } from '../../base/notifications/notify.ts';
import { lockPlayers } from '../../base/players/service.ts';
import { transactionTime } from '../gate/service.ts';
import { kycMessages } from './messages.ts';
import { readTiers, storeTier, writeHistory } from './queries.ts';
import {
  asOfNow,
  canResubmit,
  isApproved,
  levelOf,
  nothingIn,
  shownStatus,
  TIERS,
  type Tier,
  type TierState,
} from './rules.ts';
import type { KycTier } from './schemas.ts';
import { kycEvents } from './schemas.ts';

/** A player's current tiers, read while the player is locked. */
export type Standing = { userId: number; now: Date; tiers: readonly TierState[] };

/** Locks a player and reads their tiers. */
export async function lockStanding(tx: Tx, userId: number): Promise<Standing> {
  await lockPlayers(tx, [userId]);
  const now = await transactionTime(tx);
  const tiers = await readTiers(tx, userId);
  return { userId, now, tiers };
}

/** Omits the provider's comments for staff. */
export const toPlayerTier = (state: TierState): z.input<typeof KycTier> => ({
  tier: state.tier,
  status: shownStatus(state.status),
  submittedAt: state.submittedAt && iso(state.submittedAt),
  decidedAt: state.decidedAt && iso(state.decidedAt),
  expiresAt: state.expiresAt && iso(state.expiresAt),
  moderationComment: state.moderationComment,
  rejectLabels: [...state.rejectLabels],
  canResubmit: canResubmit(state),
});

export const tierIn = ({ tiers, now }: Standing, tier: Tier): TierState =>
  asOfNow(tiers.find((state) => state.tier === tier)!, now);

/** Runs after the approval of a tier, in the same transaction. May be called more than once for one approval. */
export type OnApproved = (tx: Tx, userId: number, tier: Tier) => Promise<void>;

/** The staff member who changed a tier, if any, and the reason. */
export type Cause = { actorId?: number | null; reason?: string | null };

/**
 * Stores the new state of tiers, the player's resulting level and the history of the change, and notifies the player.
 * The player must be locked.
 */
export async function changeTiers(
  tx: Tx,
  standing: Standing,
  next: readonly TierState[],
  cause: Cause = {},
): Promise<Standing> {
  const { userId, now } = standing;
  for (const to of next) {
    const from = standing.tiers.find(({ tier }) => tier === to.tier)!;
    await storeTier(tx, userId, to);
    if (from.status === to.status && from.rejectType === to.rejectType) continue;
    const { actorId = null, reason = null } = cause;
    await writeHistory(tx, userId, { from: from.status, to, actorId, reason });
  }
  const tiers = standing.tiers.map((state) => next.find(({ tier }) => tier === state.tier) ?? state);
  await tx
    .updateTable('users')
    .set({ kyc_level: levelOf(tiers, now) })
    .where('id', '=', userId)
    .execute();
  const changed = { userId, now, tiers };
  for (const to of next) await notifyOf(tx, { standing, changed, to, cause });
  return changed;
}

const MESSAGES = {
  APPROVED: kycMessages['kyc.approved'],
  REJECTED: kycMessages['kyc.rejected'],
  RESUBMIT: kycMessages['kyc.resubmit'],
  EXPIRED: kycMessages['kyc.expired'],
} as const;

type Change = { standing: Standing; changed: Standing; to: TierState; cause: Cause };

/** Emits an event with the status that is shown to the player, and notifies the player unless the player made the change. */
async function notifyOf(tx: Tx, { standing, changed, to, cause }: Change): Promise<void> {
  const { userId, tiers, now } = changed;
  const { tier } = to;
  const status = shownStatus(to.status);
  if (shownStatus(standing.tiers.find((from) => from.tier === tier)!.status) === status) return;
  const level = levelOf(tiers, now);
  await emitEvent(tx, { event: kycEvents['kyc.status'], userId, data: { tier, status, level } });
  const isOwn = tier === 'BASIC' && cause.actorId === userId;
  if (!isOwn && Object.hasOwn(MESSAGES, status))
    await notify(tx, userId, MESSAGES[status as keyof typeof MESSAGES], { tier });
}

/** Ends the expired approvals of a player and lowers their level accordingly. */
export async function expireTiers(tx: Tx, userId: number): Promise<void> {
  const standing = await lockStanding(tx, userId);
  const ended = standing.tiers.filter(
    (state) => isApproved(state) && !isApproved(asOfNow(state, standing.now)),
  );
  const next = ended.map((state) => asOfNow(state, standing.now));
  if (next.length > 0) await changeTiers(tx, standing, next, { reason: 'expired' });
}

/** Approves the first `level` tiers and resets the others, as staff would do. Used only for tests. Locks the player. */
export async function setKycLevel(
  tx: Tx,
  { onApproved }: { onApproved: OnApproved },
  { userId, level }: { userId: number; level: number },
): Promise<void> {
  const standing = await lockStanding(tx, userId);
  const { now } = standing;
  const next = TIERS.map((tier, index): TierState => {
    const isIncluded = index < level;
    const empty = nothingIn(tier, now);
    return isIncluded ? { ...empty, status: 'MANUALLY_APPROVED', submittedAt: now, decidedAt: now } : empty;
  });
  const changed = next.filter((to) => {
    const { status } = tierIn(standing, to.tier);
    return isApproved(to) ? !isApproved({ status }) : status !== 'NONE';
  });
  await changeTiers(tx, standing, changed, { reason: 'set for a test' });
  for (const { tier } of changed.filter(isApproved)) await onApproved(tx, userId, tier);
}
