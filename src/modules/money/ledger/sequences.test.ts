/** Compares the results of random sequences of movements with a trivially correct model. */

import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Player, startApp } from '../../../../test/kit/app.ts';
import { fixture } from '../../../../test/kit/fixture.ts';
import { transaction } from '../../../platform/database/db.ts';
import type { AppError } from '../../../platform/errors.ts';
import type { Kind } from './kinds.ts';
import { post } from './post.ts';
import {
  type Account,
  book,
  isUserAccount,
  type Posting,
  SYSTEM_ACCOUNTS,
  USER_ACCOUNTS,
  type UserAccount,
  type Wallet,
} from './rules.ts';
import type { Entry } from './write.ts';

const CURRENCIES = ['USDT', 'BTC'];
const PAYERS = Object.keys(USER_ACCOUNTS) as UserAccount[];
const ACCOUNTS = [...PAYERS, ...Object.keys(SYSTEM_ACCOUNTS)] as Account[];

type Step = Pick<Posting, 'currencyId' | 'debit' | 'credit' | 'amount'> & { player: number };
const step: fc.Arbitrary<Step> = fc
  .record({
    player: fc.nat(2),
    currencyId: fc.constantFrom(...CURRENCIES),
    // At least half of the movements debit `deposits` or `house`, so that players receive money that they can move.
    debit: fc.oneof(fc.constantFrom<Account>('deposits', 'house'), fc.constantFrom(...ACCOUNTS)),
    credit: fc.oneof(fc.constantFrom(...PAYERS), fc.constantFrom(...ACCOUNTS)),
    amount: fc.oneof(fc.bigInt(1n, 9n), fc.bigInt(1n, 10n ** 12n)),
  })
  .filter(({ debit, credit }) => debit !== credit);

/** Balances, keyed by "player currency account". Platform accounts have no player and may be negative. */
type Model = Map<string, bigint>;
const nameOf = ({ player, currencyId }: Step, account: Account) =>
  isUserAccount(account) ? `${player} ${currencyId} ${account}` : `- ${currencyId} ${account}`;

/** Moves the money if the paying account has enough. Returns true if the money was moved. */
function move(model: Model, s: Step): boolean {
  const [from, to] = [nameOf(s, s.debit), nameOf(s, s.credit)];
  const has = model.get(from) ?? 0n;
  if (isUserAccount(s.debit) && has < s.amount) return false;
  model.set(from, has - s.amount);
  model.set(to, (model.get(to) ?? 0n) + s.amount);
  return true;
}

function assertWhole(model: Model): void {
  for (const currencyId of CURRENCIES) {
    const all = [...model].filter(([name]) => name.includes(` ${currencyId} `));
    expect(all.reduce((sum, [, balance]) => sum + balance, 0n)).toBe(0n);
    expect(all.filter(([name, balance]) => !name.startsWith('-') && balance < 0n)).toEqual([]);
  }
}

const postingOf = ({ player: _, ...posting }: Step, userId: number): Posting => ({
  ...posting,
  userId,
  kind: 'test' as Kind,
});

describe('property sequences', () => {
  test('matches the model of book() exactly after 500 sequences of 200 movements', () => {
    fc.assert(
      fc.property(fc.array(step, { minLength: 200, maxLength: 200 }), (steps) => {
        const model: Model = new Map();
        const wallets = new Map<string, Wallet>();
        for (const s of steps) {
          const name = `${s.player} ${s.currencyId}`;
          const empty = { cash: 0n, vault: 0n, bonus: 0n, hold: 0n, version: 7n };
          const wallet = wallets.get(name) ?? { userId: s.player, currencyId: s.currencyId, ...empty };
          wallets.set(name, wallet);
          const before = { ...wallet };
          const booked = book(wallet, postingOf(s, s.player));
          expect(booked !== undefined).toBe(move(model, s));
          for (const account of PAYERS) expect(wallet[account]).toBe(model.get(nameOf(s, account)) ?? 0n);
          if (!booked) expect(wallet).toEqual(before);
          const left = (account: Account) => (isUserAccount(account) ? wallet[account] : null);
          if (booked)
            expect([booked.debitAfter, booked.creditAfter]).toEqual([left(s.debit), left(s.credit)]);
          expect(wallet.version).toBe(7n);
        }
        assertWhole(model);
      }),
      { seed: 27, numRuns: 500 },
    );
  });
});

describe('property sequences over PostgreSQL', () => {
  const app = fixture(() => startApp({ movesFreely: true }));

  /** A call to `post` whose entries have several postings. `again` may select an entry that was posted before. */
  type Call = { entries: Step[][]; again: number | undefined };
  const call: fc.Arbitrary<Call> = fc.record({
    entries: fc.array(fc.array(step, { minLength: 1, maxLength: 3 }), { minLength: 1, maxLength: 3 }),
    again: fc.option(fc.nat(30), { nil: undefined, freq: 2 }),
  });

  async function replayCalls(calls: readonly Call[]): Promise<void> {
    const players: Player[] = [];
    for (let i = 0; i < 3; i++) players.push(await app.newPlayer());
    let model: Model = new Map();
    const posted: Entry[] = [];
    for (const { entries, again } of calls) {
      const fresh = entries.map((steps) => ({
        key: randomUUID(),
        kind: 'test',
        postings: steps.map((s) => postingOf(s, players[s.player]!.id)),
      }));
      const old = again === undefined || posted.length === 0 ? [] : [posted[again % posted.length]!];
      const next: Model = new Map(model);
      const isGood = entries.flat().every((s) => move(next, s));
      const result = await transaction(app.services.db, (tx) => post(tx, [...old, ...fresh])).catch(
        (error: unknown) => error,
      );
      if (isGood) {
        expect(result).toMatchObject([...old.map(() => ({ replayed: true })), ...fresh.map(() => ({}))]);
        model = next;
        posted.push(...fresh);
      } else expect((result as AppError).code).toMatch(/^INSUFFICIENT_/);
      expect(await storedBalances(players)).toEqual(userPart(model));
    }
    assertWhole(model);
  }

  const userPart = (model: Model) =>
    Object.fromEntries([...model].filter(([name, balance]) => !name.startsWith('-') && balance !== 0n));

  async function storedBalances(players: readonly Player[]): Promise<Record<string, bigint>> {
    const ids = players.map((p) => p.id);
    const rows = await app.db.selectFrom('wallets').selectAll().where('user_id', 'in', ids).execute();
    const all = rows.flatMap((row) =>
      PAYERS.map(
        (account) => [`${ids.indexOf(row.user_id)} ${row.currency_id} ${account}`, row[account]] as const,
      ),
    );
    return Object.fromEntries(all.filter(([, balance]) => balance !== 0n));
  }

  test('post() applies each call completely or not at all, even when keys are repeated', async () => {
    const calls = fc.array(call, { minLength: 12, maxLength: 12 });
    await fc.assert(fc.asyncProperty(calls, replayCalls), { seed: 28, numRuns: 25, endOnFailure: true });
  });
});
