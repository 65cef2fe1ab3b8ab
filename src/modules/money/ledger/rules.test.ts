import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Kind } from './kinds.ts';
import {
  type Account,
  book,
  insufficient,
  type Posting,
  SYSTEM_ACCOUNTS,
  USER_ACCOUNTS,
  type UserAccount,
  type Wallet,
} from './rules.ts';

const USER = Object.keys(USER_ACCOUNTS) as UserAccount[];
const SYSTEM = Object.keys(SYSTEM_ACCOUNTS) as Account[];
const wallet = (): Wallet => ({
  userId: 7,
  currencyId: 'BTC',
  version: 3n,
  cash: 100n,
  vault: 200n,
  bonus: 300n,
  hold: 400n,
});
const posting = (debit: Account, credit: Account, amount: bigint): Posting => ({
  userId: 7,
  currencyId: 'BTC',
  kind: 'test' as Kind,
  debit,
  credit,
  amount,
});

describe('book', () => {
  test.each(USER)('debits %s up to its balance, and changes nothing when the amount is higher', (debit) => {
    const before = wallet();
    const held = before[debit];
    const after = wallet();
    expect(book(after, posting(debit, 'house', held + 1n))).toBeUndefined();
    expect(after).toEqual(before);
    const paid = posting(debit, 'house', held);
    expect(book(after, paid)).toEqual({ ...paid, debitAfter: 0n, creditAfter: null });
    expect(after).toEqual({ ...before, [debit]: 0n });
  });

  test.each(USER)('credits %s from a platform account', (credit) => {
    const before = wallet();
    const after = wallet();
    const received = posting('house', credit, 1000n);
    const balance = before[credit] + 1000n;
    expect(book(after, received)).toEqual({ ...received, debitAfter: null, creditAfter: balance });
    expect(after).toEqual({ ...before, [credit]: balance });
  });

  test('changes no wallet when a posting is between platform accounts', () => {
    for (const debit of SYSTEM)
      for (const credit of SYSTEM) {
        const frozen = Object.freeze(wallet());
        const moved = posting(debit, credit, 10n ** 30n);
        expect(book(frozen, moved)).toEqual({ ...moved, debitAfter: null, creditAfter: null });
      }
  });

  test("preserves the player's total when money moves between their accounts", () => {
    const step = fc.tuple(fc.constantFrom(...USER), fc.constantFrom(...USER), fc.bigInt(1n, 500n));
    fc.assert(
      fc.property(fc.array(step, { maxLength: 20 }), (steps) => {
        const held = wallet();
        for (const [debit, credit, amount] of steps) {
          const enough = held[debit] >= amount;
          expect(book(held, posting(debit, credit, amount)) !== undefined).toBe(enough);
          expect(USER.reduce((sum, account) => sum + held[account], 0n)).toBe(1000n);
          for (const account of USER) expect(held[account]).toBeGreaterThanOrEqual(0n);
        }
      }),
      { seed: 7 },
    );
  });

  test.each([0n, -1n])('throws when the amount is %i', (amount) => {
    const held = wallet();
    expect(() => book(held, posting('cash', 'house', amount))).toThrow(
      new RangeError(`a posting of ${amount} in test`),
    );
    expect(held).toEqual(wallet());
  });
});

test.each([
  ['cash', 'INSUFFICIENT_BALANCE', '1'],
  ['vault', 'INSUFFICIENT_VAULT', '2'],
  ['bonus', 'INSUFFICIENT_BONUS', '3'],
  ['hold', 'INSUFFICIENT_HOLD', '4'],
] as const)('reports the available balance of %s with %s', (account, code, available) => {
  const balances = { cash: 100_000_000n, vault: 200_000_000n, bonus: 300_000_000n, hold: 400_000_000n };
  const error = insufficient(account, { userId: 1, currencyId: 'USDT', version: 1n, ...balances });
  expect(error).toMatchObject({ code, details: { currencyId: 'USDT', available } });
});
