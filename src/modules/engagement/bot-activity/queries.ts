import { type Selectable, sql } from 'kysely';
import type { Db, DbOrTx, Tx } from '../../../platform/database/db.ts';
import type { BotActivities } from '../../../platform/database/tables.ts';
import { errors } from '../../../platform/errors.ts';
import type { ActivityType, Amounts, Behavior, Day } from './rules.ts';

export const botActivityErrors = errors({
  BOT_ACTIVITY_NOT_FOUND: [404, 'Bot activity not found.'],
  BOT_ACTIVITY_DISABLED: [
    409,
    'Bot activity is disabled on this server (BOT_ACTIVITY), so no bot can be activated.',
  ],
  BOT_ACCOUNT_IN_USE: [
    409,
    'This account is or was in use; see details.use. Choose an account that has no sign-ins, deposits or bets.',
  ],
  BOT_ACCOUNT_NEEDED: [
    409,
    'This account is not a bot. Make it one with PATCH /admin/bot-activity/bot-toggle.',
  ],
});

/** PostgreSQL channel that reports when an activity or the set of bot accounts has changed. */
export const CHANGED = 'bot_activities_changed';

export type ActivityRow = Omit<Selectable<BotActivities>, 'type' | 'behavior' | 'play_days'> & {
  type: ActivityType;
  behavior: Behavior;
  play_days: Day[];
};

/** Returns the activities that every process caches. Banned bots are excluded later, when rows are created and read. */
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

/** Makes every process reload the active activities after the commit. */
export const notifyProcesses = (tx: Tx) => sql`select pg_notify(${CHANGED}, '')`.execute(tx);

export type NewRow = Amounts & { userId: number; gameId: number; currencyId: string };

/** Stores rows of activities that are still active, each with its own sequence position, and records when these activities last ran. */
export async function insertRows(db: Db, rows: readonly NewRow[]): Promise<void> {
  const values = rows.map(({ amount, payout, usdAmount, usdPayout, ...row }, n) => ({
    ...row,
    n,
    amount: String(amount),
    payout: String(payout),
    usdAmount: String(usdAmount),
    usdPayout: String(usdPayout),
  }));
  // The safe watermark requires that a transaction gets its transaction id before it takes any id from the sequence.
  await sql`
    with own as materialized (select pg_current_xact_id() as xid),
    block as materialized (select nextval('ledger_ids') as base from own where xid is not null),
    made as (
      insert into simulated_bets (id, user_id, game_id, currency_id, amount, payout, usd_amount, usd_payout)
      select block.base + r.n, r."userId", r."gameId", r."currencyId", r.amount, r.payout, r."usdAmount", r."usdPayout"
      from block, json_to_recordset(${JSON.stringify(values)}::json) r(n int, "userId" int, "gameId" int, "currencyId" text,
        amount int8, payout int8, "usdAmount" int8, "usdPayout" int8)
      join bot_activities a on a.user_id = r."userId" join users u on u.id = a.user_id
      where a.is_active and u.is_bot and u.banned_at is null
      returning user_id)
    update bot_activities set last_run_at = now() where user_id in (select user_id from made)`.execute(db);
}
