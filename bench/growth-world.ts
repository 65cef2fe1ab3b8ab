import { type RawBuilder, sql } from 'kysely';
import { ALGORITHM_VERSION } from '../src/modules/games/fairness/rules.ts';
import type { Db } from '../src/platform/database/db.ts';
import { units } from '../src/platform/money.ts';
import { fillTable, inRanges } from './fill.ts';
import { BET } from './protocol.ts';

/** The range of ids of the inserted bets, and the players who own them. */
export type History = { first: bigint; last: bigint; owners: readonly number[] };

const IDS_PER_BET = 3;
const IDS_PER_BLOCK = 1024;
const DAYS = 365;
/** Distributes consecutive bets over the owners, as when players bet concurrently. The number is prime, so that every owner gets bets. */
const STRIDE = 7919;
const STAKE = units(BET.betAmount);

/**
 * Inserts dice bets, spread over a year, with two ledger postings each. The owners bet in turn, make the same number of bets, and have
 * `cash` as their balance. Every bet pays back its stake and uses its owner's seeds with the next nonce. The ledger and the nonces are
 * therefore consistent, but outcomes do not match the seeds. The database generates the bets itself. Indexes are built afterwards as the
 * migrations declare them.
 */
export async function fillHistory(
  db: Db,
  { bets, owners, cash }: { bets: number; owners: readonly number[]; cash: bigint },
): Promise<History> {
  const { rows } = await sql<{ first: bigint }>`select nextval('ledger_ids') as first`.execute(db);
  const { first } = rows[0]!;
  const blocks = BigInt(Math.ceil((bets * IDS_PER_BET) / IDS_PER_BLOCK));
  const last = first + blocks * BigInt(IDS_PER_BLOCK) - 1n;
  await sql`select setval('ledger_ids', ${last + 1n}::int8)`.execute(db);
  await sql`create table owners as select row_number() over (order by user_id) - 1 as n, user_id, seed_pair_id
    from players where user_id = any(${owners}::int4[])`.execute(db);
  await sql`update players p set nonce = ${bets / owners.length}::int
    from owners o where o.user_id = p.user_id`.execute(db);
  await Promise.all([
    fill(db, 'bets', bets, (made) => insertBets({ made, first, bets, owners })),
    fill(db, 'ledger_lines', bets, (made) => insertLines({ made, first, bets, owners, cash })),
  ]);
  await sql`drop table owners`.execute(db);
  await sql`vacuum (freeze, analyze)`.execute(db);
  return { first, last, owners };
}

type Range = { from: number; to: number };
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
    await sql`set local session_replication_role = replica`.execute(tx);
    for (const table of ['bets', 'ledger_lines']) {
      const kept = sql.ref(`kept_${table}`);
      await sql`create temporary table ${kept} on commit drop as
        select * from ${sql.ref(table)} where id < ${first}::int8 or id > ${last}::int8`.execute(tx);
      await sql`truncate ${sql.ref(table)}`.execute(tx);
      await sql`insert into ${sql.ref(table)} select * from ${kept}`.execute(tx);
    }
    await sql`update players set nonce = 0 where user_id = any(${owners}::int4[])`.execute(tx);
  });
  await sql`vacuum analyze`.execute(db);
}
