import type { Units } from '../../../platform/money.ts';
import { type Account, isUserAccount, type UserAccount } from './accounts.ts';

/** Moves one amount from one account to another. User accounts are those of `userId`; 0 is the platform itself. */
export type Line = {
  userId: number;
  currencyId: string;
  kind: string;
  debit: Account;
  credit: Account;
  amount: Units;
};

export type BookedLine = Line & { debitAfter: Units | null; creditAfter: Units | null };

/** A player's balances in one currency, with the version they were read at. */
export type Wallet = { userId: number; currencyId: string; version: bigint } & Record<UserAccount, Units>;

/**
 * Books a line on a wallet, which it changes in place. Returns the line with the balances after it, or undefined when
 * the account that pays holds less than the amount (nothing is changed then).
 */
export function book(wallet: Wallet, line: Line): BookedLine | undefined {
  if (line.amount <= 0n) throw new RangeError(`a line of ${line.amount} in ${line.kind}`);
  let debitAfter: Units | null = null;
  let creditAfter: Units | null = null;
  if (isUserAccount(line.debit)) {
    if (wallet[line.debit] < line.amount) return undefined;
    debitAfter = wallet[line.debit] -= line.amount;
  }
  if (isUserAccount(line.credit)) creditAfter = wallet[line.credit] += line.amount;
  return { ...line, debitAfter, creditAfter };
}
