import { sql } from 'kysely';
import type { Tx } from '../../../platform/database/db.ts';
import type { Units } from '../../../platform/money.ts';
import { type Posted, post } from '../ledger/post.ts';
import type { SYSTEM_ACCOUNTS } from '../ledger/rules.ts';
import type { GivenKind } from './rules.ts';

/** A reward for a player: an amount in a currency, and the value of this amount in US dollars at the current rate. */
export type Given = { userId: number; currencyId: string; amount: Units; usdAmount: Units };

/**
 * `from`: the account to debit. `key` makes the reward idempotent. `actorId` and `memo`: the staff member who gives the reward, and the
 * reason.
 */
export type Reward = Given & {
  kind: GivenKind;
  from: keyof typeof SYSTEM_ACCOUNTS;
  key: string;
  actorId?: number;
  memo?: string;
  /** The same as `mustFit` of a ledger entry. */
  mustFit?: boolean;
};

/**
 * Pays a reward into cash with a separate ledger entry and adds it to the hourly totals. Locks the player. A repeated call with the same
 * key changes nothing (`replayed`). If the amount, currency or player differs, it throws 409 ENTRY_KEY_REUSED.
 */
export async function payReward(tx: Tx, reward: Reward): Promise<Posted> {
  const { userId, currencyId, amount, kind, from: debit, ...entry } = reward;
  const posting = { userId, currencyId, kind, debit, credit: 'cash', amount } as const;
  const [posted] = (await post(tx, [{ ...entry, kind, postings: [posting] }])) as [Posted];
  if (!posted.replayed) await countGiven(tx, kind, reward);
  return posted;
}

/** Adds a payment to the total of its kind in the current hour. Reports read these totals instead of the ledger. */
export async function countGiven(
  tx: Tx,
  kind: GivenKind,
  { userId, currencyId, amount, usdAmount }: Given,
): Promise<void> {
  await sql`
    insert into money_hours as h (hour, kind, user_id, currency_id, count, amount, usd_amount)
    values (date_trunc('hour', now(), 'UTC'), ${kind}, ${userId}, ${currencyId}, 1, ${amount}, ${usdAmount})
    on conflict (hour, kind, user_id, currency_id) do update
      set count = h.count + 1, amount = h.amount + excluded.amount, usd_amount = h.usd_amount + excluded.usd_amount`.execute(
    tx,
  );
}
