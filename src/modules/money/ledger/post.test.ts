import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { type Player, startApp } from '../../../../test/kit/app.ts';
import { fixture } from '../../../../test/kit/fixture.ts';
import { postingsOf } from '../../../../test/kit/money/postings.ts';
import { listPostings } from '../../../../test/kit/money/statement.ts';
import { transaction } from '../../../platform/database/db.ts';
import { ONE } from '../../../platform/money.ts';
import type { Kind } from './kinds.ts';
import { type Posted, post } from './post.ts';
import type { Posting, UserAccount } from './rules.ts';
import type { Entry } from './write.ts';

const app = fixture(() => startApp({ movesFreely: true }));

const key = () => `test:${randomUUID()}`;
const entryOf = (...postings: Posting[]): Entry => ({ key: key(), kind: 'test', postings });
const posting = (
  userId: number,
  debit: Posting['debit'],
  credit: Posting['credit'],
  amount: bigint,
): Posting => postingsOf(`${debit}-${credit}`)(userId, debit, credit, amount);
const postAll = (...entries: Entry[]): Promise<Posted[]> =>
  transaction(app.services.db, (tx) => post(tx, entries));
const walletsOf = ({ id }: Player) =>
  app.db
    .selectFrom('wallets')
    .select(['currency_id', 'cash', 'vault', 'bonus', 'hold', 'version'])
    .where('user_id', '=', id)
    .execute();
const wallet = (balances: Partial<Record<UserAccount, bigint>>, version: bigint, currency_id = 'USDT') => ({
  currency_id,
  cash: 0n,
  vault: 0n,
  bonus: 0n,
  hold: 0n,
  ...balances,
  version,
});
/** Returns all data that a rejected call must leave unchanged. */
const everything = async () => ({
  wallets: await app.db.selectFrom('wallets').selectAll().orderBy('user_id').execute(),
  postings: await app.db.selectFrom('ledger_lines').select('id').orderBy('id').execute(),
  entries: await app.db.selectFrom('ledger_entries').select('id').orderBy('id').execute(),
});

test('creates the wallet, and stores the balances in the postings of an entry', async () => {
  const player = await app.newPlayer();
  const entry = { ...entryOf(posting(player.id, 'deposits', 'cash', 5n * ONE)), actorId: 7, memo: 'by hand' };
  const [posted] = await postAll(entry);
  expect(posted).toMatchObject({
    replayed: false,
    postings: [{ ...entry.postings[0], debitAfter: null, creditAfter: 5n * ONE }],
  });
  expect(await walletsOf(player)).toEqual([wallet({ cash: 5n * ONE }, 1n)]);
  const head = await app.db
    .selectFrom('ledger_entries')
    .selectAll()
    .where('id', '=', posted!.entryId)
    .executeTakeFirst();
  expect(head).toMatchObject({ key: entry.key, kind: 'test', actor_id: 7, memo: 'by hand' });
  expect(head!.created_at).toEqual(posted!.at);
});

test('moves money between two players through a platform account in one entry', async () => {
  const [from, to] = [await app.newPlayer({ usdt: 10 }), await app.newPlayer({ usdt: 1 })];
  const [posted] = await postAll(
    entryOf(posting(from.id, 'cash', 'tips', 3n * ONE), posting(to.id, 'tips', 'cash', 3n * ONE)),
  );
  expect(posted!.postings.map((p) => [p.debitAfter, p.creditAfter])).toEqual([
    [7n * ONE, null],
    [null, 4n * ONE],
  ]);
  expect(await walletsOf(from)).toEqual([wallet({ cash: 7n * ONE }, 2n)]);
  expect(await walletsOf(to)).toEqual([wallet({ cash: 4n * ONE }, 2n)]);
});

test('books entries in the given order, so that a later entry can spend an earlier credit', async () => {
  const { id } = await app.newPlayer();
  const bring = entryOf(posting(id, 'promo', 'cash', 4n * ONE));
  const spend = entryOf(posting(id, 'cash', 'vault', 3n * ONE), posting(id, 'vault', 'hold', 1n * ONE));
  await expect(postAll(spend, bring)).rejects.toMatchObject({ code: 'INSUFFICIENT_BALANCE' });
  const [, second] = await postAll(bring, spend);
  expect(second!.postings.map((p) => [p.debitAfter, p.creditAfter])).toEqual([
    [1n * ONE, 3n * ONE],
    [2n * ONE, 1n * ONE],
  ]);
  const rows = await listPostings(app.services.db, { userId: id, take: 10 });
  expect(rows.map((r) => r.kind)).toEqual([
    'vault-hold',
    'vault-hold',
    'cash-vault',
    'cash-vault',
    'promo-cash',
  ]);
});

test('returns the stored entry for a repeated key and moves no money', async () => {
  const player = await app.newPlayer();
  const entry = entryOf(
    posting(player.id, 'promo', 'cash', 2n * ONE),
    posting(player.id, 'cash', 'vault', 1n),
  );
  const [first] = await postAll(entry);
  await postAll(entryOf(posting(player.id, 'promo', 'cash', 5n)));
  const before = await everything();
  const fresh = entryOf(posting(player.id, 'cash', 'fees', 6n));
  expect(await postAll({ ...entry, memo: 'other words' })).toEqual([{ ...first, replayed: true }]);
  expect(await everything()).toEqual(before);
  const both = await postAll(entry, fresh);
  expect(both.map((p) => p.replayed)).toEqual([true, false]);
  expect(both[0]).toEqual({ ...first, replayed: true });
  expect(both[1]!.postings[0]!.debitAfter).toBe(2n * ONE - 1n + 5n - 6n);
});

test('books a key only once when several processes receive it concurrently', async () => {
  const player = await app.newPlayer();
  const entry = entryOf(posting(player.id, 'promo', 'cash', ONE));
  const all = (await Promise.all(Array.from({ length: 32 }, () => postAll(entry)))).flat();
  expect(all.filter((p) => !p.replayed)).toHaveLength(1);
  expect(new Set(all.map((p) => p.entryId)).size).toBe(1);
  expect(await walletsOf(player)).toEqual([wallet({ cash: ONE }, 1n)]);
});

test('rejects a key that was already used for other postings with 409 ENTRY_KEY_REUSED', async () => {
  const [player, other] = [await app.newPlayer(), await app.newPlayer({ usdt: 1 })];
  const good = posting(player.id, 'promo', 'cash', 2n * ONE);
  const entry = entryOf(good);
  await postAll(entry);
  const before = await everything();
  const changed: Partial<Entry>[] = [
    { kind: 'other' },
    { postings: [{ ...good, amount: good.amount + 1n }] },
    { postings: [{ ...good, userId: other.id }] },
    { postings: [{ ...good, debit: 'prizes' }] },
    { postings: [{ ...good, credit: 'bonus' }] },
    { postings: [{ ...good, kind: 'x' as Kind }] },
    { postings: [good, good] },
  ];
  for (const change of changed) {
    const again = postAll({ ...entry, ...change });
    await expect(again).rejects.toMatchObject({
      status: 409,
      code: 'ENTRY_KEY_REUSED',
      details: { key: entry.key },
    });
  }
  const inEuro = postAll({ ...entry, postings: [{ ...good, currencyId: 'EUR' }] });
  await expect(inEuro).rejects.toMatchObject({ code: 'ENTRY_KEY_REUSED' });
  expect(await everything()).toEqual(before);
});

test.each([
  ['cash', 'INSUFFICIENT_BALANCE', 400],
  ['vault', 'INSUFFICIENT_VAULT', 400],
  ['bonus', 'INSUFFICIENT_BONUS', 400],
  ['hold', 'INSUFFICIENT_HOLD', 409],
] as const)(
  'rejects a debit that exceeds %s with the error %s and the exact available amount, and writes nothing',
  async (account, code, status) => {
    const { id } = await app.newPlayer();
    const has = 12_345_678n;
    await postAll(entryOf(posting(id, 'treasury', account, has)));
    const before = await everything();
    const [fine, tooMuch] = [posting(id, account, 'house', has), posting(id, account, 'house', has + 1n)];
    for (const postings of [
      [tooMuch],
      [fine, posting(id, account, 'fees', 1n)],
      [posting(id, 'house', account, 1n), { ...tooMuch, amount: has + 2n }],
    ]) {
      const available = postings.length === 1 ? '0.12345678' : postings[0] === fine ? '0' : '0.12345679';
      const details = { currencyId: 'USDT', available };
      await expect(postAll(entryOf(...postings))).rejects.toMatchObject({ status, code, details });
    }
    const elsewhere = postAll(entryOf({ ...fine, currencyId: 'BTC' }));
    await expect(elsewhere).rejects.toMatchObject({ code, details: { currencyId: 'BTC', available: '0' } });
    expect(await everything()).toEqual(before);
    await postAll(entryOf(fine));
  },
);

test('throws on programming errors before it writes anything', async () => {
  const { id } = await app.newPlayer({ usdt: 5 });
  const before = await everything();
  const entry = entryOf(posting(id, 'promo', 'cash', 1n));
  await expect(postAll(entry, entry)).rejects.toThrow('stands twice');
  for (const amount of [0n, -1n]) {
    await expect(postAll(entryOf(posting(id, 'promo', 'cash', amount)))).rejects.toThrow(RangeError);
  }
  await expect(postAll(entryOf(posting(0, 'cash', 'house', 1n)))).rejects.toThrow();
  await expect(postAll(entryOf(posting(0, 'house', 'cash', 1n)))).rejects.toThrow();
  await expect(postAll(entryOf(posting(id, 'cash', 'cash', 1n)))).rejects.toThrow('ledger_lines_sides');
  const nobody = postAll(entryOf(posting(2_000_000_000, 'promo', 'cash', 1n)));
  await expect(nobody).rejects.toMatchObject({ status: 404, code: 'PLAYER_NOT_FOUND' });
  expect(await everything()).toEqual(before);
});
