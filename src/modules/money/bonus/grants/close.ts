import { sql } from 'kysely';
import type { Tx } from '../../../../platform/database/db.ts';
import type { Units } from '../../../../platform/money.ts';
import type { Currencies } from '../../currencies/service.ts';
import { post } from '../../ledger/post.ts';
import type { Posting } from '../../ledger/rules.ts';
import { countGiven } from '../../rewards/pay.ts';
import { announce, emitStates, notifyOfGrant } from './announce.ts';
import { queueFreeRounds } from './free-rounds.ts';
import { beginPassing, type GrantRow, updateGrant } from './queries.ts';
import { convertible } from './rules.ts';

/** The final status of a grant and the reason, which staff see. */
export type Ending = { status: 'COMPLETED' | 'FORFEITED' | 'EXPIRED' | 'LOST' | 'CANCELLED'; reason: string };
export type Rates = Pick<Currencies, 'toUsd'>;

/**
 * Ends a grant. A completed grant's money is converted up to its cap; everything else goes back to promo. Later payouts of its open bets
 * are passed on. The player and the grant must be locked.
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

/** Returns the converted and the forfeited part of a grant's money. */
export function partsOf(grant: GrantRow): Parts {
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
export async function book(
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
