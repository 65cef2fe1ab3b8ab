import type { Tx } from '../../../../platform/db.ts';
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
 * Decides a grant that bets or time may have brought to its end; once, however often it is called. One that goes on locks nobody.
 */
export async function settle(tx: Tx, deps: GrantDeps, grantId: bigint): Promise<void> {
  const known = await findGrant(tx, grantId);
  if (!known || !(known.is_due || known.is_over)) return;
  await lockPlayers(tx, [known.user_id]);
  await decide(tx, deps, await lockGrant(tx, grantId));
}

/**
 * What a locked grant of a locked player has come to: done, lost, over, or none of these yet. Of one that has ended, what came in since
 * passes on. Answers the grant as it is then.
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
  if (grant.is_over && !isOut) return close(tx, rates, grant, { status: 'EXPIRED', reason: overOf(grant) });
  if (grant.is_due) await announce(tx, await updateGrant(tx, grant, { is_due: false }));
}

function overOf(grant: GrantRow): string {
  if (grant.status === 'ACTIVE') return 'NOT_WAGERED_IN_TIME';
  if (grant.kind === 'FREE_SPINS') return 'NOT_PLAYED_IN_TIME';
  return grant.to_start === 0n ? 'NO_DEPOSIT' : 'QUEUED_TOO_LONG';
}

const progressOf = (grant: GrantRow) => ({
  wagerRequired: grant.wager_required,
  wagerDone: grant.wager_done,
  balance: grant.bonus_balance,
});

/** Starts what comes next in the currency of a grant that has ended; a grant without turnover is done as soon as it starts. */
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
