import { MAX_UNITS, type Units } from '../../../platform/money.ts';
import type { KINDS } from '../../base/declared.ts';
import { type Account, isUserAccount, type UserAccount } from './accounts.ts';

/** The purpose of a posting, declared by its module. */
export type Kind = keyof typeof KINDS;

/** Moves an amount from one account to another: a row of `ledger_lines`. User accounts belong to `userId`; 0 is the platform. */
export type Posting = {
  userId: number;
  currencyId: string;
  kind: Kind;
  debit: Account;
  credit: Account;
  amount: Units;
};

/** `heldFrom`: the intended account, if the amount did not fit and went to suspense. */
export type BookedPosting = Posting & {
  debitAfter: Units | null;
  creditAfter: Units | null;
  heldFrom?: UserAccount;
};

/** A player's balances in one currency, with the version at which they were read. */
export type Wallet = { userId: number; currencyId: string; version: bigint } & Record<UserAccount, Units>;

/**
 * Books a posting on a wallet, which it changes in place. Returns the posting with the balances after it. Returns undefined, and changes
 * nothing, if the debited account holds less than the amount. An amount above the credited account's capacity (64 bits) goes to suspense,
 * so that a credit never fails and is never lost.
 */
export function book(wallet: Wallet, posting: Posting): BookedPosting | undefined {
  if (posting.amount <= 0n) throw new RangeError(`a posting of ${posting.amount} in ${posting.kind}`);
  let debitAfter: Units | null = null;
  let creditAfter: Units | null = null;
  if (isUserAccount(posting.debit)) {
    if (wallet[posting.debit] < posting.amount) return undefined;
    debitAfter = wallet[posting.debit] -= posting.amount;
  }
  const { credit } = posting;
  if (isUserAccount(credit)) {
    if (wallet[credit] > MAX_UNITS - posting.amount)
      return { ...posting, credit: 'suspense', debitAfter, creditAfter, heldFrom: credit };
    creditAfter = wallet[credit] += posting.amount;
  }
  return { ...posting, debitAfter, creditAfter };
}

/**
 * A posting with its id and its entry's id, both as offsets from the reserved block. The entry of an earlier event has a negative offset.
 */
export type PlacedPosting = { posting: BookedPosting; id: number; entry: number | bigint };

/** The kind of finding for a credit that a player's account could not hold. */
export const SUSPENSE = 'SUSPENSE';
