import { type RawBuilder, sql } from 'kysely';
import { ALGORITHM_VERSION } from '../src/modules/games/fairness/rules.ts';
import type { Db } from '../src/platform/database/db.ts';
import { units } from '../src/platform/money.ts';
import { BET } from './load/protocol.ts';
import { query } from './world.ts';

/** Drops a table's keys and indexes, fills it, and then rebuilds the keys and indexes as the migrations declare them. */
export async function fillTable(db: Db, table: string, fill: (db: Db) => Promise<unknown>): Promise<void> {
  await db.connection().execute(async (one) => {
    await query(one)`set maintenance_work_mem = '512MB'`;
    const rebuild = await dropIndexes(one, table);
    await fill(one);
    for (const statement of rebuild) await sql.raw(statement).execute(one);
    await query(one)`reset maintenance_work_mem`;
  });
}

type Defined = { name: string; definition: string };

async function dropIndexes(db: Db, table: string): Promise<string[]> {
  const keys = await query(db)<Defined>`
    select conname as name, pg_get_constraintdef(oid) as definition from pg_constraint
    where conrelid = ${table}::regclass and contype in ('p', 'u')
      and not exists (select from pg_constraint f where f.conindid = pg_constraint.conindid and f.contype = 'f')`;
  for (const { name } of keys)
    await query(db)`alter table ${sql.ref(table)} drop constraint ${sql.ref(name)}`;
  const indexes = await query(db)<Defined>`
    select indexname as name, indexdef as definition from pg_indexes
    where schemaname = 'public' and tablename = ${table}
      and not exists (select from pg_constraint where conname = indexname)`;
  for (const { name } of indexes) await query(db)`drop index ${sql.ref(name)}`;
  return [
    ...keys.map(({ name, definition }) => `alter table ${table} add constraint ${name} ${definition}`),
    ...indexes.map(({ definition }) => definition.replace(' ON ONLY ', ' ON ')),
  ];
}

export type Range = { from: number; to: number };

/** Runs `insert` for the numbers from `first` to `last`, in ranges of half a million. */
export async function inRanges(
  first: number,
  last: number,
  insert: (range: Range) => Promise<unknown>,
): Promise<void> {
  const most = 500_000;
  for (let from = first; from <= last; from += most)
    await insert({ from, to: Math.min(last, from + most - 1) });
}

/** Inserts this many users without any other rows: user1, user2, … */
export const insertPlainUsers = (db: Db, users: number) => query(db)`
  insert into users (username, email, username_skeleton, email_verified)
  select 'user' || n, 'user' || n || '@bench.example', 'user ' || n, true
  from generate_series(1, ${users}::int) n order by n`;

/** The user of every tenth event. */
export const HEAVY = 1;
/** The events `from` to `to` of all `events`, which belong to this many users. */
export type Events = Range & { events: number; users: number };

/** Selects made-up events, spread over a year, eight per block of ids. `hash` is a random number from 0 to 65535. */
export const selectEvents = ({ from, to, events, users }: Events) => sql`(
  select e, hash, 1024::int8 * (1 + e / 8) + e % 8 * 3 as id, 1e8::int8 * (1 + hash % 50) as amount,
    now() - interval '1 day' * ${DAYS}::int * (1 - e / ${events}::float8) as at,
    case when hash % 10 = 0 then ${HEAVY}::int else 2 + hash % (${users}::int - 1) end as user_id,
    (array['USDT', 'USDT', 'USDT', 'USDT', 'USDT', 'USDT', 'BTC', 'BTC', 'ETH', 'EUR'])[1 + hash / 16 % 10] as currency_id
  from (select e, (e::int8 * 2654435761 >> 9) & 65535 as hash from generate_series(${from}::int, ${to}::int) e) numbers)`;

/** Returns the id that `selectEvents` gives to the event with this number. */
export const idOf = (event: number): bigint =>
  1024n * BigInt(1 + Math.floor(event / 8)) + BigInt((event % 8) * 3);

/** Sets the sequence of ledger ids to the first block after these events, so that new ids do not collide with theirs. */
export const skipIds = (db: Db, events: number) =>
  query(db)`select setval('ledger_ids', ${idOf(8 * Math.ceil((events + 1) / 8))}::int8)`;

/** The range of ids of the inserted bets, and the players who own them. */
export type History = { first: bigint; last: bigint; owners: readonly number[] };

const IDS_PER_BET = 3;
const IDS_PER_BLOCK = 1024;
export const DAYS = 365;
/** Distributes consecutive bets over the owners, as when players bet concurrently. The number is prime, so that every owner gets bets. */
const STRIDE = 7919;
const STAKE = units(BET.betAmount);

/**
 * Inserts dice bets, spread over a year, with two ledger postings each. The owners bet in turn, make the same number of bets, and have
 * `cash` as their balance. Every bet pays back its stake and uses its owner's seeds with the next nonce, so that ledger and nonces are
 * consistent. Only the outcomes do not match the seeds.
 */
export async function fillHistory(
  db: Db,
  { bets, owners, cash }: { bets: number; owners: readonly number[]; cash: bigint },
): Promise<History> {
  const [next] = await query(db)<{ first: bigint }>`select nextval('ledger_ids') as first`;
  const { first } = next!;
  const blocks = BigInt(Math.ceil((bets * IDS_PER_BET) / IDS_PER_BLOCK));
  const last = first + blocks * BigInt(IDS_PER_BLOCK) - 1n;
  await query(db)`select setval('ledger_ids', ${last + 1n}::int8)`;
  await query(db)`
    create table owners as select row_number() over (order by user_id) - 1 as n, user_id, seed_pair_id
    from players where user_id = any(${owners}::int4[])`;
  await query(db)`update players p set nonce = ${bets / owners.length}::int
    from owners o where o.user_id = p.user_id`;
  await Promise.all([
    fill(db, 'bets', bets, (made) => insertBets({ made, first, bets, owners })),
    fill(db, 'ledger_lines', bets, (made) => insertLines({ made, first, bets, owners, cash })),
  ]);
  await query(db)`drop table owners`;
  await query(db)`vacuum (freeze, analyze)`;
  return { first, last, owners };
}

type Made = { made: Range; first: bigint; bets: number; owners: readonly number[] };

const fill = (db: Db, table: string, bets: number, insert: (made: Range) => RawBuilder<unknown>) =>
  fillTable(db, table, (one) => inRanges(0, bets - 1, (made) => insert(made).execute(one)));

/** Returns the id, time, owner and nonce of inserted bet `e`. */
const events = ({ made, first, bets, owners }: Made) => sql`(
  select ${first}::int8 + ${IDS_PER_BET}::int8 * e as id, now() - interval '1 day' * ${DAYS}::int * (1 - e / ${bets}::float8) as at,
    o.user_id, o.seed_pair_id, e / ${owners.length}::int as nonce
  from generate_series(${made.from}::int, ${made.to}::int) e
  join owners o on o.n = e % ${owners.length}::int * ${STRIDE}::int8 % ${owners.length}::int)`;

const insertBets = (made: Made) => sql`
  insert into bets (id, amount, payout, usd_amount, usd_payout, usd_rate, max_profit_usd, seed_pair_id, created_at, updated_at,
    settled_at, user_id, game_id, nonce, rtp_bp, status, currency_id, algorithm_version, inputs, outcome)
  select h.id, ${STAKE}::int8, ${STAKE}::int8, ${STAKE}::int8, ${STAKE}::int8, 1e12, 1e13, seed_pair_id, at, at, at, user_id, g.id,
    nonce, 9900, 'SETTLED', ${BET.currencyId}::text, ${ALGORITHM_VERSION}::text, '{"threshold":50,"above":true}',
    '{"randomValue":71.25,"didWin":true,"multiplier":1.98}'
  from ${events(made)} h, (select id from games where slug = 'dice') g`;

const insertLines = (made: Made & { cash: bigint }) => sql`
  insert into ledger_lines (id, entry_id, amount, debit_after, credit_after, created_at, user_id, debit, credit, currency_id, kind)
  select h.id + l.id, h.id, ${STAKE}::int8, l.debit_after, l.credit_after, at, user_id, l.debit, l.credit, ${BET.currencyId}::text,
    l.kind
  from ${events(made)} h, (values (1, ${made.cash - STAKE}::int8, null::int8, 1, 100, 'bet.stake'),
    (2, null::int8, ${made.cash}::int8, 100, 1, 'bet.payout')) l(id, debit_after, credit_after, debit, credit, kind)`;

/**
 * Removes the inserted bets, bypassing the triggers that protect their tables, so that the remaining data can be verified. The outcomes of
 * these bets do not match their seeds and would be reported as findings.
 */
export async function removeHistory(db: Db, { first, last, owners }: History): Promise<void> {
  await db.transaction().execute(async (tx) => {
    await query(tx)`set local session_replication_role = replica`;
    for (const table of ['bets', 'ledger_lines']) {
      const kept = sql.ref(`kept_${table}`);
      await query(tx)`create temporary table ${kept} on commit drop as
        select * from ${sql.ref(table)} where id < ${first}::int8 or id > ${last}::int8`;
      await query(tx)`truncate ${sql.ref(table)}`;
      await query(tx)`insert into ${sql.ref(table)} select * from ${kept}`;
    }
    await query(tx)`update players set nonce = 0 where user_id = any(${owners}::int4[])`;
  });
  await query(db)`vacuum analyze`;
}
