import type { Tx } from '../../platform/db.ts';
import type { Units } from '../../platform/money.ts';
import { balancesOf } from '../ledger/balances.ts';
import { type Posted, post } from '../ledger/post.ts';
import type { Line } from '../ledger/rules.ts';
import { warnOfDeposits } from '../limit-warnings/service.ts';
import { lockPlayers } from '../players/service.ts';
import type { SiteConfig } from '../site-config/service.ts';
import { depositedOf, recordPayment } from '../user-stats/payments.ts';
import { addClaim, recoverClaims } from './claims.ts';
import { addTurnover, removeTurnover } from './rollover.ts';

/** Money from outside; `key` makes it happen once, `at` is when it was completed. */
export type Credit = {
  userId: number;
  currencyId: string;
  amount: Units;
  usdAmount: Units;
  key: string;
  kind: 'deposit' | 'skins.deposit';
  at: Date;
};
/** `recovered` went on at once to what the player owed. */
export type Credited = { entryId: bigint; replayed: boolean; recovered: Units };
/** `taken` was still there, `claimed` is owed from now on. */
export type Reversed = { entryId: bigint; replayed: boolean; taken: Units; claimed: Units };

export type Credits = ReturnType<typeof createCredits>;

/** Money that comes in, whichever way, and what hangs on it: claims, turnover, statistics. */
export function createCredits({ siteConfig }: { siteConfig: SiteConfig }) {
  const turnoverOf = (usdAmount: Units): Units =>
    (usdAmount * BigInt(siteConfig.get('WITHDRAWALS').depositTurnoverPercent)) / 100n;
  return {
    /**
     * Credits cash; locks the player. The same key again changes nothing (`replayed`), with another amount, currency or player it
     * throws 409 ENTRY_KEY_REUSED.
     */
    async credit(tx: Tx, credit: Credit): Promise<Credited> {
      const { userId, currencyId, amount, usdAmount, key, kind, at } = credit;
      await lockPlayers(tx, [userId]);
      const line = { userId, currencyId, kind, debit: 'treasury', credit: 'cash', amount } as const;
      const { entryId, replayed } = (await post(tx, [{ key, kind, lines: [line] }]))[0] as Posted;
      if (replayed) return { entryId, replayed, recovered: 0n };
      const recovered = await recoverClaims(tx, { userId, currencyId, amount, key });
      const turnover = turnoverOf(usdAmount);
      await addTurnover(tx, { userId, usdAmount: turnover });
      await recordPayment(tx, { userId, kind: 'DEPOSIT', usdAmount, at });
      await warnOfDeposits(tx, userId, (now) => depositedOf(tx, userId, now));
      await tx
        .insertInto('payment_credits')
        .values({
          ...{ key, kind, user_id: userId, currency_id: currencyId, amount, usd_amount: usdAmount },
          ...{ turnover_usd: turnover, entry_id: entryId, credited_at: at },
        })
        .execute();
      return { entryId, replayed, recovered };
    },
    reverse,
  };
}

/**
 * Takes a credit back, once: from cash, then from the vault; what is no longer there becomes a claim. Locks the player. Throws
 * where nothing was credited under this key.
 */
async function reverse(tx: Tx, { key, at }: { key: string; at: Date }): Promise<Reversed> {
  const owner = await find(tx, key);
  await lockPlayers(tx, [owner.user_id]);
  const credit = await find(tx, key);
  if (credit.reversal_entry_id !== null)
    return { entryId: credit.reversal_entry_id, replayed: true, taken: 0n, claimed: 0n };
  const { user_id: userId, currency_id: currencyId, amount, usd_amount: usdAmount } = credit;
  const parts = await split(tx, { userId, currencyId, amount });
  const kind = `${credit.kind}.reversal`;
  const lines = (Object.keys(parts) as (keyof typeof parts)[])
    .filter((account) => parts[account] > 0n)
    .map((debit): Line => ({ userId, currencyId, kind, debit, credit: 'treasury', amount: parts[debit] }));
  const { entryId } = (await post(tx, [{ key: `${key}:reversal`, kind, lines }]))[0] as Posted;
  if (parts.claims > 0n) await addClaim(tx, { userId, currencyId, amount: parts.claims, key });
  await removeTurnover(tx, { userId, usdAmount: credit.turnover_usd });
  await recordPayment(tx, { userId, kind: 'DEPOSIT', usdAmount, at: credit.credited_at, sign: -1 });
  await tx
    .updateTable('payment_credits')
    .set({ reversal_entry_id: entryId, reversed_at: at })
    .where('key', '=', key)
    .execute();
  return { entryId, replayed: false, taken: parts.cash + parts.vault, claimed: parts.claims };
}

const find = (tx: Tx, key: string) =>
  tx.selectFrom('payment_credits').selectAll().where('key', '=', key).executeTakeFirstOrThrow();

type Sum = { userId: number; currencyId: string; amount: Units };

/** From which accounts an amount is taken: nothing of it goes below zero. */
async function split(tx: Tx, { userId, currencyId, amount }: Sum) {
  const wallet = (await balancesOf(tx, userId)).find((balance) => balance.currencyId === currencyId);
  const least = (a: Units, b: Units) => (a < b ? a : b);
  const cash = least(wallet?.cash ?? 0n, amount);
  const vault = least(wallet?.vault ?? 0n, amount - cash);
  return { cash, vault, claims: amount - cash - vault };
}
