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
