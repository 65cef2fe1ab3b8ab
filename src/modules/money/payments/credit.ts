import type { Tx } from '../../../platform/database/db.ts';
import type { Units } from '../../../platform/money.ts';
import { lockPlayers } from '../../base/players/service.ts';
import type { SiteConfig } from '../../base/site-config/service.ts';
import { type Reversed, takeBack } from '../ledger/claims.ts';
import { type Posted, post } from '../ledger/post.ts';
import type { Rollover } from './rollover/service.ts';
import { depositedOf, recordPayment, takeBackPayment } from './stats.ts';

/** A credit of money from outside the platform. `key` makes it idempotent; `at` is the time of completion. */
type Credit = {
  userId: number;
  currencyId: string;
  amount: Units;
  usdAmount: Units;
  key: string;
  kind: 'deposit' | 'skins.deposit';
  at: Date;
};
/**
 * `recovered`: the part that paid the player's claims. `bonus`: the amount of a bonus that was waiting for a deposit. `affiliateUsd`: the
 * referrer's commission.
 */
export type Credited = {
  entryId: bigint;
  replayed: boolean;
  recovered: Units;
  bonus?: Units | undefined;
  affiliateUsd: Units;
};

/** Notifies a player who has used most of a deposit limit. Runs in the transaction that credits a deposit. */
type WarnOfDeposits = (
  tx: Tx,
  userId: number,
  depositedOf: (at: Date) => Promise<Record<'DAY' | 'WEEK' | 'MONTH', Units>>,
) => Promise<void>;

/**
 * Starts a bonus that waits for a deposit and returns the bonus amount. Cancels the bonus when the deposit is reversed. Both run in the
 * caller's transaction.
 */
type BonusesOnDeposits = {
  onDeposit: (
    tx: Tx,
    deposit: Pick<Credit, 'userId' | 'currencyId' | 'amount' | 'key'>,
  ) => Promise<Units | undefined>;
  onDepositReversed: (tx: Tx, key: string) => Promise<void>;
};

type Paid = { userId: number; usdAmount: Units; at: Date };

/** Updates the referrer's commission in the transaction that completes a payment. No player may be locked after this call. */
export type Referred = {
  /** Returns the commission in US dollars. */
  deposited: (tx: Tx, deposit: Paid) => Promise<Units>;
  depositReversed: (tx: Tx, deposit: Paid & { earnedUsd: Units }) => Promise<void>;
  withdrawn: (tx: Tx, withdrawal: Paid) => Promise<void>;
};

export type Credits = ReturnType<typeof createCredits>;
export type CreditDeps = {
  siteConfig: SiteConfig;
  rollover: Rollover;
  warnOfDeposits: WarnOfDeposits;
  grants: BonusesOnDeposits;
  /** Queues a task that checks whether a player gets a welcome promotion. */
  queueWelcomeBonus: (tx: Tx, userId: number) => Promise<void>;
  referred: Referred;
};

/** Creates the functions that credit deposits of every kind and apply the effects on claims, turnover and statistics. */
export const createCredits = (deps: CreditDeps) => ({
  /**
   * Credits cash. Locks the player. A call with a key that was used before changes nothing (`replayed`). Throws 409 ENTRY_KEY_REUSED if its
   * amount, currency or player differs.
   */
  credit: (tx: Tx, order: Credit): Promise<Credited> => credit(tx, deps, order),

  /** Reverses a credit once. Locks the player. Throws if nothing was credited under this key. */
  reverse: (tx: Tx, { key, at }: { key: string; at: Date }): Promise<Reversed & { replayed: boolean }> =>
    reverse(tx, deps, key, at),
});

async function credit(
  tx: Tx,
  { siteConfig, rollover, warnOfDeposits, grants, queueWelcomeBonus, referred }: CreditDeps,
  { userId, currencyId, amount, usdAmount, key, kind, at }: Credit,
): Promise<Credited> {
  await lockPlayers(tx, [userId]);
  const posting = { userId, currencyId, kind, debit: 'treasury', credit: 'cash', amount } as const;
  const { entryId, replayed, recovered } = (
    await post(tx, [{ key, kind, postings: [posting] }])
  )[0] as Posted;
  if (replayed) return { entryId, replayed, recovered: 0n, affiliateUsd: 0n };
  const { depositTurnoverPercent } = siteConfig.get('WITHDRAWALS');
  const turnover = (usdAmount * BigInt(depositTurnoverPercent)) / 100n;
  await rollover.add(tx, { userId, usdAmount: turnover, ofDeposit: true });
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
  const bonus = await grants.onDeposit(tx, { userId, currencyId, amount, key });
  if (await isFirst(tx, userId)) await queueWelcomeBonus(tx, userId);
  const affiliateUsd = await commissionOn(tx, referred, { key, userId, usdAmount, at });
  return { entryId, replayed, recovered, bonus, affiliateUsd };
}

/** Returns true if the player has exactly one deposit that was not reversed. */
async function isFirst(tx: Tx, userId: number): Promise<boolean> {
  const rows = await tx
    .selectFrom('payment_credits')
    .select('credited_at')
    .where('user_id', '=', userId)
    .where('reversal_entry_id', 'is', null)
    .limit(2)
    .execute();
  return rows.length === 1;
}

/** Called last, because it locks totals that many players share. */
async function commissionOn(tx: Tx, referred: Referred, { key, ...paid }: Paid & { key: string }) {
  const affiliateUsd = await referred.deposited(tx, paid);
  if (affiliateUsd > 0n)
    await tx
      .updateTable('payment_credits')
      .set({ affiliate_usd: affiliateUsd })
      .where('key', '=', key)
      .execute();
  return affiliateUsd;
}

async function reverse(tx: Tx, { rollover, grants, referred }: CreditDeps, key: string, at: Date) {
  const owner = await find(tx, key);
  await lockPlayers(tx, [owner.user_id]);
  const credited = await find(tx, key);
  if (credited.reversal_entry_id !== null)
    return { entryId: credited.reversal_entry_id, replayed: true, taken: 0n, claimed: 0n };
  const { user_id: userId, currency_id: currencyId, amount, usd_amount: usdAmount } = credited;
  const kind = `${credited.kind as Credit['kind']}.reversal` as const;
  const entry = { key: `${key}:reversal`, kind };
  const reversed = await takeBack(tx, { userId, currencyId, amount, key, to: 'treasury', kind, entry });
  await rollover.remove(tx, { userId, usdAmount: credited.turnover_usd, ofDeposit: true });
  const paid = { userId, usdAmount, at: credited.credited_at };
  await takeBackPayment(tx, { ...paid, kind: 'DEPOSIT' });
  await grants.onDepositReversed(tx, key);
  await tx
    .updateTable('payment_credits')
    .set({ reversal_entry_id: reversed.entryId, reversed_at: at })
    .where('key', '=', key)
    .execute();
  await referred.depositReversed(tx, { ...paid, earnedUsd: credited.affiliate_usd });
  return { ...reversed, replayed: false };
}

const find = (tx: Tx, key: string) =>
  tx.selectFrom('payment_credits').selectAll().where('key', '=', key).executeTakeFirstOrThrow();
