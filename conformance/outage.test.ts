/** Cases 67 and 68: the database connection breaks during COMMIT, or the database does not respond. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { startApp, type TestApp } from '../test/kit/app.ts';
import { addSupplierGames, lineTo, SUPPLIERS, startSuppliers } from '../test/kit/games/suppliers.ts';
import { type FaultProxy, startFaultProxy } from '../test/kit/processes/fault-proxy.ts';
import type { Dialect } from './dialect.ts';
import { read } from './script.ts';
import { createTable } from './table.ts';

let app: TestApp;
/** Another process of the same platform, whose database connections the test can break. */
let frail: TestApp;
let proxy: FaultProxy;
let suppliers: Awaited<ReturnType<typeof startSuppliers>>;
let breaks: 'before' | 'after' | undefined;
let broken = 0;

beforeAll(async () => {
  suppliers = await startSuppliers();
  app = await startApp({ env: suppliers.env });
  await addSupplierGames(app);
  const { searchParams } = new URL(app.database.url.replace('@/', '@socket/'));
  let isBooking = false;
  proxy = await startFaultProxy({
    target: { path: `${searchParams.get('host')}/.s.PGSQL.${searchParams.get('port')}` },
    watch(chunk, direction) {
      if (!breaks) return true;
      const books = direction === 'request' && chunk.includes('provider.insert-transactions');
      if (books) isBooking = true;
      const isCommitted = isBooking && direction === 'reply' && chunk.includes('COMMIT\0');
      if (breaks === 'before' ? !books : !isCommitted) return true;
      isBooking = false;
      breakDown();
      return false;
    },
  });
  frail = await startApp({
    database: app.database,
    databaseUrl: `postgres://croupier@127.0.0.1:${proxy.port}/${app.database.name}`,
    env: { ...suppliers.env, PROVIDER_CALL_DEADLINE_MS: '800' },
  });
});
afterEach(() => {
  breaks = undefined;
  proxy.mode('pass');
});
// The ledger must balance at the end: reconcile runs when the app stops.
afterAll(async () => {
  await frail.stop();
  await app.stop();
  await proxy.stop();
  await suppliers.close();
});

/** Breaks all connections once. Later connections work. */
function breakDown(): void {
  breaks = undefined;
  broken++;
  setImmediate(() => {
    proxy.mode('reset');
    proxy.mode('pass');
  });
}

const tableOf = (dialect: Dialect) => createTable(lineTo(frail, dialect, app));

describe.each(SUPPLIERS)('$name', (dialect) => {
  test.each(['before', 'after'] as const)(
    'case 67: books a repeated bet and win once when the connection breaks %s COMMIT',
    async (moment) => {
      const table = tableOf(dialect);
      for (const [step, balance] of [
        ['b1 10', '90'],
        ['w1 25!', '115'],
      ] as const) {
        const { message } = await read(table, step);
        const before = broken;
        breaks = moment;
        const first = await table.say(message, { once: true });
        expect(broken).toBe(before + 1);
        expect([dialect.codes.RETRY, dialect.codes.OK]).toContain(first.code);
        expect((await table.say(message)).code).toBe(dialect.codes.OK);
        await table.assertCash(balance);
      }
      expect(
        await app.db
          .selectFrom('bets')
          .select(['status', 'amount', 'payout'])
          .where('user_id', '=', Number((await table.guest()).handle))
          .execute(),
      ).toEqual([{ status: 'SETTLED', amount: 1_000_000_000n, payout: 2_500_000_000n }]);
    },
  );

  test('case 68: returns a retryable error when the database does not respond, and books the bet once when it is repeated', async () => {
    const table = tableOf(dialect);
    const { message } = await read(table, 'b1 10');
    proxy.mode('black-hole');
    expect((await table.say(message, { once: true })).code).toBe(dialect.codes.RETRY);
    proxy.mode('reset');
    proxy.mode('pass');
    expect((await table.say(message)).code).toBe(dialect.codes.OK);
    await table.assertCash('90');
  });
});
