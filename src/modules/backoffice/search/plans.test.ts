import { sql } from 'kysely';
import { beforeAll, describe, expect, test } from 'vitest';
import { PATIENCE, startApp } from '../../../../test/kit/app.ts';
import { fixture } from '../../../../test/kit/fixture.ts';
import { plansOf } from '../../../../test/kit/plans.ts';
import type { Db } from '../../../platform/database/db.ts';
import { findBets } from './bets.ts';
import { findPromotions } from './catalogue.ts';
import { findDeposits, findWithdrawals } from './payments.ts';
import { findPlayers } from './players.ts';
import { termOf } from './rules.ts';

const ROWS = 4000;
const app = fixture(() => startApp({ env: PATIENCE, reconcileOnStop: false }));
beforeAll(async () => {
  await fill();
  await sql`analyze`.execute(app.db);
  // Triggers look up the deposit of each credit, which takes long without statistics.
  await sql`insert into payment_credits (key, kind, user_id, currency_id, amount, usd_amount, turnover_usd, entry_id, credited_at)
    select 'skins:' || id, 'skins', id, 'USDT', 1, 1, 1, id, now() from users where username like 'many%' limit 1000`.execute(
    app.db,
  );
  await sql`analyze payment_credits`.execute(app.db);
}, 240_000);

/** Inserts as many rows into each searched table as make an index cheaper than a sequential scan. */
async function fill(): Promise<void> {
  await sql`insert into users (username, email, username_skeleton)
    select 'many_' || n, 'many' || n || '@list.example', 'many ' || n from generate_series(1, ${ROWS}::int) n`.execute(
    app.db,
  );
  for (const rows of [
    sql`sessions (id, user_id, refresh_hash, ip_address, expires_at)
      select gen_random_uuid(), id, sha256(id::text::bytea), '10.0.' || id % 250 || '.' || id % 200, now()`,
    sql`registration_info (user_id, type, ip_address) select id, 'EMAIL', '10.1.' || id % 250 || '.' || id % 200`,
    sql`deposit_addresses (user_id, currency_id, network_id, provider_id, address, address_key)
      select id, 'USDT', 'tron', 'sandbox', 'T' || id, 'T' || id`,
    sql`withdrawals (id, user_id, currency_id, network_id, amount, fee, usd_amount, is_priced, recipient_address, status, status_history,
        risk_score, risk_reasons, tx_hash)
      select gen_random_uuid(), id, 'USDT', 'tron', 1, 0, 1, true, 'R' || id, 'CANCELLED', '[]', 0, '{}', 'w' || id`,
    sql`deposits (id, user_id, status, status_history, provider_id, external_id, currency_id, network_id, pay_address, amount, usd_amount,
        required_confirmations, noticed_at, tx_hash)
      select gen_random_uuid(), id, 'DETECTED', '[]', 'sandbox', id::text, 'USDT', 'tron', 'T' || id, 1, 1, 20, now(), 'd' || id`,
    sql`skin_deposits (id, user_id, currency_id, game, success_url, fail_url) select gen_random_uuid(), id, 'USDT', 'cs2', '', ''`,
    sql`provider_rounds (id, provider_id, user_id, round_ref, game_id, currency_id, status, stakes, wins)
      select nextval('ledger_ids'), 0, id, 'round-' || id, 1, 'USDT', 'CLOSED', 1, 0`,
    sql`provider_transactions (id, provider_id, transaction_id, user_id, type, currency_id, amount, content, status, balance)
      select nextval('ledger_ids'), 0, 'tx-' || id, id, 'BET', 'USDT', 1, '', 'DONE', 0`,
    sql`bets (id, amount, payout, usd_amount, usd_payout, usd_rate, user_id, game_id, status, currency_id)
      select nextval('ledger_ids'), 10, 0, 10, 0, 1, id, 1, 'SETTLED', 'USDT'`,
  ])
    await sql`insert into ${rows} from users where username like 'many%'`.execute(app.db);
  await sql`
    with promo as (
      insert into promos (name, type, kind, currency_id, amount, wager_multiplier_e2, wager_base)
      values ('Codes', 'CODE', 'CASH', 'USDT', 1, 100, 'BONUS') returning id)
    insert into promo_codes (key, code, promo_id, kind)
    select 'many' || n, 'MANY' || n, id, 'ONE_TIME' from promo, generate_series(1, ${ROWS}::int) n`.execute(
    app.db,
  );
}

/** Tables that grow with players, payments and bets. */
const LARGE = [
  'users',
  'sessions',
  'registration_info',
  'deposit_addresses',
  'withdrawals',
  'deposits',
  'skin_deposits',
].concat([
  'provider_rounds',
  'provider_transactions',
  'bets\\w*',
  'promo_codes',
  'payment_credits',
  'bonus_bets',
]);

const plan = (q: string) =>
  plansOf(app, async (reads: Db) => {
    const { catalogue, config } = app.services;
    const wanted = { term: termOf(q)!, most: 6, sight: { showsPii: true } };
    for (const find of [findPlayers, findWithdrawals, findDeposits, findBets, findPromotions])
      await find({ reads, catalogue, config }, wanted);
  });

describe('query plans of the search', () => {
  test.each<[string, string, string[]]>([
    ['the beginning of a username', 'many_1', ['users_username_idx', 'promo_codes_pkey']],
    ['the beginning of an email address', 'many1@', ['users_email_idx']],
    ['an id', '4711', ['users_pkey', '_pkey']],
    ['an IP address', '10.0.11.111', ['sessions_ip_idx', 'registration_info_ip_idx']],
    [
      'an address',
      'TJRabPrwbZy45sbavfcjinPJC18kjpRTv8',
      ['deposit_addresses_owner_key', 'withdrawals_recipient_idx'],
    ],
    [
      'a transaction hash',
      'a1'.repeat(32),
      [
        'deposits_transaction_idx',
        'withdrawals_transaction_idx',
        'provider_rounds_name_key',
        'provider_transactions_provider_id_transaction_id_key',
      ],
    ],
    [
      'a UUID',
      '01926f3a-7c3e-7d2a-9c1b-3f5e8a7b6c5d',
      ['withdrawals_pkey', 'deposits_pkey', 'skin_deposits_pkey'],
    ],
  ])('finds %s through indexes', async (_, q, indexes) => {
    const explained = await plan(q);
    for (const index of indexes) expect(explained).toContain(index);
    expect(explained).not.toMatch(new RegExp(`Seq Scan on (${LARGE.join('|')})( |$)`, 'm'));
  });
});
