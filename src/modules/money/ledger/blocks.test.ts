import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { PATIENCE, startApp } from '../../../../test/kit/app.ts';
import { fixture } from '../../../../test/kit/fixture.ts';
import { postingsOf } from '../../../../test/kit/money/postings.ts';
import { listPostings } from '../../../../test/kit/money/statement.ts';
import { transaction } from '../../../platform/database/db.ts';
import { ONE } from '../../../platform/money.ts';
import { type Posted, post } from './post.ts';
import { IDS_PER_BLOCK } from './queries.ts';
import type { Posting } from './rules.ts';
import type { Entry } from './write.ts';

const app = fixture(() => startApp({ env: { ...PATIENCE, DATABASE_POOL_SIZE: '32' } }));

const posting = postingsOf('test');
const entryOf = (...postings: Posting[]): Entry => ({ key: `test:${randomUUID()}`, kind: 'test', postings });
const postAll = (...entries: Entry[]): Promise<Posted[]> =>
  transaction(app.services.db, (tx) => post(tx, entries));
const idsOf = (posted: readonly Posted[]) => posted.map((p) => p.entryId);

test('reserves several blocks of ids for many entries, uses no id twice, and returns all entries on a repeat', async () => {
  const { id } = await app.newPlayer({ usdt: 1 });
  const entries = Array.from({ length: 700 }, (_, i) => entryOf(posting(id, 'promo', 'cash', BigInt(i + 1))));
  const posted = await postAll(...entries);
  expect(posted.every((p) => !p.replayed)).toBe(true);
  const rows = await listPostings(app.services.db, { userId: id, take: 1000 });
  expect(rows).toHaveLength(701);
  expect(rows.slice(0, 700).map((r) => r.entryId)).toEqual(idsOf(posted).toReversed());
  const all = [...idsOf(posted), ...rows.map((r) => r.id)];
  expect(new Set(all).size).toBe(1401);
  expect(rows[0]!.balanceAfter).toBe(ONE + (700n * 701n) / 2n);
  expect(await postAll(...entries)).toEqual(posted.map((p) => ({ ...p, replayed: true })));
});

test('stores an entry in one block of ids, and rejects an entry that is larger than a block', async () => {
  const { id } = await app.newPlayer();
  const postingsOf = (n: number) => Array.from({ length: n }, () => posting(id, 'promo', 'cash', 1n));
  const apart = async (postings: number): Promise<bigint> => {
    const [small, large] = await postAll(entryOf(...postingsOf(1)), entryOf(...postingsOf(postings)));
    return large!.entryId - small!.entryId;
  };
  expect(await apart(IDS_PER_BLOCK - 3)).toBe(2n);
  expect(await apart(IDS_PER_BLOCK - 2)).toBe(BigInt(IDS_PER_BLOCK));
  expect(await apart(IDS_PER_BLOCK - 1)).toBe(BigInt(IDS_PER_BLOCK));
  await expect(apart(IDS_PER_BLOCK)).rejects.toThrow(RangeError);
  const [last] = await listPostings(app.services.db, { userId: id, take: 1 });
  expect(last!.balanceAfter).toBe(3n + 3n * BigInt(IDS_PER_BLOCK) - 6n);
});

test('balances entries between platform accounts without a player or a wallet', async () => {
  const { id } = await app.newPlayer();
  const [first, second] = await postAll(
    entryOf(posting(0, 'house', 'treasury', 5n * ONE), posting(0, 'treasury', 'prizes', 2n * ONE)),
    entryOf(posting(id, 'house', 'rakeback', ONE)),
  );
  const afters = [first!, second!].flatMap((p) => p.postings.map((p) => [p.debitAfter, p.creditAfter]));
  expect(afters).toEqual(Array.from({ length: 3 }, () => [null, null]));
  const { rows } = await sql<{ account: number; sum: string }>`
    select account, sum(amount)::text from ledger_postings where entry_id in (${sql.join(idsOf([first!, second!]))})
    group by 1 order by 1`.execute(app.db);
  expect(rows).toEqual([
    { account: 100, sum: '-600000000' },
    { account: 104, sum: '100000000' },
    { account: 106, sum: '200000000' },
    { account: 108, sum: '300000000' },
  ]);
  const wallets = await app.db
    .selectFrom('wallets')
    .select('user_id')
    .where('user_id', 'in', [0, id])
    .execute();
  expect(wallets.filter((w) => w.user_id === 0)).toEqual([]);
  expect(await listPostings(app.services.db, { userId: id, take: 10 })).toEqual([]);
});

test("assigns increasing ids to one player's concurrent events", async () => {
  const { id } = await app.newPlayer({ usdt: 1000 });
  const others = await Promise.all(Array.from({ length: 3 }, () => app.newPlayer({ usdt: 10 })));
  await Promise.all(
    Array.from({ length: 120 }, async (_, i) => {
      await sleep(Math.random() * 60);
      const other = others[i % 3]!.id;
      await postAll(
        entryOf(posting(id, 'cash', 'vault', 2n), posting(other, 'cash', 'tips', 1n)),
        entryOf(posting(id, 'vault', 'cash', 1n)),
      );
    }),
  );
  const rows = await listPostings(app.services.db, { userId: id, take: 1000 });
  for (const account of ['cash', 'vault'] as const) {
    let balance = 0n;
    for (const row of rows.filter((r) => r.account === account).toReversed()) {
      balance += row.change;
      expect(row.balanceAfter).toBe(balance);
    }
  }
  expect(rows).toHaveLength(1 + 120 * 4);
});
