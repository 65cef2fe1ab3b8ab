import { sql } from 'kysely';
import { afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { betOnDice, startApp } from '../../../../test/kit/app.ts';
import { fixture } from '../../../../test/kit/fixture.ts';
import { correctBet } from '../../../../test/kit/games/bets.ts';
import { reconcile } from '../../../app/commands/reconcile.ts';
import { transaction } from '../../../platform/database/db.ts';
import type { Kind } from '../../money/ledger/kinds.ts';
import { post } from '../../money/ledger/post.ts';

const TABLES = [
  'wallets',
  'ledger_lines',
  'ledger_entries',
  'bets',
  'bet_corrections',
  'provider_rounds',
  'provider_transactions',
  'seed_pairs',
  'players',
  'user_stats',
  'user_game_stats',
  'play_hours',
  'cursors',
  'admin_audit',
];

let names: Record<string, string>;
const app = fixture(() => startApp({ reconcileOnStop: false }));
beforeAll(async () => {
  const player = await app.newPlayer({ usdt: 100 });
  const other = await app.newPlayer({ usdt: 5 });
  const first = (await betOnDice(player)).body;
  let won = (await betOnDice(player)).body;
  while (!won.didWin) won = (await betOnDice(player)).body;
  await betOnDice(player);
  await player.call('POST', '/fairness/seeds/rotate', { body: {} });
  for (let i = 0; i < 2; i++) expect((await betOnDice(player)).status).toBe(201);
  const body = { currencyId: 'USDT', amount: '30' };
  expect((await player.call('POST', '/accounting/to-vault', { body })).status).toBe(201);
  const line = {
    userId: 0,
    currencyId: 'BTC',
    kind: 'test' as Kind,
    debit: 'house',
    credit: 'treasury',
    amount: 5n,
  } as const;
  await transaction(app.services.db, (tx) => post(tx, [{ key: 'test:1', kind: 'test', postings: [line] }]));
  const slot = await makeCorrected(other.id);
  // Retried, because another transaction on the same server may briefly delay the safe watermark.
  let counted = 0;
  const { bets } = await app.db
    .selectFrom('bets')
    .select(({ fn }) => fn.countAll().as('bets'))
    .executeTakeFirstOrThrow();
  const isCounted = async () => {
    counted += await app.services.userStats.consume();
    // The first two corrections count twice each: they subtract the old version of the bet and add the new one. The third counts once,
    // because a rolled-back bet has no new version.
    return counted === Number(bets) + 5;
  };
  await vi.waitUntil(isCounted, { timeout: 240_000, interval: 20 });
  const boss = await app.as('superadmin');
  for (let i = 0; i < 3; i++) expect((await boss.call('GET', '/admin/country/stats')).status).toBe(200);
  names = {
    $user: String(player.id),
    $other: String(other.id),
    $bet: won.betId,
    $first: first.betId,
    ...slot,
  };
  await sql`create schema kept`.execute(app.db);
  for (const table of TABLES) await sql.raw(`create table kept.${table} as table ${table}`).execute(app.db);
});

const KIND_OF = { BET: 'bet.stake', WIN: 'bet.payout', ROLLBACK: 'bet.stake.rollback' } as const;
const amount = (dollars: number) => BigInt(dollars * 1e8);

/**
 * Creates two provider bets on a slot. The first has stakes of 1.5 and 0.5 and a payout of 1. The payout is corrected to 3, then the stake
 * of 0.5 is rolled back. The second bet is settled and then rolled back completely. Each posting has the id of its transaction.
 */
async function makeCorrected(userId: number) {
  const { db } = app.services;
  const game = { slug: 'slot', name: 'Slot', type: 'SLOTS', provider_id: 0 };
  const { id: gameId } = await db.insertInto('games').values(game).returning('id').executeTakeFirstOrThrow();
  let count = 0;
  /** The round and its bet have the id of the round's first transaction. */
  const book = async (type: keyof typeof KIND_OF, dollars: number, round?: bigint, status = 'DONE') => {
    const kind = KIND_OF[type];
    const [debit, credit] = type === 'BET' ? (['cash', 'house'] as const) : (['house', 'cash'] as const);
    const posting = { userId, currencyId: 'USDT', kind, debit, credit, amount: amount(dollars) };
    const key = `provider:x:${count++}`;
    const [posted] = await transaction(db, (tx) => post(tx, [{ key, kind, postings: [posting] }]));
    const id = (posted as { entryId: bigint }).entryId;
    await sql`insert into provider_transactions (id, provider_id, transaction_id, user_id, round_id, type, currency_id, amount, content, status, balance)
      values (${id}, 0, ${key}, ${userId}, ${round ?? id}, ${type}, 'USDT', ${amount(dollars)}, '', ${status}, 1)`.execute(
      db,
    );
    return id;
  };
  const settle = async (id: bigint, payout: bigint, of: { stakes: number; wins: number }) => {
    await sql`insert into bets (id, amount, payout, usd_amount, usd_payout, usd_rate, user_id, game_id, status, currency_id, settled_at)
      values (${id}, ${amount(2)}, ${payout}, ${amount(2)}, ${payout}, ${10n ** 12n}, ${userId}, ${gameId}, 'SETTLED', 'USDT', now())`.execute(
      db,
    );
    await sql`insert into provider_rounds (id, provider_id, user_id, round_ref, game_id, currency_id, bet_id, status, stakes, wins)
      values (${id}, 0, ${userId}, ${String(id)}, ${gameId}, 'USDT', ${id}, 'CLOSED', ${of.stakes}, ${of.wins})`.execute(
      db,
    );
  };
  const late = await book('BET', 1.5);
  await book('BET', 0.5, late, 'UNDONE');
  await book('WIN', 1, late);
  await settle(late, amount(1), { stakes: 1, wins: 2 });
  await book('WIN', 2, late);
  await correctBet(app, { id: late, userId }, { payout: amount(3), usd: 1n });
  await book('ROLLBACK', 0.5, late);
  await correctBet(app, { id: late, userId }, { amount: amount(1.5), usd: 1n });
  const back = await book('BET', 2, undefined, 'UNDONE');
  await settle(back, 0n, { stakes: 0, wins: 0 });
  await book('ROLLBACK', 2, back);
  await correctBet(app, { id: back, userId }, null);
  return { $late: String(late), $back: String(back) };
}

/** Runs statements with all triggers disabled. */
const behindTheBack = (statements: readonly string[]) =>
  app.db.transaction().execute(async (tx) => {
    await sql`set local session_replication_role = replica`.execute(tx);
    for (const text of statements) {
      const named = Object.entries(names).reduce((t, [name, value]) => t.replaceAll(name, value), text);
      await sql.raw(named).execute(tx);
    }
  });
afterEach(() => behindTheBack(TABLES.flatMap((t) => [`truncate ${t}`, `insert into ${t} table kept.${t}`])));

const findings = async () => {
  const report = await reconcile(app.services.db, { seedSecret: app.config.SEED_SECRET });
  return [...new Set(report.findings.map(({ invariant, problem }) => `${invariant} ${problem}`))].toSorted();
};

const ACCOUNTS = 'N1 a posting has an unknown account or one with the wrong owner';
const SUM = 'N2 a wallet is not the sum of its postings';
const CHAIN = 'N2 the balance after a posting does not follow from the previous balance';
const NEGATIVE = 'N3 a balance is negative';
const COUNTED = "N4 a bet's dollar amounts do not follow from its stake, payout and rate";
const REPLAY = 'N4 a bet does not follow from its seeds and inputs';
const LEDGER = "N4 a house bet's stake or payout does not match the ledger";
const PROVIDER = 'N4 a provider bet does not match the ledger';
const VERSIONS = "N4 a bet's corrections do not form a complete chain";
const UNCORRECTED = 'N4 a bet is marked as corrected but has no correction';
const PARTS = 'N6 a provider bet is not the sum of its transactions';
const OF_BONUS = "N6 a provider bet's bonus money is not the sum of its transactions";
const STANDING = "N6 a provider round's counts of stakes and wins do not match its transactions";
const ALONE = 'N6 a provider transaction outside a bet does not match the ledger';
const REFUSED = 'N6 a rejected provider transaction or a tombstone has moved money';
const HEADS = 'N5 a posting has no entry, or an entry has no postings';
const NONCES = "N7 a seed pair's nonces are not consecutive from 0 to the last one";
const STATS = "N8 a player's statistics are not the sums of their bets up to the cursor";
const GAMES = "N8 a player's bet count in a game does not match their bets up to the cursor";
const HOURS = "N8 a player's hourly totals in a game are not the sums of their bets up to the cursor";
const BEYOND = 'N8 a cursor is beyond the last assigned id';
const BACK = 'N4 the returned stake or reversed payout of a rolled-back bet does not match the ledger';
const AUDIT = 'N9 the hash chain of the audit log is broken';
const HOLD = "N6 a player's held balance is not the sum of their open withdrawals";
const BONUS = "N10 a player's bonus balance is not the sum of their grants";
const PAIRS = 'N7 a bet uses an unknown or unused seed pair, or one of another player';

/** A posting between two platform accounts. */
const lineOf = (entry: string, debit: number, credit: number, kind = 'test', user = '0') =>
  `insert into ledger_lines (id, entry_id, amount, user_id, debit, credit, currency_id, kind)
   values (7, ${entry}, 1, ${user}, ${debit}, ${credit}, 'USDT', '${kind}')`;
const testEntry = `(select id from ledger_entries where key = 'test:1')`;
const usersLine = (change: string, kind = 'debug.credit') =>
  `update ledger_lines set ${change} where user_id = $user and kind = '${kind}'`;
const bet = (change: string) => `update bets set ${change} where id = $bet`;
const staked = '(select id from ledger_lines where user_id = $user and entry_id = $bet order by id limit 1)';
const late = (change: string) => `update bets set ${change} where id = $late`;
const back = (change: string) => `update bets set ${change} where id = $back`;
const lastOf = (id: string) => `(select max(id) from bet_corrections where bet_id = ${id})`;
const last = (change: string) => `update bet_corrections set ${change} where id = ${lastOf('$late')}`;
const provided = (change: string, type = 'BET') =>
  `update provider_transactions set ${change} where round_id = $late and type = '${type}' and status = 'DONE'`;
const alone = (type: string, status = 'DONE') =>
  `insert into provider_transactions (id, provider_id, transaction_id, user_id, type, currency_id, amount, content, status, balance)
   values (${testEntry}, 0, 'alone', $user, '${type}', 'BTC', 5, '', '${status}', 5)`;
const lessStaked = `update ledger_lines set amount = amount - 1 where id = ${staked}`;

describe('reconciliation of inconsistent data', () => {
  test.each<[string, string[], string[]]>([
    ['a posting to an unknown account', [lineOf(testEntry, 199, 100)], [ACCOUNTS]],
    ['a unit too much in the balance', [`update wallets set cash = cash + 1 where user_id = $other`], [SUM]],
    ['a unit too little in the vault', [`update wallets set vault = vault - 1 where user_id = $user`], [SUM]],
    [
      'a unit too much in the bonus balance',
      [`update wallets set bonus = 1 where user_id = $other`],
      [SUM, BONUS],
    ],
    [
      'a unit on hold without a withdrawal',
      [`update wallets set hold = 1 where user_id = $other`],
      [SUM, HOLD],
    ],
    [
      'a wallet without postings',
      [`insert into wallets (user_id, currency_id, cash) values ($other, 'BTC', 1)`],
      [SUM],
    ],
    ['a missing wallet', ['delete from wallets where user_id = $other'], [SUM]],
    [
      'a wallet in the wrong currency',
      [`update wallets set currency_id = 'USDC' where user_id = $other`],
      [SUM],
    ],
    [
      'a balance after a posting that is off by a unit',
      [usersLine('credit_after = credit_after + 1')],
      [CHAIN],
    ],
    ['a posting amount that is off by a unit', [usersLine('amount = amount + 1')], [CHAIN, SUM]],
    ['a posting of the wrong player', [usersLine('user_id = $other, id = 1', 'vault.to')], [CHAIN, SUM]],
    ['postings in the wrong order', [usersLine('id = id + 1000000000', 'debug.credit')], [CHAIN]],
    ['a payout that was not won', [bet('payout = payout + 1')], [LEDGER, REPLAY, COUNTED]],
    ['a wrong payout in dollars', [bet('usd_payout = usd_payout + 1')], [REPLAY, COUNTED, STATS, HOURS]],
    ['a changed stake', [bet('amount = amount * 2')], [LEDGER, REPLAY, COUNTED, STATS, HOURS]],
    [
      'a changed rate that affects the profit limit',
      [bet('usd_rate = 2 * usd_rate, max_profit_usd = 0')],
      [REPLAY, COUNTED],
    ],
    ['a changed outcome', [bet(`outcome = '{"randomValue": 1}'`)], [REPLAY]],
    ['changed inputs', [bet(`inputs = '{"threshold": 50.01, "above": true}'`)], [REPLAY]],
    ['invalid inputs', [bet(`inputs = '{"threshold": 900}'`)], [REPLAY]],
    ['missing inputs', [bet('inputs = null')], [REPLAY]],
    ['a changed return', [bet('rtp_bp = 9899')], [REPLAY]],
    ['a bet of the wrong player', [bet('user_id = $other')], [LEDGER, PAIRS, STATS, GAMES, HOURS]],
    ['a bet in the wrong currency', [bet(`currency_id = 'USDC'`)], [LEDGER]],
    ['a changed client seed', [`update seed_pairs set client_seed = 'x' where state = 'REVEALED'`], [REPLAY]],
    [
      'a changed commitment',
      [`update seed_pairs set server_seed_hash = 'x' where state = 'REVEALED'`],
      [REPLAY],
    ],
    [
      'a changed server seed',
      [`update seed_pairs set server_seed = '\\x00' || server_seed where state = 'REVEALED'`],
      [REPLAY],
    ],
    [
      'a stake split into two postings',
      [lessStaked, lineOf('$bet', 100, 101, 'bet.stake', '$user')],
      [CHAIN, LEDGER, SUM],
    ],
    ['a second stake', [lineOf('$bet', 100, 101, 'bet.stake', '$user')], [LEDGER]],
    [
      'a missing stake',
      [`update ledger_lines set kind = 'x' where id = ${staked} and user_id = $user`],
      [LEDGER],
    ],
    ['a stake without a bet', [lineOf(testEntry, 100, 101, 'bet.stake')], [LEDGER]],
    ['a posting without an entry', [lineOf('1', 100, 101)], [HEADS]],
    [
      'an entry without postings',
      [`insert into ledger_entries (id, key, input_hash, kind) values (1, 'x', '', 'x')`],
      [HEADS],
    ],
    ['a missing entry', [`delete from ledger_entries where key = 'test:1'`], [HEADS]],
    ['a gap in the nonces', [bet('nonce = 1000')], [NONCES, REPLAY]],
    [
      'a nonce counted without a bet',
      ['update players set nonce = nonce + 1 where user_id = $user'],
      [NONCES],
    ],
    [
      'a nonce that was not counted',
      ['update players set nonce = nonce - 1 where user_id = $user'],
      [NONCES],
    ],
    ['a wrong last nonce', [`update seed_pairs set last_nonce = 1000 where state = 'REVEALED'`], [NONCES]],
    ['a missing first bet', ['update bets set nonce = 1000 where id = $first'], [NONCES, REPLAY]],
    [
      'a bet on the seed pair of another player',
      [bet(`seed_pair_id = (select seed_pair_id from players where user_id = $other), nonce = 0`)],
      [NONCES, PAIRS, REPLAY],
    ],
    ['a bet on an unknown seed pair', [bet('seed_pair_id = 1000000')], [NONCES, PAIRS]],
    ['a bet without a seed pair', [bet('seed_pair_id = null')], [NONCES]],
    ['a bet counted twice', ['update user_stats set bets = bets + 1'], [STATS]],
    ['a player without statistics', ['delete from user_stats'], [STATS]],
    ['a wrong biggest win', ['update user_stats set biggest_win_usd = biggest_win_usd + 1'], [STATS]],
    ['a bet missing from the game statistics', ['update user_game_stats set bets = bets - 1'], [GAMES]],
    ['a wrong hourly stake', ['update play_hours set staked_usd = staked_usd + 1'], [HOURS]],
    [
      'a wrong time of the last bet in an hour',
      [`update play_hours set last_at = last_at + interval '1 s'`],
      [HOURS],
    ],
    [
      'a cursor beyond the last id',
      [`update cursors set position = 1e15 where name = 'limit-warnings'`],
      [BEYOND],
    ],
    ['a rolled back bet without its ledger entry', [bet(`status = 'ROLLBACK', reversal_id = 9e15`)], [BACK]],
    ['a changed first settlement', [late('payout = payout + 1')], [VERSIONS]],
    ['a settlement with the wrong time', [late(`settled_at = settled_at + interval '1 s'`)], [VERSIONS]],
    ['a settlement with the wrong id', [late('settlement_id = id + 1')], [VERSIONS]],
    [
      'a correction that does not continue the previous one',
      [last('payout_before = payout_before - 1')],
      [VERSIONS],
    ],
    ['a correction with too high a payout', [last('payout_after = payout_after + 1')], [PROVIDER, PARTS]],
    [
      'a missing correction',
      [`delete from bet_corrections where id = ${lastOf('$late')}`],
      [PROVIDER, PARTS, STATS, HOURS],
    ],
    [
      'a correction that is not marked on its bet',
      [late('is_corrected = false')],
      [VERSIONS, PROVIDER, PARTS, STATS, GAMES, HOURS],
    ],
    [
      'a bet marked as corrected without a correction',
      [bet('is_corrected = true')],
      [UNCORRECTED, STATS, GAMES, HOURS],
    ],
    ['a correction without a bet', [last('bet_id = 1')], [VERSIONS, PROVIDER, PARTS, STATS, GAMES, HOURS]],
    ['a correction of the wrong player', [last('user_id = $user')], [VERSIONS, STATS, GAMES, HOURS]],
    ['a settled bet that was rolled back', [back(`status = 'SETTLED'`)], [VERSIONS, PROVIDER]],
    ['a rolled back bet that was settled', [late(`status = 'ROLLBACK'`)], [VERSIONS, PROVIDER]],
    ['an open bet that was settled', [late(`status = 'CREATED'`)], [VERSIONS, PROVIDER]],
    ['a bet that was rolled back twice', [back('reversal_id = 9e15')], [VERSIONS, BACK]],
    [
      'a win without a provider transaction',
      [
        `delete from provider_transactions where round_id = $late and id = (select min(id) from provider_transactions where round_id = $late and type = 'WIN')`,
      ],
      [PROVIDER, PARTS, STANDING, LEDGER],
    ],
    ['a provider stake with a unit too much', [provided('amount = amount + 1')], [PARTS]],
    ['a provider win with a unit too little', [provided('amount = amount - 1', 'WIN')], [PARTS]],
    ['a provider bet that was undone', [provided(`status = 'UNDONE'`)], [PARTS, STANDING]],
    ['a provider bet of the wrong round', [provided('round_id = $back')], [PROVIDER, PARTS, STANDING]],
    ['bonus money in a provider stake but not in its bet', [provided('bonus = bonus + 1')], [OF_BONUS]],
    [
      'a provider round wrongly marked as using bonus money',
      ['update provider_rounds set has_bonus = true where id = $late'],
      [OF_BONUS],
    ],
    [
      'a provider stake that was not counted',
      ['update provider_rounds set stakes = stakes - 1 where id = $late'],
      [STANDING],
    ],
    [
      'a provider win counted twice',
      ['update provider_rounds set wins = wins + 1 where id = $late'],
      [STANDING],
    ],
    [
      'a provider round without its bet',
      ['update provider_rounds set bet_id = null where id = $late'],
      [PROVIDER, PARTS],
    ],
    ['a jackpot without a ledger entry', [alone('JACKPOT')], [ALONE]],
    ['a promo win without a ledger entry', [alone('PROMO_WIN')], [ALONE]],
    [
      'a jackpot without a provider transaction',
      [`update ledger_lines set kind = 'provider.jackpot' where entry_id = ${testEntry}`],
      [ALONE],
    ],
    [
      'a rejected jackpot with a ledger entry',
      [
        `update ledger_lines set kind = 'provider.jackpot' where entry_id = ${testEntry}`,
        alone('JACKPOT', 'REFUSED'),
      ],
      [ALONE, REFUSED],
    ],
    ['an audit entry with a changed path', [`update admin_audit set path = '/' where id = 2`], [AUDIT]],
    ['a missing audit entry', ['delete from admin_audit where id = 2'], [AUDIT]],
  ])('finds %s', async (_, breaks, found) => {
    await behindTheBack(breaks);
    expect(await findings()).toEqual(found.toSorted());
  });

  test.each<[string, string, string, string[]]>([
    ['a user account without a user', 'ledger_lines_sides', lineOf(testEntry, 100, 1), [ACCOUNTS, SUM]],
    [
      'a negative balance',
      'wallets_cash_not_negative',
      'update wallets set cash = -1 where user_id = $user',
      [SUM, NEGATIVE],
    ],
    [
      'a negative hold',
      'wallets_hold_not_negative',
      'update wallets set hold = -1 where user_id = $user',
      [SUM, NEGATIVE, HOLD],
    ],
  ])('finds %s without the database constraint', async (_, constraint, statement, found) => {
    const table = constraint.replace(/_(sides|\w+_not_negative)$/, '');
    const { rows } = await sql<{ text: string }>`
      select pg_get_constraintdef(oid) as text from pg_constraint where conname = ${constraint}`.execute(
      app.db,
    );
    await behindTheBack([`alter table ${table} drop constraint ${constraint}`, statement]);
    expect(await findings()).toEqual(found.toSorted());
    await behindTheBack([`truncate ${table}`, `insert into ${table} table kept.${table}`]);
    await behindTheBack([`alter table ${table} add constraint ${constraint} ${rows[0]!.text}`]);
  });
});

test('reports nothing for consistent data, counts everything and lists each group of checks', async () => {
  const checks: string[] = [];
  const progress = (check: string) => checks.push(check);
  const report = await reconcile(app.services.db, { seedSecret: app.config.SEED_SECRET, progress });
  const lines = await app.db.selectFrom('ledger_lines').select('id').execute();
  const bets = await app.db
    .selectFrom('bets')
    .innerJoin('games', 'games.id', 'bets.game_id')
    .select('games.type')
    .execute();
  const ofHouse = bets.filter(({ type }) => type === 'HOUSE_GAME').length;
  expect(ofHouse).toBeLessThan(bets.length);
  expect(report).toEqual({
    findings: [],
    checked: {
      postings: lines.length,
      entries: 11,
      wallets: 2,
      'house bets': ofHouse,
      'provider bets': bets.length - ofHouse,
    },
  });
  expect(new Set(checks).size).toBe(10);
});
