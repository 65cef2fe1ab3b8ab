/** The location of a table's rows if players were sharded over two databases by id. */
export type Place =
  /** The rows are in the database of the player whose id this column contains. */
  | { kind: 'player'; column: string }
  /** Each row is in the same database as the row of another table that this column references. */
  | { kind: 'with'; column: string; table: string; key: string }
  /** Each row is in the databases of all players to whom the entry's postings belong. The entry itself is written before its postings. */
  | { kind: 'entry' }
  /** Both databases have the same rows, which are rarely written: the catalogue, and tables that have no assigned location. */
  | { kind: 'catalogue'; isGuessed?: boolean }
  /** The rows are totals over all players. Each database would have its own total. */
  | { kind: 'sums' }
  /** The rows are data that each database needs for its own jobs, queue and cursors. */
  | { kind: 'own' };

const OTHER_COLUMNS: Readonly<Record<string, string>> = {
  users: 'id',
  tips: 'sender_id',
  admin_tips: 'recipient_id',
  affiliate_days: 'affiliate_user_id',
  referral_activity: 'affiliate_user_id',
};

const WITH: Readonly<Record<string, readonly [column: string, table: string, key: string]>> = {
  free_rounds: ['grant_id', 'promo_grants', 'id'],
  gambling_limit_changes: ['limit_id', 'gambling_limits', 'id'],
  pending_factors: ['session_id', 'sessions', 'id'],
  used_refresh_tokens: ['session_id', 'sessions', 'id'],
  vip_application_images: ['application_id', 'vip_applications', 'id'],
};

const CATALOGUE = new Set(
  `challenges chat_rooms coming_soon_subscribers commission_rules countries currencies currency_networks exchange_rate_points exchange_rates faq
  game_providers games leaderboard_schedules leaderboards ledger_accounts main_page_games promo_codes promos return_alerts
  site_config site_config_history speed_chains speed_rounds sportsbook_keys supplier_lists`.split(/\s+/),
);

const SUMS = new Set(
  `account_days account_hours first_deposit_days first_deposit_hours game_days game_hours game_positions game_returns liability_counts liability_days money_days
  packed_days packed_players packed_together payment_days provider_hours registration_hours user_counts withdrawal_counts`.split(
    /\s+/,
  ),
);

const OWN = new Set(
  `admin_audit admin_audit_head archived_parts attempts broker_bindings broker_consumers broker_dead_letters broker_messages broker_queues consumed_messages
  cursors log_levels openid_nonces parts_away provider_reports rate_limits schedules schema_migrations schema_migrations_lock skin_notices
  socket_io_attachments sportsbook_tokens webhook_events`.split(/\s+/),
);

/** Returns the location of a table's rows, determined by the table's name and columns. */
export function placeOf(table: string, columns: readonly string[]): Place {
  if (table === 'ledger_entries') return { kind: 'entry' };
  const along = WITH[table];
  if (along) return { kind: 'with', column: along[0], table: along[1], key: along[2] };
  if (CATALOGUE.has(table)) return { kind: 'catalogue' };
  if (SUMS.has(table)) return { kind: 'sums' };
  if (OWN.has(table)) return { kind: 'own' };
  const column = OTHER_COLUMNS[table] ?? columns.find((name) => name === 'user_id');
  return column === undefined ? { kind: 'catalogue', isGuessed: true } : { kind: 'player', column };
}

/**
 * SQL body of a function that returns a player's half by id. It returns 2 (both) for null, for user 0 (the platform), and for staff,
 * because their accounts would exist in both databases.
 */
export const SIDE = `
  select case when coalesce($1, 0) = 0 or exists (select from users where users.id = $1 and is_staff) then 2 else $1 % 2 end`;
