/** Changes dashboard sums directly in the database, and expects that the dashboard checks report the changed row. */
import { sql } from 'kysely';
import { beforeAll, expect, test } from 'vitest';
import { startApp } from '../../../../test/kit/app.ts';
import { FEES_ENV, makeMonths } from '../../../../test/kit/backoffice/dashboard-world.ts';
import { fixture } from '../../../../test/kit/fixture.ts';
import { until } from '../../../../test/kit/until.ts';
import { reconcile } from '../../../app/commands/reconcile.ts';
import { type Tx, transaction } from '../../../platform/database/db.ts';
import { createAccountHours } from '../../money/ledger/account-hours.ts';
import { ROLLUP_CHECKS } from '../../operations/reconcile/derived.ts';
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

const CHECKS: Readonly<Record<string, string>> = { ...ROLLUP_CHECKS, ...checks };
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

const HOUR_OF_GAME = 'an hour of a game is not what its players come to';
const HOUR_OF_PROVIDER = 'an hour of a provider is not the sum of its games';
const DAY_OF_GAME = 'a day of a game is not the sum of its hours';
const HOUR_OF_PAYMENTS = 'an hour of payments is not what payments come to';
const DAY_OF_PAYMENTS = 'a day of payments is not the sum of its hours';
const FIRST = 'a first deposit is not the first one';
const HOUR_OF_ACCOUNT = 'an hour of an account is not what its postings have changed';
const DAY_OF_ACCOUNT = 'a day of an account is not the sum of its hours';
const OWED = 'something is said to have been owed on a day that was not counted';
const GIVEN = 'a day of what was given is not the sum of its hours';
const DAY_OF_FIRST = 'a day of first deposits is not the sum of its hours';
const FIRST_HOURS = 'first deposits of an hour are not those of players';
const SIGN_UPS = 'sign-ups of an hour are not the users of that hour';
const PACKED_PLAY = 'a packed day of play is not what its hours say';
const PACKED_DEPOSITS = 'a packed day of deposits is not what its hours say';
const SIGN_UP = 'a sign-up of a packed day is not that of its player';

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
