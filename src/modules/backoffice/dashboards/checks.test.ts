/** Changes dashboard sums directly in the database, and expects that the dashboard checks report the changed row. */
import { sql } from 'kysely';
import { beforeAll, expect, test } from 'vitest';
import { startApp } from '../../../../test/kit/app.ts';
import { FEES_ENV, makeMonths } from '../../../../test/kit/backoffice/dashboard-world.ts';
import { fixture } from '../../../../test/kit/fixture.ts';
import { until } from '../../../../test/kit/until.ts';
import { reconcile } from '../../../app/commands/reconcile.ts';
import { type Tx, transaction } from '../../../platform/database/db.ts';
import { liabilities } from '../../engagement/liabilities/module.ts';
import { checks as statsChecks } from '../../engagement/user-stats/checks.ts';
import { createAccountHours } from '../../money/ledger/account-hours.ts';
import { checks as ledgerChecks } from '../../money/ledger/checks.ts';
import { checks as paymentChecks } from '../../money/payments/checks.ts';
import { checks } from './checks.ts';
import { packDays } from './packed/queries.ts';

// The bets in this test have no postings, so the ledger does not balance.
const app = fixture(() => startApp({ env: FEES_ENV, reconcileOnStop: false }));
beforeAll(async () => {
  await makeMonths(app, { users: 12, bets: 80, payments: 30, seed: 7 });
  await until(async () => {
    await createAccountHours(app.db).rollUp();
    const { rows } = await sql<{ left: string }>`
        select (select max(id) from ledger_lines) - position as left from cursors where name = 'account-hours'`.execute(
      app.db,
    );
    return Number(rows[0]!.left) <= 0;
  });
  await packDays(app.db);
});

const CHECKS: Readonly<Record<string, string>> = {
  ...ledgerChecks.N10,
  ...paymentChecks.N10,
  ...statsChecks.N10,
  ...liabilities.checks?.N10,
  ...checks.N8,
};
type Found = Record<string, Record<string, unknown>[]>;

async function found(db: Tx | typeof app.db): Promise<Found> {
  const all: Found = {};
  for (const [problem, query] of Object.entries(CHECKS)) {
    const { rows } = await sql.raw<Record<string, unknown>>(query).execute(db);
    if (rows.length > 0) all[problem] = rows;
  }
  return all;
}

test('finds no problems in data that the platform has written', async () => {
  expect(await found(app.db)).toEqual({});
});

const IN_ORDER = 'the change is taken back';

/** Makes a change with triggers disabled, returns the findings of the checks and rolls the change back. */
async function foundAfter(change: string): Promise<Found> {
  let all: Found = {};
  const changed = transaction(app.db, async (tx) => {
    await sql`set local session_replication_role = replica`.execute(tx);
    const { numAffectedRows } = await sql.raw(change).execute(tx);
    expect(numAffectedRows, change).toBe(1n);
    all = await found(tx);
    throw new Error(IN_ORDER);
  });
  await expect(changed).rejects.toThrow(IN_ORDER);
  return all;
}

/** Returns a condition that selects the same single row of a table in every run. */
const one = (table: string, where = 'true') =>
  `ctid = (select ctid from ${table} where ${where} order by ${table}::text limit 1)`;

const HOUR_OF_GAME = "a game's hourly totals are not the sums of its players' hourly totals";
const HOUR_OF_PROVIDER = "a provider's hourly totals are not the sums of its games' hourly totals";
const DAY_OF_GAME = "a game's daily totals are not the sums of its hourly totals";
const HOUR_OF_PAYMENTS = 'hourly payment totals are not the sums of payments';
const DAY_OF_PAYMENTS = 'daily payment totals are not the sums of hourly payment totals';
const FIRST = "a stored first deposit is not the player's first deposit";
const HOUR_OF_ACCOUNT = "an account's hourly totals are not the sums of its postings";
const DAY_OF_ACCOUNT = "an account's daily totals are not the sums of its hourly totals";
const OWED = 'liabilities are stored for a day that was not counted';
const GIVEN = 'daily reward totals are not the sums of hourly reward totals';
const DAY_OF_FIRST = 'daily first deposits are not the sums of hourly first deposits';
const FIRST_HOURS = "hourly first deposits do not match the players' first deposits";
const SIGN_UPS = 'hourly sign-ups do not match the users of that hour';
const PACKED_PLAY = 'a packed day of play does not match its hours';
const PACKED_DEPOSITS = 'a packed day of deposits does not match its hours';
const SIGN_UP = "a packed sign-up does not match the player's sign-up";

/** A table, a change to one of its rows, the checks that must find the change, and the column in which they report the row. */
const CASES: readonly (readonly [string, string, readonly string[], string])[] = [
  [
    'game_hours',
    'update game_hours set bets = bets + 1 where $one',
    [HOUR_OF_GAME, DAY_OF_GAME, HOUR_OF_PROVIDER],
    'hour',
  ],
  [
    'game_hours',
    'update game_hours set own_staked_usd = own_staked_usd + 1 where $one',
    [HOUR_OF_GAME, DAY_OF_GAME, HOUR_OF_PROVIDER],
    'hour',
  ],
  [
    'game_hours',
    'update game_hours set own_paid_usd = own_paid_usd - 1 where $one',
    [HOUR_OF_GAME, DAY_OF_GAME, HOUR_OF_PROVIDER],
    'hour',
  ],
  ['game_hours', 'delete from game_hours where $one', [HOUR_OF_GAME, DAY_OF_GAME, HOUR_OF_PROVIDER], 'hour'],
  ['game_days', 'update game_days set own_paid_usd = own_paid_usd + 1 where $one', [DAY_OF_GAME], 'game_id'],
  [
    'provider_hours',
    'update provider_hours set bets = bets - 1 where $one',
    [HOUR_OF_PROVIDER],
    'provider_id',
  ],
  [
    'payment_hours',
    'update payment_hours set count = count + 1 where $one',
    [HOUR_OF_PAYMENTS, DAY_OF_PAYMENTS, PACKED_DEPOSITS],
    'hour',
  ],
  [
    'payment_hours',
    'update payment_hours set failed = failed + 1 where $one',
    [HOUR_OF_PAYMENTS, DAY_OF_PAYMENTS],
    'hour',
  ],
  [
    'payment_hours',
    'update payment_hours set usd_amount = usd_amount + 1 where $one',
    [HOUR_OF_PAYMENTS, DAY_OF_PAYMENTS, PACKED_DEPOSITS],
    'hour',
  ],
  [
    'payment_days',
    'update payment_days set amount = amount + 1 where $one',
    [DAY_OF_PAYMENTS],
    'currency_id',
  ],
  ['first_deposits', 'update first_deposits set amount = amount + 1 where $one', [FIRST], 'user_id'],
  [
    'first_deposits',
    'delete from first_deposits where $one',
    [FIRST, FIRST_HOURS, PACKED_DEPOSITS],
    'user_id',
  ],
  [
    'first_deposit_hours',
    'update first_deposit_hours set players = players + 1 where $one',
    [FIRST_HOURS, DAY_OF_FIRST],
    'hour',
  ],
  [
    'first_deposit_days',
    'update first_deposit_days set players = players - 1 where $one',
    [DAY_OF_FIRST],
    'currency_id',
  ],
  [
    'account_hours',
    'update account_hours set change = change + 1 where $one',
    [HOUR_OF_ACCOUNT, DAY_OF_ACCOUNT],
    'currency_id',
  ],
  ['account_days', 'update account_days set change = change - 1 where $one', [DAY_OF_ACCOUNT], 'currency_id'],
  ['money_hours', 'update money_hours set usd_amount = usd_amount + 1 where $one', [GIVEN], 'kind'],
  ['money_days', 'update money_days set usd_amount = usd_amount + 1 where $one', [GIVEN], 'kind'],
  ['registration_hours', 'update registration_hours set users = users + 1 where $one', [SIGN_UPS], 'hour'],
];

test.each(CASES)('%s: %s', async (table, change, problems, column) => {
  const last =
    table === 'payment_hours'
      ? `direction = 'DEPOSIT' and count > 0 and hour < now() - interval '2 days'`
      : 'true';
  const where = one(table, last);
  const { rows } = await sql
    .raw<Record<string, unknown>>(`select * from ${table} where ${where}`)
    .execute(app.db);
  const all = await foundAfter(change.replace('$one', where));
  expect(new Set(Object.keys(all))).toEqual(new Set(problems));
  const own = problems.find((problem) => all[problem]![0]![column] !== undefined)!;
  expect(all[own]!.map((row) => row[column])).toEqual([rows[0]![column]]);
});

test.each([
  ['play', PACKED_PLAY],
  ['deposit', PACKED_DEPOSITS],
])('reports a packed day of %s that differs from the rows it was computed from', async (source, problem) => {
  for (const table of ['packed_players', 'packed_together']) {
    const where = one(table, `source = '${source}' and players <> ''`);
    const amounts = `update ${table} set amounts = set_byte(amounts, 7, (get_byte(amounts, 7) + 1) % 256) where ${where}`;
    const players = `update ${table} set players = substr(players, 9) where ${where}`;
    for (const change of [amounts, `delete from ${table} where ${where}`])
      expect(Object.keys(await foundAfter(change)), change).toEqual([problem]);
    const found = Object.keys(await foundAfter(players));
    expect(found).toEqual(table === 'packed_together' ? [problem, SIGN_UP] : [problem]);
  }
});

test("reports a packed sign-up that differs from the player's own data", async () => {
  const where = one('packed_together', "players <> ''");
  for (const to of ['set_byte(sign_ups, 3, (get_byte(sign_ups, 3) + 1) % 256)', 'substr(sign_ups, 5)'])
    expect(
      Object.keys(await foundAfter(`update packed_together set sign_ups = ${to} where ${where}`)),
    ).toEqual([SIGN_UP]);
});

test('reports liabilities stored for a day whose liabilities were never counted', async () => {
  const insert = `insert into liability_days (day, kind, currency_id, amount, usd_amount) values ('2020-01-01', 'rakeback', 'USDT', 1, 1)`;
  const all = await foundAfter(insert);
  expect(all).toEqual({ [OWED]: [expect.objectContaining({ kind: 'rakeback', currency_id: 'USDT' })] });
});

test('tests every dashboard check with data that fails it', () => {
  const caught = new Set([...CASES.flatMap(([, , problems]) => problems), PACKED_PLAY, SIGN_UP, OWED]);
  expect(caught).toEqual(new Set(Object.keys(CHECKS)));
});

test('includes dashboard problems in the reconciliation report', async () => {
  await sql`update money_days set usd_amount = usd_amount + 1 where ${sql.raw(one('money_days'))}`.execute(
    app.db,
  );
  const { findings } = await reconcile(app.db, { seedSecret: app.config.SEED_SECRET });
  expect(findings.filter(({ problem }) => problem === GIVEN)).toEqual([
    expect.objectContaining({
      invariant: 'N8',
      facts: expect.objectContaining({ kind: expect.any(String) }),
    }),
  ]);
});
