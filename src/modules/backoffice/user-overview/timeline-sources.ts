import { type RawBuilder, sql } from 'kysely';
import type { Permission } from '../../../http/access.ts';
import { generationOf } from '../../games/bets/effects.ts';
import { SKIN_STATUS, SKIN_USD } from '../../money/payments/deposits/view.ts';
import type { Place } from './rules.ts';

/** The kinds of entries, and the permission that each of them requires. */
export const KINDS = {
  'sign-up': 'user.read',
  'sign-in': 'user.read',
  deposit: 'deposit.read',
  withdrawal: 'withdraw.read',
  bets: 'bet.read',
  limit: 'limit.read',
  exclusion: 'limit.read',
  note: 'note.read',
  verification: 'kyc.read',
  bonus: 'promo.read',
  staff: 'audit.read',
} as const satisfies Readonly<Record<string, Permission>>;
export type Kind = keyof typeof KINDS;

export type EntryRow = Place & {
  kind: Kind;
  at: Date;
  state: string | null;
  text: string | null;
  amount: bigint | null;
  currencyId: string | null;
  usdAmount: bigint | null;
  bets: bigint | null;
  stakedUsd: string | null;
  paidUsd: string | null;
  spins: number | null;
  spinValue: bigint | null;
  game: string | null;
  byId: number | null;
};

type Sql = RawBuilder<unknown>;
type Fields = { at: Sql; id: Sql } & Partial<Record<Exclude<keyof typeof TYPES, 'at' | 'id'>, Sql>>;

/** The columns of every source, with their types. */
const TYPES = {
  at: 'timestamptz',
  id: 'text',
  state: 'text',
  text: 'text',
  amount: 'int8',
  currencyId: 'text',
  usdAmount: 'int8',
  bets: 'int8',
  stakedUsd: 'text',
  paidUsd: 'text',
  spins: 'int4',
  spinValue: 'int8',
  game: 'text',
  byId: 'int4',
} as const;

/** Returns the columns of a source. Columns that it lacks are null. */
const columns = (fields: Fields): Sql =>
  sql.join(
    (Object.keys(TYPES) as (keyof typeof TYPES)[]).map(
      (name) => sql`(${fields[name] ?? sql`null`})::${sql.raw(TYPES[name])} as ${sql.ref(name)}`,
    ),
  );

type Reading = { userId: number; before: Place | undefined; most: number };
/**
 * Statements that select the entries of a user. An entry's time is that of an index on the user, so that few rows are read. A user has few
 * notes, verifications and staff actions, so these are sorted. A decision on a payment is a staff action, too, and a user has few payments.
 */
type Source = (reading: Reading) => readonly Sql[];

const joined = (...parts: readonly Sql[]): Sql => sql`nullif(concat_ws(', ', ${sql.join(parts)}), '')`;

const SOURCES: Readonly<Record<Kind, Source>> = {
  'sign-up': ({ userId }) => [
    sql`select ${columns({
      at: sql`u.created_at`,
      id: sql`'1'`,
      text: joined(sql`r.browser`, sql`r.os`, sql`r.ip_address`),
      byId: sql`u.opened_by`,
    })} from users u left join registration_info r on r.user_id = u.id where u.id = ${userId}`,
  ],
  'sign-in': ({ userId }) => [
    sql`select ${columns({
      at: sql`created_at`,
      id: sql`id`,
      state: sql`revoked_reason`,
      text: joined(sql`browser`, sql`os`, sql`ip_address`),
    })} from sessions where user_id = ${userId}`,
  ],
  deposit: ({ userId }) => [
    sql`select ${columns({
      at: sql`created_at`,
      id: sql`id`,
      state: sql`status`,
      text: sql`nullif(network_id, '')`,
      amount: sql`amount`,
      currencyId: sql`currency_id`,
      usdAmount: sql`usd_amount`,
    })} from deposits where user_id = ${userId}`,
    sql`select ${columns({
      at: sql`s.created_at`,
      id: sql`s.id`,
      state: SKIN_STATUS,
      text: sql`s.game`,
      amount: sql`coalesce(s.credited_amount, 0)`,
      currencyId: sql`s.currency_id`,
      usdAmount: SKIN_USD,
    })} from skin_deposits s where s.user_id = ${userId}`,
  ],
  withdrawal: ({ userId }) => [
    sql`select ${columns({
      at: sql`created_at`,
      id: sql`id`,
      state: sql`status`,
      text: joined(sql`network_id`, sql`coalesce(reject_reason, failed_reason, hold_reason)`),
      amount: sql`amount`,
      currencyId: sql`currency_id`,
      usdAmount: sql`usd_amount`,
      byId: sql`confirmed_by`,
    })} from withdrawals where user_id = ${userId}`,
  ],
  bets: betDays,
  limit: ({ userId }) => [
    sql`select ${columns({
      at: sql`c.requested_at`,
      id: sql`c.id`,
      state: sql`coalesce(c.outcome, 'PENDING')`,
      text: sql`l.type || ' ' || l.period`,
      amount: sql`c.amount`,
      byId: sql`c.requested_by`,
    })} from gambling_limits l join gambling_limit_changes c on c.limit_id = l.id where l.user_id = ${userId}`,
  ],
  exclusion: ({ userId }) => [
    sql`select ${columns({
      at: sql`created_at`,
      id: sql`id`,
      state: sql`case when lifted_at is null then kind else 'LIFTED' end`,
      text: joined(sql`reason`, sql`lift_reason`),
      byId: sql`coalesce(lifted_by, created_by)`,
    })} from exclusions where user_id = ${userId}`,
  ],
  note: ({ userId }) => [
    sql`select ${columns({
      at: sql`created_at`,
      id: sql`id`,
      state: sql`risk_level`,
      text: sql`note`,
      byId: sql`created_by`,
    })} from user_notes where user_id = ${userId}`,
  ],
  verification: ({ userId }) => [
    sql`select ${columns({
      at: sql`created_at`,
      id: sql`id`,
      state: sql`to_status`,
      text: joined(sql`tier`, sql`reason`),
      byId: sql`actor_id`,
    })} from kyc_history where user_id = ${userId}`,
  ],
  bonus: ({ userId }) => [
    sql`select ${columns({
      at: sql`g.created_at`,
      id: sql`g.id`,
      state: sql`g.status`,
      text: sql`g.name`,
      amount: sql`g.granted_amount`,
      currencyId: sql`g.currency_id`,
      usdAmount: sql`g.granted_usd`,
      spins: sql`r.rounds`,
      spinValue: sql`r.bet`,
      game: sql`(select name from games where id = r.game_id)`,
      byId: sql`g.granted_by`,
    })} from promo_grants g left join free_rounds r on r.grant_id = g.id where g.user_id = ${userId}`,
  ],
  // The conditions are those of admin_audit_subject_idx and admin_audit_subjects_idx.
  staff: ({ userId }) => [
    staffActs(sql`audited_user(path, request_body) = ${userId}`),
    staffActs(sql`audited_users(before, after) @> array[${userId}::int4]
      and audited_user(path, request_body) is distinct from ${userId}`),
  ],
};

/** Successful changes by staff. Ids and times have the same order. */
const staffActs = (concernsUser: Sql): Sql =>
  sql`select ${columns({
    at: sql`created_at`,
    id: sql`lpad(id::text, 19, '0')`,
    state: sql`request_body->>'action'`,
    text: joined(sql`method || ' ' || path`, sql`reason`, sql`after->>'mutedUntil'`),
    byId: sql`user_id`,
  })} from admin_audit where ${concernsUser} and method <> 'GET' and status_code < 400 and permission not like '%.read'`;

/** The time of a position, with microseconds. */
const timeOf = ({ micros }: Place): Sql =>
  sql`(timestamptz 'epoch' + ${micros}::int8 * interval '1 microsecond')`;

/**
 * Sums up bets by day. The newest days with bets are found one after the other through play_hours_user_idx, so that the cost does not depend
 * on the number of earlier days.
 */
function betDays({ userId, before, most }: Reading): readonly Sql[] {
  const own = sql`user_id = ${userId} and generation = ${generationOf('user-stats')}`;
  const newest = (until: Sql) => sql`(select date_trunc('day', hour, 'UTC') from play_hours
    where ${own} and hour < ${until} order by hour desc limit 1)`;
  const end = before ? sql`${timeOf(before)}` : sql`'infinity'::timestamptz`;
  return [
    sql`select ${columns({
      at: sql`total.at`,
      id: sql`to_char(days.day at time zone 'UTC', 'YYYY-MM-DD')`,
      bets: sql`total.bets`,
      stakedUsd: sql`total.staked`,
      paidUsd: sql`total.paid`,
    })} from (
      with recursive found (day, n) as (
        select ${newest(end)}, 1
        union all select ${newest(sql`found.day`)}, n + 1 from found where day is not null and n <= ${most}
      ) select day from found where day is not null
    ) days cross join lateral (
      select max(last_at) as at, sum(bets) as bets, sum(staked_usd) as staked, sum(paid_usd) as paid
      from play_hours where ${own} and hour >= days.day and hour < days.day + interval '1 day'
    ) total where total.at is not null`,
  ];
}

/** Selects the newest entries of these kinds before a position, in the order of `at`, `kind` and `id`, all descending. */
export function entriesOf(kinds: readonly Kind[], reading: Reading): Sql {
  const limit = sql.lit(reading.most);
  const parts = kinds.flatMap((kind) =>
    SOURCES[kind](reading).map(
      (
        source,
      ) => sql`(select ${sql.lit(kind)} as kind, one.* from (${source}) one where ${precedes(kind, reading.before)}
        order by at desc, id collate "C" desc limit ${limit})`,
    ),
  );
  return sql`select entry.*, (extract(epoch from at) * 1000000)::int8::text as micros
    from (${sql.join(parts, sql` union all `)}) entry
    order by at desc, kind collate "C" desc, id collate "C" desc limit ${limit}`;
}

/** The time is compared separately, because an index on the time cannot serve the comparison of the whole position. */
function precedes(kind: Kind, before: Place | undefined): Sql {
  if (!before) return sql`true`;
  const at = timeOf(before);
  return sql`at <= ${at} and (at, ${sql.lit(kind)}::text collate "C", id collate "C") < (${at}, ${before.kind}, ${before.id})`;
}
