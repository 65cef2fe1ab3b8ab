import type { Tx } from '../../../../platform/database/db.ts';
import { lockPlayers, setHasGrant } from '../../../base/players/service.ts';
import { announce } from './announce.ts';
import { close, type Rates } from './close.ts';
import type { GrantDeps } from './deps.ts';
import { passOn } from './pass-on.ts';
import {
  findGrant,
  type GrantRow,
  hasMoneyOut,
  lockGrant,
  lockNext,
  readMark,
  updateGrant,
} from './queries.ts';
import { outcomeOf } from './rules.ts';
import { start } from './start.ts';

/**
 * Settles a grant that bets or time may have ended. Repeated calls have no effect. A grant that continues causes no locks.
 */
export async function settle(tx: Tx, deps: GrantDeps, grantId: bigint): Promise<void> {
  const seen = await findGrant(tx, grantId);
  if (!seen || !(seen.is_due || seen.is_over)) return;
  await lockPlayers(tx, [seen.user_id]);
  await decide(tx, deps, await lockGrant(tx, grantId));
}

/**
 * Settles a locked grant of a locked player: it completes, is lost, expires or continues. Money that an ended grant has received since is
 * passed on. Returns the updated grant.
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
