import { sql } from 'kysely';
import type { Tx } from '../../../../platform/database/db.ts';
import { lockPlayers, setHasGrant } from '../../../base/players/service.ts';
import { post } from '../../ledger/post.ts';
import { bonusErrors } from '../errors.ts';
import { announce, emitStates, notifyOfGrant } from './announce.ts';
import { close, passOn, type Rates } from './close.ts';
import type { GrantDeps } from './deps.ts';
import { queueFreeRounds } from './free-rounds.ts';
import {
  findGrant,
  type GrantRow,
  hasMoneyOut,
  lockGrant,
  lockNext,
  lockOpenGrants,
  readMark,
  updateGrant,
} from './queries.ts';
import { outcomeOf } from './rules.ts';

/**
 * Settles a grant that may have ended because of its bets or its expiry. Repeated calls have no effect. Nothing is locked if the grant
 * continues.
 */
export async function settle(tx: Tx, deps: GrantDeps, grantId: bigint): Promise<void> {
  const seen = await findGrant(tx, grantId);
  if (!seen || !(seen.is_due || seen.is_over)) return;
  await lockPlayers(tx, [seen.user_id]);
  await decide(tx, deps, await lockGrant(tx, grantId));
}

/**
 * Settles a locked grant of a locked player. The grant completes, is lost, expires or continues. Also settles money that an ended grant has
 * received since its end. Returns the updated grant.
 */
export async function decide(tx: Tx, deps: GrantDeps, grant: GrantRow): Promise<GrantRow> {
  const { currencies } = deps;
  if (grant.status === 'ACTIVE') await decideOpen(tx, currencies, grant);
  else if (grant.bonus_balance + grant.to_take_back + grant.turnover_owed > 0n) await passOn(tx, deps, grant);
  else if (grant.status === 'PENDING') await decideOpen(tx, currencies, grant);
  else await updateGrant(tx, grant, { is_due: false });
  await follow(tx, currencies, grant);
  return lockGrant(tx, grant.id);
}

async function decideOpen(tx: Tx, rates: Rates, grant: GrantRow): Promise<void> {
  const isOut = await hasMoneyOut(tx, grant.id);
  const outcome = grant.status === 'ACTIVE' ? outcomeOf(progressOf(grant), isOut) : undefined;
  if (outcome === 'COMPLETED') return close(tx, rates, grant, { status: outcome, reason: 'WAGERED' });
  if (outcome === 'LOST') return close(tx, rates, grant, { status: outcome, reason: 'NOTHING_LEFT' });
  if (grant.is_over && !isOut)
    return close(tx, rates, grant, { status: 'EXPIRED', reason: expiryReason(grant) });
  if (grant.is_due) await announce(tx, await updateGrant(tx, grant, { is_due: false }));
}

function expiryReason(grant: GrantRow): string {
  if (grant.status === 'ACTIVE') return 'NOT_WAGERED_IN_TIME';
  if (grant.kind === 'FREE_SPINS') return 'NOT_PLAYED_IN_TIME';
  return grant.to_start === 0n ? 'NO_DEPOSIT' : 'QUEUED_TOO_LONG';
}

const progressOf = (grant: GrantRow) => ({
  wagerRequired: grant.wager_required,
  wagerDone: grant.wager_done,
  balance: grant.bonus_balance,
});

/** Starts the next waiting grant in a currency, if none is active. A grant without a wagering requirement completes immediately. */
export async function follow(
  tx: Tx,
  rates: Rates,
  { user_id: userId, currency_id: currencyId }: Pick<GrantRow, 'user_id' | 'currency_id'>,
): Promise<void> {
  for (
    let next = await lockNext(tx, userId, currencyId);
    next;
    next = await lockNext(tx, userId, currencyId)
  ) {
    const started = await start(tx, next);
    if (outcomeOf(progressOf(started), false) !== 'COMPLETED') break;
    await close(tx, rates, started, { status: 'COMPLETED', reason: 'WAGERED' });
  }
  const { isMarked, hasGrant } = await readMark(tx, userId);
  if (isMarked !== hasGrant) await setHasGrant(tx, userId, hasGrant);
}

/**
 * Starts a waiting grant: promo → bonus. Later bets in its currency use this grant, because they read it under the player's lock. The
 * player and the grant must be locked. Returns the updated grant.
 */
async function start(tx: Tx, grant: GrantRow): Promise<GrantRow> {
  const { id, user_id: userId, currency_id: currencyId, to_start: amount } = grant;
  const kind = 'promo.grant';
  const entries = grant.entries + 1;
  const posting = { userId, currencyId, kind, debit: 'promo', credit: 'bonus', amount } as const;
  const entry = { key: `promo:${id}:start:${entries}`, kind, mustFit: true, postings: [posting] };
  await post(tx, [entry]);
  const isFirst = grant.activated_at === null;
  const started = await updateGrant(tx, grant, {
    status: 'ACTIVE',
    to_start: 0n,
    bonus_balance: grant.bonus_balance + amount,
    // Rollbacks returned money that was already counted as forfeited, so the amount is subtracted from the forfeited amount.
    forfeited: isFirst ? grant.forfeited : grant.forfeited - amount,
    entries,
    waits_until: null,
    activated_at: sql<Date>`now()`,
    // A grant that starts again keeps its original expiry.
    ...(isFirst && {
      expires_at: sql<Date>`now() + make_interval(hours => ${grant.validity_hours}::int4)`,
    }),
    closed_at: null,
    close_reason: null,
  });
  // Invalidates the player data that processes have cached.
  await setHasGrant(tx, userId, true);
  await announce(tx, started);
  await emitStates(tx, started, 'ONGOING');
  await notifyOfGrant(tx, started, 'promo.started', amount);
  return started;
}

/** `userId`: the required owner; a grant of another player is treated as not found. */
export type End = { status: 'FORFEITED' | 'CANCELLED' | 'EXPIRED'; reason: string; userId?: number };

const isOpen = ({ status }: Pick<GrantRow, 'status'>) => status === 'ACTIVE' || status === 'PENDING';

/**
 * Ends an open grant. Its money goes back to promo, and the next grant starts. Locks the player. Throws 404 PROMO_GRANT_NOT_FOUND, or 409
 * PROMO_GRANT_CLOSED if the grant has ended. The latter is also thrown if bets have already ended the grant but only this call settles it.
 */
export async function end(
  tx: Tx,
  deps: GrantDeps,
  grantId: bigint,
  { userId, ...ending }: End,
): Promise<void> {
  const seen = await findGrant(tx, grantId);
  if (!seen || (userId !== undefined && seen.user_id !== userId)) throw bonusErrors.PROMO_GRANT_NOT_FOUND();
  await lockPlayers(tx, [seen.user_id]);
  const locked = await lockGrant(tx, grantId);
  const grant = locked.is_due ? await decide(tx, deps, locked) : locked;
  if (!isOpen(grant)) throw bonusErrors.PROMO_GRANT_CLOSED({ status: grant.status });
  await close(tx, deps.currencies, grant, ending);
  await follow(tx, deps.currencies, grant);
}

/**
 * Ends all open grants of a player without changing the cash balance. A grant that bets have already completed or used up is settled first.
 * Locks the player.
 */
export async function endAll(tx: Tx, deps: GrantDeps, userId: number, reason: string): Promise<void> {
  await lockPlayers(tx, [userId]);
  // Waiting grants end first, so that none of them starts when an active one ends.
  for (const open of await lockOpenGrants(tx, userId)) {
    const grant = open.is_due ? await decide(tx, deps, open) : open;
    if (!isOpen(grant)) continue;
    await close(tx, deps.currencies, grant, { status: 'FORFEITED', reason });
    await follow(tx, deps.currencies, grant);
  }
}

/** Cancels the waiting grants of a player whose account is erased. Waiting grants contain no money. The player must be locked. */
export async function cancelWaiting(tx: Tx, userId: number): Promise<void> {
  const { rows } = await sql<Pick<GrantRow, 'id' | 'kind'>>`
    update promo_grants set status = 'CANCELLED', to_start = 0, is_due = false, closed_at = now(), close_reason = 'ERASED'
    where user_id = ${userId} and status = 'PENDING' returning id, kind`.execute(tx);
  for (const { id, kind } of rows) if (kind === 'FREE_SPINS') await queueFreeRounds(tx, id);
}
