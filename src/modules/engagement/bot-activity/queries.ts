import { type RawBuilder, type Selectable, sql } from 'kysely';
import type { z } from 'zod';
import type { BotActivities } from '../../../platform/database.ts';
import type { Db, DbOrTx, Tx } from '../../../platform/db.ts';
import { newId } from '../../../platform/ids.ts';
import { every } from '../../../platform/list/conditions.ts';
import type { Amounts } from './outcomes/rules.ts';
import { type ActivityType, type Behavior, type Day, minuteOf } from './rules.ts';
import type { BotActivityQuery } from './schemas.ts';

export type ActivityRow = Omit<Selectable<BotActivities>, 'type' | 'behavior' | 'play_days'> & {
  type: ActivityType;
  behavior: Behavior;
  play_days: Day[];
};

/** What of an activity can be set. */
export type ActivityTerms = Pick<
  ActivityRow,
  'type' | 'behavior' | 'play_days' | 'start_minute' | 'games' | 'is_active'
>;

/** What each process has in memory. A bot that is banned is left out when rows are made and shown. */
export async function readActive(db: DbOrTx): Promise<ActivityRow[]> {
  const rows = await db
    .selectFrom('bot_activities as a')
    .innerJoin('users', 'users.id', 'a.user_id')
    .selectAll('a')
    .where('a.is_active', '=', true)
    .where('users.is_bot', '=', true)
    .orderBy('a.user_id')
    .execute();
  return rows as ActivityRow[];
}

export async function findActivity(db: DbOrTx, id: string): Promise<ActivityRow | undefined> {
  const row = await db.selectFrom('bot_activities').selectAll().where('id', '=', id).executeTakeFirst();
  return row as ActivityRow | undefined;
}

/** What an account seems to play. It changes under the lock of its user alone. */
export async function findActivityOf(db: DbOrTx, userId: number): Promise<ActivityRow | undefined> {
  const row = await db
    .selectFrom('bot_activities')
    .selectAll()
    .where('user_id', '=', userId)
    .executeTakeFirst();
  return row as ActivityRow | undefined;
}

/** Sets what an account seems to play, in place of what it did before. The user must be locked. */
export async function putActivity(tx: Tx, userId: number, terms: ActivityTerms): Promise<ActivityRow> {
  const row = await tx
    .insertInto('bot_activities')
    .values({ id: newId(), user_id: userId, ...terms })
    .onConflict((oc) => oc.column('user_id').doUpdateSet({ ...terms, updated_at: sql<Date>`now()` }))
    .returningAll()
    .executeTakeFirstOrThrow();
  return row as ActivityRow;
}

type Query = z.output<typeof BotActivityQuery>;

const ORDERS = {
  createdAt: sql`a.created_at`,
  updatedAt: sql`a.updated_at`,
  lastRunAt: sql`a.last_run_at`,
  startTime: sql`a.start_minute`,
  userId: sql`a.user_id`,
} as const;

export async function countActivities(db: Db, query: Query): Promise<number> {
  const { rows } = await sql<{ total: number }>`
    select count(*)::int as total from bot_activities a where ${every(conditionsOf(query))}`.execute(db);
  return rows[0]!.total;
}

/** Those that have never run before all others; ties by id. */
export async function listActivities(db: Db, query: Query, offset: number): Promise<ActivityRow[]> {
  const way = query.sortOrder === 'asc' ? sql`asc nulls first` : sql`desc nulls last`;
  const { rows } = await sql<ActivityRow>`
    select a.* from bot_activities a where ${every(conditionsOf(query))}
    order by ${ORDERS[query.sortBy]} ${way}, a.id ${way} limit ${query.take} offset ${offset}`.execute(db);
  return rows;
}

function conditionsOf({ isActive, type, behavior, playDays, username, fromTime, toTime }: Query) {
  const conditions: (RawBuilder<unknown> | false)[] = [
    sql`a.is_active = ${isActive}`,
    type !== undefined && sql`a.type = ${type}`,
    behavior !== undefined && sql`a.behavior = ${behavior}`,
    playDays !== undefined && playDays.length > 0 && sql`a.play_days && ${playDays}::text[]`,
    username !== undefined &&
      sql`a.user_id = any(array(select id from users where lower(username) = lower(${username})))`,
    (fromTime !== undefined || toTime !== undefined) && startsWithin(fromTime, toTime),
  ];
  return conditions.filter((condition) => condition !== false);
}

function startsWithin(fromTime = '00:00', toTime = '23:59'): RawBuilder<unknown> {
  const [from, to] = [minuteOf(fromTime), minuteOf(toTime)];
  return from <= to
    ? sql`a.start_minute between ${from} and ${to}`
    : sql`(a.start_minute >= ${from} or a.start_minute <= ${to})`;
}

/** How an account is or was used that is to become a bot's; undefined: it is not. The player and the user must be locked. */
export async function useOf(tx: Tx, userId: number): Promise<string | undefined> {
  const of = (table: string) => sql`exists (select from ${sql.table(table)} where user_id = ${userId})`;
  const { rows } = await sql<{ use: string }>`
    select use from (values
      (1, 'RIGHTS', exists (select from users where id = ${userId} and roles || permissions <> '{}')),
      (2, 'SIGN_IN', exists (select from users where id = ${userId} and last_login_at is not null) or ${of('sessions')}
        or ${of('identities')}),
      (3, 'API_KEY', exists (select from api_keys where user_id = ${userId} and revoked_at is null)),
      (4, 'DEPOSIT', ${of('deposits')} or ${of('deposit_addresses')} or ${of('skin_deposits')}),
      (5, 'BET', ${of('bets')} or ${of('user_stats')}),
      (6, 'PROMO', ${of('promo_grants')}),
      (7, 'AFFILIATE', ${of('affiliates')} or ${of('referrals')})
    ) uses(n, use, is_so) where is_so order by n limit 1`.execute(tx);
  return rows[0]?.use;
}

/** A row of scenery as it is made. */
export type NewRow = Amounts & { userId: number; gameId: number; currencyId: string };

/** Stores rows of activities that are still active, at sequence positions of their own, and when these have run. */
export async function insertRows(db: Db, rows: readonly NewRow[]): Promise<void> {
  const made = rows.map(({ amount, payout, usdAmount, usdPayout, ...row }, n) => ({
    ...row,
    n,
    amount: String(amount),
    payout: String(payout),
    usdAmount: String(usdAmount),
    usdPayout: String(usdPayout),
  }));
  // Whoever takes ids has a transaction id before: the safe watermark rests on it.
  await sql`
    with own as materialized (select pg_current_xact_id() as xid),
    block as materialized (select nextval('ledger_ids') as base from own where xid is not null),
    made as (
      insert into simulated_bets (id, user_id, game_id, currency_id, amount, payout, usd_amount, usd_payout)
      select block.base + r.n, r."userId", r."gameId", r."currencyId", r.amount, r.payout, r."usdAmount", r."usdPayout"
      from block, json_to_recordset(${JSON.stringify(made)}::json) r(n int, "userId" int, "gameId" int, "currencyId" text,
        amount int8, payout int8, "usdAmount" int8, "usdPayout" int8)
      join bot_activities a on a.user_id = r."userId" join users u on u.id = a.user_id
      where a.is_active and u.is_bot and u.banned_at is null
      returning user_id)
    update bot_activities set last_run_at = now() where user_id in (select user_id from made)`.execute(db);
}
