/**
 * Tests the hourly balance changes of accounts. Every posting must be counted exactly once, even after a late commit and at any slice
 * boundary.
 */

import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { sql } from 'kysely';
import { beforeEach, expect, test } from 'vitest';
import { startApp } from '../../../../test/kit/app.ts';
import { fixture } from '../../../../test/kit/fixture.ts';
import { isFull } from '../../../../test/kit/length.ts';
import { postingsOf } from '../../../../test/kit/money/postings.ts';
import { type Tx, transaction } from '../../../platform/database/db.ts';
import { startOf } from '../../operations/partitions/rules.ts';
import { accountTotals, createAccountHours } from './account-hours.ts';
import { checks } from './checks.ts';
import { post } from './post.ts';
import {
  type Account,
  accountOf,
  codeOf,
  monthOfId,
  type Posting,
  SYSTEM_ACCOUNTS,
  USER_ACCOUNTS,
} from './rules.ts';

// These tests write postings directly, some of them with a time in the past.
const app = fixture(() => startApp({ reconcileOnStop: false }));
const SMALL = { firstIds: 1024n };
const NEVER = new Date('2100-01-01T00:00:00Z');

const posting = postingsOf('test');
const move = (...postings: Posting[]) =>
  transaction(app.db, (tx) => post(tx, [{ key: `test:${randomUUID()}`, kind: 'test', postings }]));
const rollUp = (options = {}) => createAccountHours(app.db, options).rollUp();
const position = async () => {
  const { rows } = await sql<{ position: bigint; row: string }>`
    select position, xmin::text as row from cursors where name = 'account-hours'`.execute(app.db);
  return rows[0]!;
};
const flaws = async () =>
  (await sql.raw(checks.N10["an account's hourly totals are not the sums of its postings"]).execute(app.db))
    .rows;
/** Repeats the check, because another transaction on the same server may briefly delay the safe watermark. */
const rollUpTo = (id: bigint, options = {}) =>
  expect
    .poll(async () => {
      await rollUp(options);
      return (await position()).position >= id;
    })
    .toBe(true);

beforeEach(async () => {
  const { rows } = await sql<{ id: bigint }>`select coalesce(max(id), 0) as id from ledger_lines`.execute(
    app.db,
  );
  await rollUpTo(rows[0]!.id);
});

/**
 * Writes a posting between platform accounts with the given time. The transaction gets its transaction id before it reserves a ledger id.
 */
async function writeAt(
  tx: Tx,
  at: Date,
  [debit, credit]: [Account, Account],
  amount: bigint,
): Promise<bigint> {
  const { rows } = await sql<{ id: bigint }>`
    insert into ledger_lines (id, entry_id, amount, user_id, debit, credit, currency_id, kind, created_at)
    select nextval('ledger_ids'), 0, ${amount}, 0, ${codeOf(debit)}::int2, ${codeOf(credit)}::int2, 'BTC', 'test', ${at}
    from (select pg_current_xact_id() as xid offset 0) own where own.xid is not null
    returning id`.execute(tx);
  return rows[0]!.id;
}

/** Computes the expected hours from all postings with a simple loop. */
async function model(before: Date) {
  const lines = await app.db
    .selectFrom('ledger_lines')
    .selectAll()
    .where('created_at', '<', before)
    .execute();
  const totals = new Map<string, bigint>();
  const add = (key: string, change: bigint) => totals.set(key, (totals.get(key) ?? 0n) + change);
  for (const line of lines) {
    add(`${line.currency_id} ${accountOf(line.debit)}`, -line.amount);
    add(`${line.currency_id} ${accountOf(line.credit)}`, line.amount);
  }
  return new Map([...totals].filter(([, amount]) => amount !== 0n));
}

const totals = async (before: Date) =>
  new Map(
    (await accountTotals(app.db, before)).map((t) => [`${t.currencyId} ${t.account}`, t.amount] as const),
  );

const account = fc.constantFrom(
  ...(Object.keys({ ...USER_ACCOUNTS, ...SYSTEM_ACCOUNTS }) as Account[]).filter((name) => name !== 'hold'),
);
const aPosting = fc.record({
  sides: fc.tuple(account, account).filter(([debit, credit]) => debit !== credit),
  amount: fc.bigInt(1n, 10n ** 12n),
  hour: fc.nat(4),
});
const isOfPlatform = (name: Account) => codeOf(name) >= 100;

test('computes the exact balance of every account in every hour from random postings, in slices of any size', async () => {
  const { id } = await app.newPlayer({ usdt: 1000 });
  const property = fc.asyncProperty(
    fc.array(fc.oneof({ weight: 4, arbitrary: aPosting }, fc.constant(null)), {
      minLength: 5,
      maxLength: 25,
    }),
    async (steps) => {
      for (const step of steps) {
        if (!step) await rollUp(SMALL);
        else if (step.sides.every(isOfPlatform)) {
          const at = new Date(Date.UTC(2026, 0, 1, step.hour, 59));
          await transaction(app.db, (tx) => writeAt(tx, at, step.sides, step.amount));
        } else await move(posting(id, ...step.sides, step.amount % 7n) as Posting).catch(() => undefined);
      }
      expect(await flaws()).toEqual([]);
      for (let hour = 0; hour < 6; hour++) {
        const before = new Date(Date.UTC(2026, 0, 1, hour));
        expect(await totals(before)).toEqual(await model(before));
      }
      expect(await totals(NEVER)).toEqual(await model(NEVER));
    },
  );
  await fc.assert(property, { seed: 37, numRuns: isFull ? 30 : 15 });
  const { rows } = await sql<{ cash: bigint }>`
    select sum(cash)::int8 as cash from wallets where currency_id = 'USDT'`.execute(app.db);
  expect((await totals(NEVER)).get('USDT cash')).toBe(rows[0]!.cash);
});

test('waits for a posting that commits late and includes it', async () => {
  const at = new Date();
  const late = Promise.withResolvers<void>();
  const written = Promise.withResolvers<bigint>();
  const writing = transaction(app.db, async (tx) => {
    written.resolve(await writeAt(tx, at, ['house', 'prizes'], 7n));
    await late.promise;
  });
  const id = await written.promise;
  const { id: playerId } = await app.newPlayer({ usdt: 5 });
  await move(posting(playerId, 'cash', 'vault', 3n));
  await rollUp(SMALL);
  expect((await position()).position).toBeLessThan(id);
  expect(await totals(NEVER)).toEqual(await model(NEVER));
  late.resolve();
  await writing;
  expect(await totals(NEVER)).toEqual(await model(NEVER));
  await rollUpTo(id, SMALL);
  expect(await totals(NEVER)).toEqual(await model(NEVER));
  expect(await flaws()).toEqual([]);
});

test('writes nothing without postings, and skips the unused ids at the start of a new month', async () => {
  await rollUp();
  const idle = await position();
  await rollUp();
  expect(await position()).toEqual(idle);
  const { rows } = await sql<{ id: bigint }>`select last_value as id from ledger_ids`.execute(app.db);
  await app.services.partitions.ensure(startOf(monthOfId(rows[0]!.id) + 1));
  const [posted] = await move(posting(0, 'promo', 'prizes', 5n));
  // If empty ranges were not skipped, this would need millions of slices.
  await rollUpTo(posted!.entryId, SMALL);
  expect(await flaws()).toEqual([]);
});

test('continues where a stopped worker left off', async () => {
  await move(posting(0, 'promo', 'prizes', 5n));
  const before = await position();
  await createAccountHours(app.db).rollUp(AbortSignal.abort());
  expect(await position()).toEqual(before);
});
