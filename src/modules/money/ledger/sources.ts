import { type RawBuilder, sql } from 'kysely';
import type { DbOrTx } from '../../../platform/database/db.ts';
import { inRange, type Range } from '../../../platform/list/conditions.ts';
import { EVERYBODY } from '../../../platform/list/marked-list.ts';
import type { Reading, Size } from '../../../platform/list/table.ts';
import type { UserAccount } from './rules.ts';

/** Kinds that are so frequent that they can be found only through a user or an id range. */
export const FREQUENT_KINDS: readonly string[] = ['bet.stake', 'bet.payout'];

/** The sources of postings, each ordered by id. `rare` excludes stakes and payouts in cash and bonus money. */
export type Source =
  | { of: 'all' }
  | { of: 'rare' }
  | { of: 'user'; userId: number }
  /** The postings of one user, or of all users if `userId` is undefined. `kinds` must not include FREQUENT_KINDS. */
  | { of: 'kinds'; kinds: readonly string[]; userId: number | undefined }
  | { of: 'namespace'; namespace: string }
  /** Postings by which a staff member moved other users' money. */
  | { of: 'actor'; actorId: number }
  | { of: 'posting'; postingId: bigint }
  /** Entries whose key equals one of `keys`, or begins with one of them and a colon, plus the postings of a user's bet. */
  | { of: 'keys'; keys: readonly string[]; bet: BetPostings | undefined };

/** The id range of a bet's postings: from the bet's own id to the block of its last posting. `last` is null while the bet is open. */
export type BetPostings = { id: bigint; userId: number; last: bigint | null };

/** Must be identical to the condition of the partial indexes (0011-statement.sql). */
export const RARE = sql`least(debit, credit) < 100 and (kind not in ('bet.stake', 'bet.payout') or debit in (2, 4) or credit in (2, 4))`;
const COLUMNS = sql`id, entry_id, amount, debit_after, credit_after, created_at, user_id, debit, credit, currency_id, kind`;

/**
 * The ids of one `reserveIds` block differ only in the last ten bits. The ids of an entry's postings follow the entry's id within its
 * block.
 */
const LAST_OF_BLOCK = sql`1023`;

/** Returns how the size of a source can be determined. `scope` is the scope whose marks count the postings of the source. */
export function sizeOf(source: Source): Size {
  if (source.of === 'posting' || source.of === 'keys') return { of: 'few' };
  if (source.of === 'all') return { of: 'marked', scope: EVERYBODY };
  return source.of === 'user' ? { of: 'marked', scope: source.userId } : { of: 'unknown' };
}

/** Returns the statement that reads the postings of a source. The source `all` is unordered and always reads the whole range. */
export function postingsOf({ source, range, isDescending, rows }: Reading<Source>): RawBuilder<unknown> {
  const order = sql`order by id ${isDescending ? sql`desc` : sql`asc`}`;
  const limit = rows === undefined ? sql`` : sql`${order} limit ${sql.lit(rows)}`;
  const within = inRange(range);
  const ofEntries = (entries: RawBuilder<unknown>, more = sql`true`) => sql`
    select ${COLUMNS} from (${entries}) entry
    join lateral (
      select * from ledger_lines where ${RARE} and id > entry.head and id <= (entry.head | ${LAST_OF_BLOCK})
        and entry_id = entry.head and ${within} and ${more} offset 0
    ) posting on true`;
  const entriesWhere = (condition: RawBuilder<unknown>) =>
    sql`select id as head from ledger_entries where ${condition} and ${entriesIn(range)} ${limit}`;
  switch (source.of) {
    case 'all':
      return sql`select ${COLUMNS} from ledger_lines where least(debit, credit) < 100 and ${within}`;
    case 'rare':
      return sql`select ${COLUMNS} from ledger_lines where ${RARE} and ${within} ${limit}`;
    case 'user':
      return sql`select ${COLUMNS} from ledger_lines
        where user_id = ${sql.lit(source.userId)} and least(debit, credit) < 100 and ${within} ${limit}`;
    case 'kinds': {
      const whose = ownedBy(source.userId);
      const each = source.kinds.map(
        (kind) =>
          sql`(select ${COLUMNS} from ledger_lines
            where ${RARE} and ${whose} and kind = ${sql.lit(kind)} and ${within} ${limit})`,
      );
      if (each.length === 0) return sql`select ${COLUMNS} from ledger_lines where false`;
      return sql`select * from (${sql.join(each, sql` union all `)}) kinds ${limit}`;
    }
    case 'namespace':
      return ofEntries(entriesWhere(sql`split_part(key, ':', 1) = ${source.namespace}`));
    case 'actor':
      return ofEntries(
        entriesWhere(sql`actor_id = ${sql.lit(source.actorId)}`),
        sql`user_id <> ${sql.lit(source.actorId)}`,
      );
    case 'posting':
      return sql`select ${COLUMNS} from ledger_lines where id = ${sql.lit(source.postingId)} and ${within}`;
    case 'keys':
      return postingsOfKeys(source, ofEntries, within);
  }
}

const ownedBy = (userId: number | undefined) =>
  userId === undefined ? sql`true` : sql`user_id = ${sql.lit(userId)}`;

function postingsOfKeys(
  { keys, bet }: Extract<Source, { of: 'keys' }>,
  ofEntries: (entries: RawBuilder<unknown>) => RawBuilder<unknown>,
  within: RawBuilder<unknown>,
): RawBuilder<unknown> {
  const named = keys.map(
    (key) =>
      sql`(key collate "C" = ${key} or (key collate "C" >= ${`${key}:`} and key collate "C" < ${`${key};`}))`,
  );
  const byKey = ofEntries(
    sql`select id as head from ledger_entries where ${sql.join([...named, sql`false`], sql` or `)}`,
  );
  if (!bet) return byKey;
  const { id, userId, last } = bet;
  const until = last === null ? sql`true` : sql`id <= (${last}::int8 | ${LAST_OF_BLOCK})`;
  return sql`${byKey} union all select ${COLUMNS} from ledger_lines where user_id = ${userId} and id > ${id}
    and ${until} and entry_id = ${id} and least(debit, credit) < 100 and ${within}`;
}

/** Limits entries to a range of postings. The id of an entry precedes the ids of its postings within the same block. */
const entriesIn = (range: Range) => inRange(range, range.from & ~1023n);

/** Returns the kinds as SQL literals. The kinds must never come from user input. */
export const list = (kinds: readonly string[]) => sql.join(kinds.map((kind) => sql.lit(kind)));

const LINES = sql`ledger_lines`;
const ENTRIES = sql`ledger_entries`;
export type Planned = { table: RawBuilder<unknown>; which: RawBuilder<unknown> };

/**
 * Returns the table and condition with which the planner estimates the rows of a source. The planner estimates conditions on kinds better
 * than the conditions of the partial indexes.
 */
export function plannedFor(source: Source, account: UserAccount | undefined): Planned {
  const isRare = sql`kind not in (${list(FREQUENT_KINDS)})`;
  switch (source.of) {
    case 'kinds':
      return {
        table: LINES,
        which: sql`${ownedBy(source.userId)} and kind in (${list([...source.kinds, ''])})`,
      };
    case 'namespace':
      return { table: ENTRIES, which: sql`split_part(key, ':', 1) = ${source.namespace}` };
    case 'actor':
      return { table: ENTRIES, which: sql`actor_id = ${sql.lit(source.actorId)}` };
    case 'user':
      return { table: LINES, which: ownedBy(source.userId) };
    case 'all':
      return { table: LINES, which: sql`true` };
    default:
      // Bets never use this account, so the condition would exclude nothing.
      return { table: LINES, which: account === undefined ? isRare : sql`true` };
  }
}

/** Returns every kind ever posted to a user account, except FREQUENT_KINDS. It needs one index look-up per kind. */
export async function kindsPosted(db: DbOrTx): Promise<string[]> {
  const { rows } = await sql<{ kind: string }>`
    with recursive kinds as (
      (select kind from ledger_lines where ${RARE} order by kind limit 1)
      union all
      select (select l.kind from ledger_lines l where ${RARE} and l.kind > kinds.kind order by l.kind limit 1)
      from kinds where kinds.kind is not null
    ) select kind from kinds where kind is not null`.execute(db);
  return rows.map((row) => row.kind);
}

/** Returns every namespace that entry keys have used. */
export async function namespacesPosted(db: DbOrTx): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    with recursive names as (
      (select split_part(key, ':', 1) as name from ledger_entries order by 1 limit 1)
      union all
      select (select split_part(e.key, ':', 1) from ledger_entries e where split_part(e.key, ':', 1) > names.name order by 1 limit 1)
      from names where names.name is not null
    ) select name from names where name is not null`.execute(db);
  return rows.map((row) => row.name);
}
