import type { Units } from '../../../platform/money.ts';
import type { KINDS } from '../../base/declared.ts';
import { type Account, isUserAccount, type UserAccount } from './accounts.ts';

/** What a posting is for, as its module declares it. */
export type Kind = keyof typeof KINDS;

/** Moves one amount from one account to another: a row of `ledger_lines`. User accounts are those of `userId`; 0 is the platform itself. */
export type Posting = {
  userId: number;
  currencyId: string;
  kind: Kind;
  debit: Account;
  credit: Account;
  amount: Units;
};

export type BookedPosting = Posting & { debitAfter: Units | null; creditAfter: Units | null };

/** A player's balances in one currency, with the version they were read at. */
export type Wallet = { userId: number; currencyId: string; version: bigint } & Record<UserAccount, Units>;

/**
 * Books a posting on a wallet, which it changes in place. Returns the posting with the balances after it, or undefined when
 * the account that pays holds less than the amount (nothing is changed then).
 */
export function book(wallet: Wallet, posting: Posting): BookedPosting | undefined {
  if (posting.amount <= 0n) throw new RangeError(`a posting of ${posting.amount} in ${posting.kind}`);
  let debitAfter: Units | null = null;
  let creditAfter: Units | null = null;
  if (isUserAccount(posting.debit)) {
    if (wallet[posting.debit] < posting.amount) return undefined;
    debitAfter = wallet[posting.debit] -= posting.amount;
  }
  if (isUserAccount(posting.credit)) creditAfter = wallet[posting.credit] += posting.amount;
  return { ...posting, debitAfter, creditAfter };
}
