import { type RawBuilder, sql } from 'kysely';
import { type Conditions, conditionsOf, every, inRange } from '../../../platform/list/conditions.ts';
import type { ListTable, Wanted } from '../../../platform/list/table.ts';
import type { Rate, Units } from '../../../platform/money.ts';
import { accountOf, codeOf, type UserAccount } from './rules.ts';
import { FREQUENT_KINDS, list, plannedFor, postingsOf, type Source, sizeOf } from './sources.ts';

/**
 * A change to one user account, with the new balance and the key, actor and memo of its entry. Entries of bets have none of these three.
 */
export type Movement = {
  postingId: bigint;
  isIn: boolean;
  entryId: bigint;
  kind: string;
  userId: number;
  currencyId: string;
  account: UserAccount;
  amount: Units;
  balanceAfter: Units;
  at: Date;
  key: string | null;
  actorId: number | null;
  memo: string | null;
};

/** Kinds of postings whose entry is a bet. Entries of bets have no key. */
const BET_KINDS = [...FREQUENT_KINDS, 'bet.stake.rollback'];

export type Bounds = { min: Units; max: Units };
export type MovementFilter = {
  postingId?: bigint | undefined;
  userId?: number | undefined;
  isIn?: boolean | undefined;
  kinds?: readonly string[] | undefined;
  account?: UserAccount | undefined;
  currencyId?: string | undefined;
  /** The minimum and maximum of matching amounts by currency. Currencies that are not listed do not match. */
  bounds?: ReadonlyMap<string, Bounds> | undefined;
  /** The id of a staff member who moved other users' money. */
  actorId?: number | undefined;
  /** The namespace of the entry's key. `bet` selects bets, which have no key. */
  namespace?: string | undefined;
};
/** Movements of user accounts. A posting is a separate movement for each of its two accounts that is a user account. */
export const movementTable: ListTable<Source, MovementFilter, Movement, Row> = {
  rowsOf: postingsOf,
  matches(filter) {
    const needsHead = filter.actorId !== undefined || filter.namespace !== undefined;
    const head = needsHead ? sql`left join ledger_entries e on e.id = l.entry_id` : sql``;
    return sql`
      select l.id, l.entry_id, l.amount, l.created_at, l.user_id, l.currency_id, l.kind, side.is_in, side.account, side.after
      from lines l ${head}
      cross join lateral (values (false, l.debit, l.debit_after), (true, l.credit, l.credit_after)) side(is_in, account, after)
      where side.account < 100 and ${every(conditionsOf(CONDITIONS, filter))}`;
  },
  order: (way) => sql`id ${way}, is_in ${way}`,
  columns: sql`page.id as "postingId", is_in as "isIn", entry_id as "entryId", page.kind, user_id as "userId",
    currency_id as "currencyId", account, amount, after as "balanceAfter", page.created_at as at, e.key, e.actor_id as "actorId", e.memo`,
  joins: sql`left join (select id as head, key, actor_id, memo from ledger_entries) e on e.head = page.entry_id`,
  toRow: (row) => ({ ...row, account: accountOf(row.account) as UserAccount }),
  planned: plannedPostings,
  sizeOf,
  isUnordered: true,
};

type Row = Omit<Movement, 'account'> & { account: number };

const CONDITIONS: Conditions<MovementFilter> = {
  postingId: (id) => sql`l.id = ${sql.lit(id)}`,
  userId: (id) => sql`l.user_id = ${sql.lit(id)}`,
  isIn: (isIn) => sql`side.is_in = ${sql.lit(isIn)}`,
  kinds: (kinds) => (kinds.length > 0 ? sql`l.kind in (${list(kinds)})` : sql`false`),
  account: (account) => sql`side.account = ${sql.lit(codeOf(account))}`,
  currencyId: (id) => sql`l.currency_id = ${id}`,
  bounds: (bounds) =>
    sql`(${sql.join(
      [...bounds].map(([id, b]) => sql`(l.currency_id = ${id} and l.amount between ${b.min} and ${b.max})`),
      sql` or `,
    )})`,
  actorId: (id) => sql`(e.actor_id = ${sql.lit(id)} and l.user_id <> ${sql.lit(id)})`,
  namespace: (name) =>
    name === 'bet'
      ? sql`(l.kind in (${list(BET_KINDS)}) or split_part(e.key, ':', 1) = 'bet')`
      : sql`split_part(e.key, ':', 1) = ${name}`,
};

/** Returns the sort key for amounts: the amount itself, or its value at the given rates. */
export function worthOf(rates: ReadonlyMap<string, Rate> | undefined): RawBuilder<unknown> {
  if (!rates) return sql`amount`;
  const cases = [...rates].map(([id, rate]) => sql`when ${id} then ${rate}::int8`);
  return sql`amount::numeric * (case currency_id ${sql.join(cases, sql` `)} else 0 end)`;
}

/**
 * Returns the query from which the planner's row estimate is read: the postings of a source in a range that match the filter. For a
 * namespace or an actor, the query selects entries instead.
 */
function plannedPostings({ source, range, filter }: Wanted<Source, MovementFilter>): RawBuilder<unknown> {
  const { table, which } = plannedFor(source, filter.account);
  const ofPostings = source.of === 'namespace' || source.of === 'actor' ? {} : filter;
  const { userId, kinds, currencyId, bounds, account, isIn } = ofPostings;
  const condition = every([
    which,
    inRange(range),
    ...conditionsOf(CONDITIONS, { userId, kinds, currencyId, bounds }),
    ...(account === undefined
      ? []
      : [sql`(debit = ${sql.lit(codeOf(account))} or credit = ${sql.lit(codeOf(account))})`]),
    ...(isIn === undefined ? [] : [isIn ? sql`credit < 100` : sql`debit < 100`]),
  ]);
  return sql`select 1 from ${table} l where ${condition}`;
}
