import { sql } from 'kysely';
import type { Tx } from '../../../../platform/database/db.ts';
import type { Units } from '../../../../platform/money.ts';
import type { Currencies } from '../../currencies/service.ts';
import { takeBack } from '../../ledger/claims.ts';
import { post } from '../../ledger/post.ts';
import type { Posting } from '../../ledger/rules.ts';
import { countGiven } from '../../rewards/pay.ts';
import { announce, emitStates, notifyOfGrant } from './announce.ts';
import type { GrantDeps } from './deps.ts';
import { queueFreeRounds } from './free-rounds.ts';
import { beginPassing, type GrantRow, inHours, latePayouts, recordPassed, updateGrant } from './queries.ts';
import { convertible, corrected, lostOf } from './rules.ts';
import { GrantStatus } from './schemas.ts';

/** The final status of a grant and the reason that staff see. */
type Ending = { status: 'COMPLETED' | 'FORFEITED' | 'EXPIRED' | 'LOST' | 'CANCELLED'; reason: string };
export type Rates = Pick<Currencies, 'toUsd'>;

/**
 * Ends a grant. The balance of a completed grant is converted up to its cap; all other money is returned to promo. Later payouts of its
 * open bets are settled by `passOn`. The player and the grant must be locked.
 */
export async function close(
  tx: Tx,
  rates: Rates,
  grant: GrantRow,
  { status, reason }: Ending,
): Promise<void> {
  const parts = partsOf({ ...grant, status });
  const step = status === 'COMPLETED' ? 'conversion' : `end:${grant.entries + 1}`;
  const booked = await book(tx, rates, grant, { ...parts, step });
  const closed = await updateGrant(tx, grant, {
    ...booked,
    status,
    to_start: 0n,
    is_due: false,
    closed_at: sql<Date>`now()`,
    close_reason: reason,
  });
  await beginPassing(tx, grant);
  if (grant.kind === 'FREE_SPINS') await queueFreeRounds(tx, grant.id);
  await announce(tx, closed);
  await emitStates(tx, closed, status === 'CANCELLED' ? 'FORFEITED' : status);
  if (status === 'COMPLETED') await notifyOfGrant(tx, closed, 'promo.completed', parts.converted);
  if (status === 'LOST') await notifyOfGrant(tx, closed, 'promo.lost', grant.granted_amount);
  const expired = parts.forfeited + grant.to_start;
  if (status === 'EXPIRED')
    await notifyOfGrant(tx, closed, expired > 0n ? 'promo.expired' : 'promo.lapsed', expired);
}

type Parts = { converted: Units; forfeited: Units };

/** Returns how much of a grant's money is converted and how much is forfeited. */
function partsOf(grant: GrantRow): Parts {
  const converted = grant.status === 'COMPLETED' ? convertible(grant.bonus_balance, cappedOf(grant)) : 0n;
  return { converted, forfeited: grant.bonus_balance - converted };
}

const cappedOf = ({ decimals, converted, ...grant }: GrantRow) => ({
  grantedAmount: grant.granted_amount,
  maxWithdrawalMultiplierE2: grant.max_withdrawal_multiplier_e2,
  converted,
  decimals,
});

/** Empties a grant with one entry: bonus → cash and bonus → promo. Returns the changes to its row. */
async function book(
  tx: Tx,
  rates: Rates,
  grant: GrantRow,
  { converted, forfeited, step }: Parts & { step: string },
) {
  if (grant.bonus_balance === 0n) return {};
  const { id, user_id: userId, currency_id: currencyId } = grant;
  const entries = grant.entries + 1;
  const of = { userId, currencyId, debit: 'bonus' } as const;
  const postings: Posting[] = [
    { ...of, kind: 'promo.conversion' as const, credit: 'cash' as const, amount: converted },
    { ...of, kind: 'promo.forfeit' as const, credit: 'promo' as const, amount: forfeited },
  ].filter(({ amount }) => amount > 0n);
  const kind = converted > 0n ? 'promo.conversion' : 'promo.forfeit';
  await post(tx, [{ key: `promo:${id}:${step}`, kind, postings }]);
  if (converted > 0n) {
    const usdAmount = rates.toUsd(currencyId, converted);
    await countGiven(tx, 'promo.conversion', { userId, currencyId, amount: converted, usdAmount });
  }
  return {
    bonus_balance: 0n,
    converted: grant.converted + converted,
    forfeited: grant.forfeited + forfeited,
    entries,
  };
}

/**
 * Settles the payouts that an ended grant has received since its end, and the payouts reversed since then. It then removes these amounts
 * from the grant's row, so that they are settled only once. The player and the grant must be locked. Returns the updated grant.
 */
export async function passOn(tx: Tx, deps: GrantDeps, grant: GrantRow): Promise<GrantRow> {
  const { repaid, waits, passesOn, ofWaiting, ofConverted, toStart, status } = corrected({
    status: GrantStatus.parse(grant.status),
    balance: grant.bonus_balance,
    toTakeBack: grant.to_take_back,
    toStart: grant.to_start,
    converted: grant.converted,
    mayStartAgain: await mayStartAgain(tx, deps, grant),
  });
  let now = await postToPromo(tx, grant, { repaid, waits });
  const passed = passesOn > 0n ? partsOf(now) : undefined;
  if (passed) now = await empty(tx, deps, now);
  await settleLatePayouts(tx, grant, { kept: repaid + waits + (passed?.converted ?? 0n) });
  if (ofConverted > 0n) {
    const taken = await reverseConversion(tx, deps, now, ofConverted);
    now = await updateGrant(tx, now, { ...taken, written_off: now.written_off - ofConverted });
  }
  const { queueDays } = deps.siteConfig.get('COMMON').promo;
  const decided = await updateGrant(tx, now, {
    status,
    to_start: toStart,
    to_take_back: 0n,
    turnover_owed: 0n,
    is_due: false,
    written_off: now.written_off - ofWaiting,
    forfeited: now.forfeited - ofWaiting,
    ...(status === 'PENDING' &&
      grant.status !== 'PENDING' && {
        waits_until: inHours(queueDays * 24),
        closed_at: null,
        close_reason: null,
      }),
    ...(status === 'LOST' &&
      grant.status !== 'LOST' && { closed_at: sql<Date>`now()`, close_reason: 'TAKEN_BACK' }),
  });
  if (grant.turnover_owed > 0n)
    await deps.rollover.add(tx, { userId: grant.user_id, usdAmount: grant.turnover_owed });
  if (status !== grant.status) {
    await announce(tx, decided);
    await emitStates(tx, decided, status === 'PENDING' ? 'CREATED' : 'LOST');
  }
  return decided;
}

/**
 * Returns true if a lost grant may start again, which requires that it has not expired and that the player is neither banned nor
 * self-excluded.
 */
export async function mayStartAgain(
  tx: Tx,
  { gate }: Pick<GrantDeps, 'gate'>,
  grant: GrantRow,
): Promise<boolean> {
  if (grant.status !== 'LOST' || grant.is_over) return false;
  const refusals = await gate.refusals(tx, { action: 'claim', userId: grant.user_id, country: null });
  return refusals.length === 0;
}

type ToPromo = { repaid: Units; waits: Units };

/** Posts two amounts to promo: the repaid amount, and the amount that waits there until the grant starts again. */
async function postToPromo(tx: Tx, grant: GrantRow, { repaid, waits }: ToPromo): Promise<GrantRow> {
  const { id, user_id: userId, currency_id: currencyId } = grant;
  const amount = repaid + waits;
  if (amount === 0n) return grant;
  const entries = grant.entries + 1;
  const kind = 'promo.forfeit';
  const posting = { userId, currencyId, kind, debit: 'bonus', credit: 'promo', amount } as const;
  await post(tx, [{ key: `promo:${id}:end:${entries}`, kind, postings: [posting] }]);
  return updateGrant(tx, grant, {
    bonus_balance: grant.bonus_balance - amount,
    written_off: grant.written_off - repaid,
    forfeited: grant.forfeited + waits,
    entries,
  });
}

/** Empties a grant. The money of a completed grant goes to cash up to its cap; all other money goes to promo. */
async function empty(tx: Tx, { currencies }: GrantDeps, grant: GrantRow): Promise<GrantRow> {
  const step = `${grant.status === 'COMPLETED' ? 'conversion' : 'end'}:${grant.entries + 1}`;
  return updateGrant(tx, grant, await book(tx, currencies, grant, { ...partsOf(grant), step }));
}

/** Marks late payouts as settled. The player keeps `kept` in total, starting with the earliest bets. */
async function settleLatePayouts(tx: Tx, { id }: GrantRow, { kept }: { kept: Units }): Promise<void> {
  const late = await latePayouts(tx, id);
  const lost = lostOf(
    late.map(({ paid }) => paid),
    kept,
  );
  for (const [i, { bet_id }] of late.entries()) await recordPassed(tx, bet_id, lost[i]!);
}

/** Takes back converted money from cash, then from the vault. A shortfall becomes a claim. Returns the changes to the grant's row. */
export async function reverseConversion(
  tx: Tx,
  { currencies }: Pick<GrantDeps, 'currencies'>,
  grant: GrantRow,
  amount: Units,
) {
  const { id, user_id: userId, currency_id: currencyId } = grant;
  const kind = 'promo.conversion.back';
  const entries = grant.entries + 1;
  const key = `promo:${id}:back:${entries}`;
  await takeBack(tx, { userId, currencyId, amount, key, to: 'promo', kind, entry: { key, kind } });
  await countGiven(tx, kind, { userId, currencyId, amount, usdAmount: currencies.toUsd(currencyId, amount) });
  return { converted: grant.converted - amount, entries };
}
