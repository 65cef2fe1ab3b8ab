/** The database protects the ledger even against bugs. These tests use the service's role to run statements that our code never sends. */
import { sql } from 'kysely';
import { beforeAll, describe, expect, test } from 'vitest';
import { betOnDice, startApp } from '../../../../test/kit/app.ts';
import { fixture } from '../../../../test/kit/fixture.ts';
import { sqlState, violatedConstraint } from '../../../platform/database/errors.ts';

let userId: number;
const app = fixture(startApp);
beforeAll(async () => {
  const player = await app.newPlayer({ usdt: 100 });
  userId = player.id;
  for (let i = 0; i < 3; i++) await betOnDice(player);
  const vault = { currencyId: 'USDT', amount: '30' };
  expect((await player.call('POST', '/accounting/to-vault', { body: vault })).status).toBe(201);
});

/** Returns all rows that bets and movements of money change. The rows are text, so that any changed digit is noticed. */
async function books(): Promise<unknown> {
  const { rows } = await sql`
    select (select json_agg(w order by user_id, currency_id)::text from wallets w) as wallets,
      (select json_agg(l order by id)::text from ledger_lines l) as postings,
      (select json_agg(e order by id)::text from ledger_entries e) as entries,
      (select json_agg(b order by id)::text from bets b) as bets,
      (select json_agg(p order by id)::text from seed_pairs p) as pairs,
      (select json_agg(p order by user_id)::text from players p) as players`.execute(app.db);
  return rows[0];
}

/** Converts the name of a partition's constraint to the name of the corresponding constraint of the parent table. */
const wholeOf = (constraint: string | undefined) => constraint?.replace(/_\d{4}_\d\d_/, '_');

/** Runs the statement, with `$user` replaced by the player's id. Returns the SQLSTATE and the constraint of the error. */
async function refusalOf(statement: string): Promise<string> {
  const before = await books();
  let refusal = 'accepted';
  try {
    await sql.raw(statement.replaceAll('$user', String(userId))).execute(app.db);
  } catch (error) {
    refusal = [sqlState(error), wholeOf(violatedConstraint(error))].filter(Boolean).join(' ');
  }
  expect(await books()).toEqual(before);
  return refusal;
}

const posting = (values: Partial<Record<string, string>> = {}) => {
  const row = {
    id: '1',
    entry_id: '1',
    amount: '5',
    user_id: '$user',
    debit: '100',
    credit: '1',
    debit_after: 'null',
    credit_after: '5',
    currency_id: `'USDT'`,
    kind: `'bug'`,
    ...values,
  };
  return `insert into ledger_lines (${Object.keys(row)}) values (${Object.values(row)})`;
};
const CHECK = '23514';
const UNIQUE = '23505';
const FORBIDDEN = '42501';

describe('rejects any statement that makes an account negative', () => {
  test.each(['cash', 'vault', 'bonus', 'hold'])('%s', async (account) => {
    const change = (to: string) => refusalOf(`update wallets set ${account} = ${to} where user_id = $user`);
    expect(await change('-1')).toBe(`${CHECK} wallets_${account}_not_negative`);
    expect(await change(`${account} - ${account} - 1`)).toBe(`${CHECK} wallets_${account}_not_negative`);
    const row = `insert into wallets (user_id, currency_id, ${account}) values ($user, 'BTC', -1)`;
    expect(await refusalOf(row)).toBe(`${CHECK} wallets_${account}_not_negative`);
    expect(await change(`'NaN'`)).toBe('22P02');
    expect(await change(`'NaN'::numeric`)).toBe('0A000');
    expect(await change(`'Infinity'::numeric`)).toBe('0A000');
    expect(await change(`'NaN'::float8`)).toBe('22003');
    expect(await change(`'Infinity'::float8`)).toBe('22003');
    expect(await change('9223372036854775808')).toBe('22003');
    expect(await change('null')).toBe('23502');
  });
});

describe('postings', () => {
  test.each([
    ['of zero', posting({ amount: '0', credit_after: '0' }), `${CHECK} ledger_lines_amount_positive`],
    ['of a negative amount', posting({ amount: '-5' }), `${CHECK} ledger_lines_amount_positive`],
    ['of NaN', posting({ amount: `'NaN'` }), '22P02'],
    ['of infinity', posting({ amount: `'Infinity'::float8` }), '22003'],
    [
      'that leave a negative balance on the credited account',
      posting({ credit_after: '-1' }),
      `${CHECK} ledger_lines_credit_after_check`,
    ],
    [
      'that leave a negative balance on the debited account',
      posting({ debit: '1', credit: '100', debit_after: '-1', credit_after: 'null' }),
      `${CHECK} ledger_lines_debit_after_check`,
    ],
    ['with a credited user account but no user', posting({ user_id: '0' }), `${CHECK} ledger_lines_sides`],
    ['with a user account and a negative user id', posting({ user_id: '-1' }), `${CHECK} ledger_lines_sides`],
    [
      'with a debited user account but no user',
      posting({ user_id: '0', debit: '1', credit: '100', debit_after: '1', credit_after: 'null' }),
      `${CHECK} ledger_lines_sides`,
    ],
    ['from an account to itself', posting({ debit: '1', debit_after: '5' }), `${CHECK} ledger_lines_sides`],
    [
      'from a platform account to itself',
      posting({ credit: '100', credit_after: 'null' }),
      `${CHECK} ledger_lines_sides`,
    ],
    [
      'of a user account without its balance',
      posting({ credit_after: 'null' }),
      `${CHECK} ledger_lines_sides`,
    ],
    ['of a platform account with a balance', posting({ debit_after: '1' }), `${CHECK} ledger_lines_sides`],
    [
      'with an id that the same player already has',
      posting({ id: '(select max(id) from ledger_lines where user_id = $user)' }),
      `${UNIQUE} ledger_lines_pkey`,
    ],
  ])('rejects %s', async (_, statement, refusal) => {
    expect(await refusalOf(statement)).toBe(refusal);
  });
});

describe('rejects changes to stored rows', () => {
  test.each([
    'update ledger_lines set amount = amount + 1',
    'update ledger_lines set kind = kind where false',
    'delete from ledger_lines where user_id = $user',
    'delete from ledger_lines where false',
    'truncate ledger_lines',
    `update ledger_entries set memo = 'nothing happened'`,
    'delete from ledger_entries',
    'truncate ledger_entries',
    'delete from bets where user_id = $user',
    'truncate bets',
    'truncate bets, ledger_lines, ledger_entries cascade',
    'with gone as (delete from ledger_lines returning 1) select count(*) from gone',
    'insert into ledger_lines select * from ledger_lines limit 1 on conflict (user_id, id) do update set amount = 1',
    `merge into ledger_lines l using (select 1) s on l.user_id = $user when matched then delete`,
  ])('%s', async (statement) => {
    expect(await refusalOf(statement)).toBe(FORBIDDEN);
  });
});

describe('rejects duplicates and invalid values', () => {
  const again = (columns: string) =>
    `insert into bets select (json_populate_record(b, json_build_object(${columns}))).* from bets b
     where user_id = $user order by id desc limit 1`;
  test.each([
    ['a repeated nonce of a seed pair', again(`'id', b.id + 500`), `${UNIQUE} bets_seed_nonce_key`],
    ['a repeated bet id', again(`'nonce', 77`), `${UNIQUE} bets_pkey`],
    ['a stake of zero', again(`'id', 1, 'nonce', 77, 'amount', 0`), `${CHECK} bets_amount_check`],
    ['a negative payout', again(`'id', 1, 'nonce', 77, 'payout', -1`), `${CHECK} bets_payout_check`],
    ['a rate of zero', again(`'id', 1, 'nonce', 77, 'usd_rate', 0`), `${CHECK} bets_usd_rate_check`],
    [
      'a repeated entry key',
      `insert into ledger_entries (id, key, input_hash, kind) select 1, key, '', 'bug' from ledger_entries limit 1`,
      `${UNIQUE} ledger_entries_key_key`,
    ],
    [
      'a second active seed pair of a player',
      `insert into seed_pairs (user_id, state, server_seed, server_seed_hash, client_seed) values ($user, 'ACTIVE', '', 'x', 'y')`,
      `${UNIQUE} seed_pairs_one_open`,
    ],
    [
      'a repeated hash of a server seed',
      `insert into seed_pairs (user_id, state, server_seed, server_seed_hash) select user_id, 'REVEALED', '', server_seed_hash from seed_pairs limit 1`,
      `${UNIQUE} seed_pairs_server_seed_hash_key`,
    ],
    ['a negative nonce', 'update players set nonce = -1', `${CHECK} players_nonce_check`],
  ])('rejects %s', async (_, statement, refusal) => {
    expect(await refusalOf(statement)).toBe(refusal);
  });
});

test('rolls back a statement that changed an unexpected number of rows', async () => {
  const statement = `with changed as (update wallets set cash = cash + 1, version = version + 1 where user_id = $user returning 1)
    select expect_rows((select count(*) from changed), 2)`;
  expect(await refusalOf(statement)).toBe('40001');
  expect(await refusalOf(statement.replace(', 2)', ', null)'))).toBe('40001');
});
