import { type AppError, commonErrors, type ErrorFactory } from '../../../platform/errors.ts';
import { formatUnits, MAX_UNITS, type Units } from '../../../platform/money.ts';
import { ledgerErrors } from './errors.ts';
import type { Kind } from './kinds.ts';

/** A player's accounts in one currency. Their balances cannot be negative. */
export const USER_ACCOUNTS = { cash: 1, vault: 2, bonus: 3, hold: 4 } as const;

/** The platform's accounts; each exists in every currency. They are never locked, because their balances are sums of postings. */
export const SYSTEM_ACCOUNTS = {
  house: 100,
  deposits: 101,
  fees: 102,
  promo: 103,
  rakeback: 104,
  affiliate: 105,
  prizes: 106,
  tips: 107,
  treasury: 108,
  adjustments: 109,
  claims: 110,
  suspense: 111,
} as const;

export type UserAccount = keyof typeof USER_ACCOUNTS;
export type Account = UserAccount | keyof typeof SYSTEM_ACCOUNTS;

const CODES: Readonly<Record<Account, number>> = { ...USER_ACCOUNTS, ...SYSTEM_ACCOUNTS };
const NAMES = new Map(Object.entries(CODES).map(([name, code]) => [code, name as Account]));

export const codeOf = (account: Account): number => CODES[account];
export const accountOf = (code: number): Account => NAMES.get(code)!;
export const isUserAccount = (account: Account): account is UserAccount => CODES[account] < 100;

/**
 * An amount that moves from one account to another, stored as a row of `ledger_lines`. `userId` is the owner of the user accounts; 0 is the
 * platform.
 */
export type Posting = {
  userId: number;
  currencyId: string;
  kind: Kind;
  debit: Account;
  credit: Account;
  amount: Units;
};

/** `heldFrom`: the intended account, if the amount exceeded its capacity and went to suspense. */
export type BookedPosting = Posting & {
  debitAfter: Units | null;
  creditAfter: Units | null;
  heldFrom?: UserAccount;
};

/** A player's balances in one currency, with the version at which they were read. */
export type Wallet = { userId: number; currencyId: string; version: bigint } & Record<UserAccount, Units>;

/**
 * Applies a posting to a wallet, which is changed in place. Returns the posting with the resulting balances. Returns undefined, and changes
 * nothing, if the balance of the debited account is less than the amount. An amount above the credited account's capacity (64 bits) goes to
 * suspense, so that a credit never fails and is never lost.
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

const SHORTAGES: Readonly<Record<UserAccount, ErrorFactory>> = {
  cash: commonErrors.INSUFFICIENT_BALANCE,
  vault: ledgerErrors.INSUFFICIENT_VAULT,
  bonus: ledgerErrors.INSUFFICIENT_BONUS,
  hold: ledgerErrors.INSUFFICIENT_HOLD,
};

/** Returns the error for a debit beyond the balance, with the available balance. */
export function insufficient(account: UserAccount, wallet: Wallet): AppError {
  return SHORTAGES[account]({ currencyId: wallet.currencyId, available: formatUnits(wallet[account]) });
}

/**
 * A posting with its id and its entry's id. Both ids are offsets from the first id of the reserved block. The offset is negative for an
 * entry of an earlier event.
 */
export type PlacedPosting = { posting: BookedPosting; id: number; entry: number | bigint };

/** The kind of finding for a credit that exceeded the capacity of a player's account. */
export const SUSPENSE = 'SUSPENSE';

/**
 * The number of ids reserved for each month, which is more than a month can use. The ids of the first 1,024 months (until 2105) are below
 * 2^53.
 */
const IDS_PER_MONTH = 2n ** 43n;

/** Returns the first id of a month. Months are counted from January 2020. */
export const firstIdOf = (month: number): bigint => BigInt(month) * IDS_PER_MONTH;

/**
 * Returns the month of an id. If the sequence was not advanced in time, an id may be used after the end of its month, but never before the
 * month begins.
 */
export const monthOfId = (id: bigint): number => Number(id / IDS_PER_MONTH);
