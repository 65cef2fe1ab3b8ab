/** Tests that upgrading a platform with bets and payments fills the dashboard rollups with the same values as normal operation does. */
import { copyFileSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { afterAll, expect, test } from 'vitest';
import { checks } from '../src/modules/backoffice/dashboards/checks.ts';
import { liabilities } from '../src/modules/engagement/liabilities/module.ts';
import { checks as statsChecks } from '../src/modules/engagement/user-stats/checks.ts';
import { checks as ledgerChecks } from '../src/modules/money/ledger/checks.ts';
import { checks as paymentChecks } from '../src/modules/money/payments/checks.ts';
import { createDb, createPool, type Db } from '../src/platform/database/db.ts';
import { migrate } from '../src/platform/database/schema/migrate.ts';
import { silentLog } from '../src/platform/observability/log.ts';
import { createTestDatabase } from './kit/database.ts';
import { fixture } from './kit/fixture.ts';

const MIGRATIONS = new URL('../migrations/', import.meta.url);
const FIRST_WITH_SUMS = '0058';
const folder = mkdtempSync(join(tmpdir(), 'croupier-old-'));
for (const file of readdirSync(MIGRATIONS))
  if (file < FIRST_WITH_SUMS) copyFileSync(new URL(file, MIGRATIONS), join(folder, file));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const database = fixture(createTestDatabase);

/** Opens a new empty database. */
async function openEmpty(): Promise<{ db: Db; close: () => Promise<void> }> {
  const options = {
    connectionString: database.url,
    poolSize: 2,
    connectTimeoutMs: 10_000,
    statementTimeoutMs: 60_000,
    name: 'test',
  };
  const pool = createPool(options, silentLog);
  const db = createDb(pool);
  for (const schema of ['public', 'archive', 'graphile_worker'])
    await sql`drop schema if exists ${sql.ref(schema)} cascade`.execute(db);
  await sql`create schema public`.execute(db);
  return { db, close: () => pool.end() };
}

/**
 * Player 1 plays and pays, user 2 is staff, and user 3 is a test user. Half of the stake of every third bet is bonus money. Every seventh
 * bet was rolled back.
 */
async function play(db: Db): Promise<void> {
  await sql`
    insert into users (username, email, username_skeleton, is_staff, is_test, created_at)
    select 'old' || n, 'old' || n || '@mail.example', 'old ' || n, n = 2, n = 3, '2026-01-01T10:30:00Z'::timestamptz + n * interval '1 hour'
    from generate_series(1, 3) n order by n`.execute(db);
  await sql`
    insert into bets (id, amount, payout, usd_amount, usd_payout, usd_rate, created_at, updated_at, settled_at, user_id, game_id, status,
      currency_id, reversal_id)
    select n * 10, 100, n, 1000 + n, 10 * n, 1e12, at, at, at, 1 + n % 3, 1, case when n % 7 = 0 then 'ROLLBACK' else 'SETTLED' end, 'USDT',
      case when n % 7 = 0 then 5000 + n end
    from generate_series(1, 60) n, lateral (select '2026-02-01T22:00:00Z'::timestamptz + n * interval '7 minutes' as at) moment`.execute(
    db,
  );
  await sql`
    insert into bonus_bets (bet_id, user_id, grant_id, currency_id, bonus_staked, bonus_paid, counted, contribution_bp)
    select id, user_id, 0, 'USDT', 50, payout / 2, 0, 10000 from bets where id / 10 % 3 = 0`.execute(db);
  await sql`update cursors set position = 10000 where name = 'user-stats'`.execute(db);
  await sql`
    insert into play_hours (game_id, hour, user_id, generation, bets, wins, staked_usd, paid_usd, biggest_win_usd, best_multiplier_e4, last_at,
      first_place, last_place)
    select game_id, date_trunc('hour', settled_at, 'UTC'), user_id, (select generation from cursors where name = 'user-stats'), count(*), 0,
      sum(usd_amount), sum(usd_payout), 0, 0, max(settled_at), min(id), max(id)
    from bets where status = 'SETTLED' group by 1, 2, 3`.execute(db);
}

async function pay(db: Db): Promise<void> {
  await sql`
    insert into payment_credits (key, kind, user_id, currency_id, amount, usd_amount, turnover_usd, entry_id, credited_at, reversal_entry_id, reversed_at)
    select 'old:' || n, 'payments.deposit', 1 + n % 3, (array['USDT', 'BTC'])[1 + n % 2], 100 + n, 10 * n, 0, n, at,
      case when n % 5 = 1 then 1000 + n end, case when n % 5 = 1 then at end
    from generate_series(1, 30) n, lateral (select '2026-02-01T20:00:00Z'::timestamptz + n * interval '50 minutes' as at) moment`.execute(
    db,
  );
  await sql`
    insert into deposits (id, user_id, status, status_history, provider_id, external_id, currency_id, network_id, pay_address, amount, usd_amount,
      required_confirmations, noticed_at, credit_key)
    select gen_random_uuid(), user_id, 'COMPLETED', '[]', 'sandbox', key, currency_id, 'tron', 'an address', amount, usd_amount, 1, credited_at, key
    from payment_credits where entry_id % 2 = 0
    union all
    select gen_random_uuid(), 1, 'FAILED', json_build_array(json_build_object('status', 'FAILED', 'at', '2026-02-02T01:00:00Z')), 'sandbox', 'failed',
      'USDT', 'tron', 'an address', 1, 1, 1, now(), null`.execute(db);
  await sql`
    insert into withdrawals (id, user_id, status, status_history, currency_id, network_id, amount, fee, usd_amount, is_priced, recipient_address,
      risk_score, risk_reasons, provider_id, reference)
    select gen_random_uuid(), 1 + n % 3, status, json_build_array(json_build_object('status', status, 'at', at)), 'USDT', 'tron', 1000 + n, 0,
      10 * n, true, 'an address', 0, '{}', 'sandbox', n::text
    from generate_series(1, 20) n, lateral (select (array['COMPLETED', 'FAILED', 'REJECTED'])[1 + n % 3] as status,
      '2026-02-03T00:00:00Z'::timestamptz + n * interval '40 minutes' as at) moment`.execute(db);
  await sql`
    insert into money_hours (hour, kind, user_id, currency_id, count, amount, usd_amount)
    select '2026-02-01T20:00:00Z'::timestamptz + n * interval '1 hour', 'rakeback.claim', 1 + n % 3, 'USDT', 1, n, n
    from generate_series(1, 30) n`.execute(db);
}

test('creates the same rollups for old bets, payments and rewards as for new ones', async () => {
  const { db, close } = await openEmpty();
  try {
    await migrate(db, silentLog, folder);
    await play(db);
    await pay(db);
    expect(await migrate(db, silentLog)).toContain(
      readdirSync(MIGRATIONS).sort().at(-1)!.replace('.sql', ''),
    );
    const all: Readonly<Record<string, string>> = {
      ...ledgerChecks.N10,
      ...paymentChecks.N10,
      ...statsChecks.N10,
      ...liabilities.checks?.N10,
      ...checks.N8,
    };
    for (const [problem, query] of Object.entries(all))
      expect((await sql.raw(query).execute(db)).rows, problem).toEqual([]);
    // The totals computed by a plain query over the rows.
    const { rows: bets } = await sql`
      select sum(bets)::int as bets, sum(own_staked_usd)::int as staked, sum(own_paid_usd)::int as paid from game_hours`.execute(
      db,
    );
    expect(bets).toEqual([expectedPlay()]);
    const { rows } = await sql<{ table: string; sum: string }>`
      select 'game_days' as table, sum(own_staked_usd)::text as sum from game_days
      union all select 'provider_hours', sum(own_staked_usd)::text from provider_hours
      union all select 'payment_days', sum(count)::text from payment_days
      union all select 'money_days', sum(usd_amount)::text from money_days
      union all select 'first_deposit_hours', sum(players)::text from first_deposit_hours
      union all select 'first_deposit_days', sum(players)::text from first_deposit_days
      union all select 'registration_hours', sum(users)::text from registration_hours`.execute(db);
    expect(Object.fromEntries(rows.map(({ table, sum }) => [table, sum]))).toEqual({
      game_days: String(expectedPlay().staked),
      provider_hours: String(expectedPlay().staked),
      // The number of rows: 24 credits that were not reversed and 6 completed withdrawals.
      payment_days: '30',
      money_days: String((30 * 31) / 2),
      first_deposit_hours: '3',
      first_deposit_days: '3',
      registration_hours: '3',
    });
  } finally {
    await close();
  }
});

/** Returns the expected sums of player 1's own money in the bets that were not rolled back. Each amount is rounded towards zero. */
function expectedPlay() {
  const sums = { bets: 0, staked: 0, paid: 0 };
  for (let n = 1; n <= 60; n++) {
    if (n % 7 === 0 || n % 3 !== 0) continue;
    sums.bets++;
    const paidInBonus = Math.floor(n / 2);
    sums.staked += Math.floor(((1000 + n) * 50) / 100);
    sums.paid += Math.floor((10 * n * (n - paidInBonus)) / n);
  }
  return sums;
}
