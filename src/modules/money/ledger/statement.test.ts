import { randomUUID } from 'node:crypto';
import { beforeAll, expect, test } from 'vitest';
import { startApp } from '../../../../test/kit/app.ts';
import { fixture } from '../../../../test/kit/fixture.ts';
import { listPostings, type StatementQuery } from '../../../../test/kit/money/statement.ts';
import { transaction } from '../../../platform/database/db.ts';
import { formatUnits, units } from '../../../platform/money.ts';
import type { Kind } from './kinds.ts';
import { post } from './post.ts';
import type { Posting } from './rules.ts';
import type { Entry } from './write.ts';

let entryIds: bigint[];

const app = fixture(() => startApp({ movesFreely: true }));
const player = fixture(() => app.newPlayer());
beforeAll(async () => {
  const other = await app.newPlayer();
  entryIds = [];
  for (const entry of HISTORY.map((postings) => entryOf(player.id, postings))) {
    entryIds.push(await postOne(entry));
    // Inserts another player's postings between those of the player.
    await postOne(entryOf(other.id, [['deposit', 'deposits', 'cash', '7', 'USDT']]));
  }
});

type Sketch = [
  kind: string,
  debit: Posting['debit'],
  credit: Posting['credit'],
  amount: string,
  currencyId: string,
];

const HISTORY: Sketch[][] = [
  [['deposit', 'deposits', 'cash', '100', 'USDT']],
  [['vault.to', 'cash', 'vault', '30.5', 'USDT']],
  [['deposit', 'deposits', 'cash', '0.25', 'BTC']],
  [['rakeback.accrued', 'house', 'rakeback', '1.5', 'USDT']],
  [
    ['test.hold', 'cash', 'hold', '40', 'USDT'],
    ['test.fee', 'cash', 'fees', '0.5', 'USDT'],
  ],
  [['vault.from', 'vault', 'cash', '10', 'USDT']],
  [['test.grant', 'promo', 'bonus', '5', 'USDT']],
];

const entryOf = (userId: number, postings: Sketch[]): Entry => ({
  key: `test:${randomUUID()}`,
  kind: postings[0]![0],
  postings: postings.map(([kind, debit, credit, amount, currencyId]) => ({
    userId,
    currencyId,
    kind: kind as Kind,
    debit,
    credit,
    amount: units(amount),
  })),
});

async function postOne(entry: Entry): Promise<bigint> {
  const [posted] = await transaction(app.services.db, (tx) => post(tx, [entry]));
  return posted!.entryId;
}

const ALL = [
  'test.grant USDT bonus 5 → 5',
  'vault.from USDT cash 10 → 39',
  'vault.from USDT vault -10 → 20.5',
  'test.fee USDT cash -0.5 → 29',
  'test.hold USDT hold 40 → 40',
  'test.hold USDT cash -40 → 29.5',
  'deposit BTC cash 0.25 → 0.25',
  'vault.to USDT vault 30.5 → 30.5',
  'vault.to USDT cash -30.5 → 69.5',
  'deposit USDT cash 100 → 100',
];

const read = (query: Partial<StatementQuery> = {}) =>
  listPostings(app.services.db, { userId: player.id, take: 100, ...query });
const shown = async (query: Partial<StatementQuery> = {}) =>
  (await read(query)).map(
    (row) =>
      `${row.kind} ${row.currencyId} ${row.account} ${formatUnits(row.change)} → ${formatUnits(row.balanceAfter)}`,
  );

test('returns every change of every account, newest first, and the credit of a transfer before its debit', async () => {
  expect(await shown()).toEqual(ALL);
});

test('returns rows with their entry and time, and integers as bigint', async () => {
  const rows = await read();
  const [bonus, , , fee, hold] = rows;
  expect(bonus!.entryId).toBe(entryIds[6]);
  expect([fee!.entryId, hold!.entryId]).toEqual([entryIds[4], entryIds[4]]);
  expect(fee!.id).toBeGreaterThan(hold!.id);
  expect(bonus!.at.getTime()).toBeGreaterThanOrEqual(rows.at(-1)!.at.getTime());
  expect(Date.now() - bonus!.at.getTime()).toBeLessThan(60_000);
});

test('filters by account, by currency and by both', async () => {
  expect(await shown({ account: 'vault' })).toEqual([ALL[2], ALL[7]]);
  expect(await shown({ currencyId: 'BTC' })).toEqual([ALL[6]]);
  expect(await shown({ account: 'cash', currencyId: 'USDT' })).toEqual([
    ALL[1],
    ALL[3],
    ALL[5],
    ALL[8],
    ALL[9],
  ]);
  expect(await shown({ account: 'hold', currencyId: 'BTC' })).toEqual([]);
  expect(await shown({ userId: 2_000_000_000 })).toEqual([]);
});

test('returns every row exactly once in pages of any size, without splitting a transfer across pages', async () => {
  for (const filter of [{}, { account: 'cash' }, { currencyId: 'USDT' }] as const) {
    const whole = await read(filter);
    for (const take of [1, 2, 3, 7, 50]) {
      const pages = [];
      let beforeId: bigint | undefined;
      for (;;) {
        const page = await read({ ...filter, take, beforeId });
        if (page.length === 0) break;
        expect(new Set(page.map((row) => row.id)).size).toBeLessThanOrEqual(take);
        pages.push(...page);
        beforeId = page.at(-1)!.id;
      }
      expect(pages).toEqual(whole);
    }
  }
});

test('returns the same page while new postings arrive', async () => {
  const [first] = await read({ take: 1 });
  const rest = await read({ beforeId: first!.id });
  await postOne(entryOf(player.id, [['deposit', 'deposits', 'cash', '1', 'USDT']]));
  expect(await read({ beforeId: first!.id })).toEqual(rest);
});
