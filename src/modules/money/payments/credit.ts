import type { Tx } from '../../../platform/db.ts';
import type { Units } from '../../../platform/money.ts';
import { lockPlayers } from '../../base/players/service.ts';
import type { SiteConfig } from '../../base/site-config/service.ts';
import { type Reversed, recoverClaims, takeBack } from '../ledger/claims.ts';
import { type Posted, post } from '../ledger/post.ts';
import type { Rollover } from './rollover.ts';
import { depositedOf, recordPayment } from './stats.ts';

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

/** Tells a player who has used most of a deposit limit, in the transaction of a deposit. */
type WarnOfDeposits = (
  tx: Tx,
  userId: number,
  depositedOf: (at: Date) => Promise<Record<'DAY' | 'WEEK' | 'MONTH', Units>>,
) => Promise<void>;

export type Credits = ReturnType<typeof createCredits>;

/** Money that comes in, whichever way, and what hangs on it: claims, turnover, statistics. */
export function createCredits({
  siteConfig,
  rollover,
  warnOfDeposits,
}: {
  siteConfig: SiteConfig;
  rollover: Rollover;
  warnOfDeposits: WarnOfDeposits;
}) {
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
      const posting = { userId, currencyId, kind, debit: 'treasury', credit: 'cash', amount } as const;
      const { entryId, replayed } = (await post(tx, [{ key, kind, postings: [posting] }]))[0] as Posted;
      if (replayed) return { entryId, replayed, recovered: 0n };
      const recovered = await recoverClaims(tx, { userId, currencyId, amount, key });
      const turnover = turnoverOf(usdAmount);
      await rollover.add(tx, { userId, usdAmount: turnover });
      await recordPayment(tx, { userId, kind: 'DEPOSIT', usdAmount, at });
      await warnOfDeposits(tx, userId, (now) => depositedOf(tx, userId, now));
      await tx
        .insertInto('payment_credits')
        .values({
          key,
          kind,
          user_id: userId,
          currency_id: currencyId,
          amount,
          usd_amount: usdAmount,
          turnover_usd: turnover,
          entry_id: entryId,
          credited_at: at,
        })
        .execute();
      return { entryId, replayed, recovered };
    },
    /** Takes a credit back, once (`takeBack`). Locks the player. Throws where nothing was credited under this key. */
    async reverse(tx: Tx, { key, at }: { key: string; at: Date }): Promise<Reversed & { replayed: boolean }> {
      const owner = await find(tx, key);
      await lockPlayers(tx, [owner.user_id]);
      const credit = await find(tx, key);
      if (credit.reversal_entry_id !== null)
        return { entryId: credit.reversal_entry_id, replayed: true, taken: 0n, claimed: 0n };
      const { user_id: userId, currency_id: currencyId, amount, usd_amount: usdAmount } = credit;
      const kind = `${credit.kind as Credit['kind']}.reversal` as const;
      const entry = { key: `${key}:reversal`, kind };
      const reversed = await takeBack(tx, { userId, currencyId, amount, key, to: 'treasury', kind, entry });
      await rollover.remove(tx, { userId, usdAmount: credit.turnover_usd });
      await recordPayment(tx, { userId, kind: 'DEPOSIT', usdAmount, at: credit.credited_at, sign: -1 });
      await tx
        .updateTable('payment_credits')
        .set({ reversal_entry_id: reversed.entryId, reversed_at: at })
        .where('key', '=', key)
        .execute();
      return { ...reversed, replayed: false };
    },
  };
}

const find = (tx: Tx, key: string) =>
  tx.selectFrom('payment_credits').selectAll().where('key', '=', key).executeTakeFirstOrThrow();
