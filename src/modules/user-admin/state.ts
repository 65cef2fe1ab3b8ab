import { type RawBuilder, sql } from 'kysely';
import type { Db } from '../../platform/db.ts';
import type { Condition } from './queries.ts';
import { MARK_EVERY } from './rules.ts';

/** Orders in which a user never changes his place and new users come last. */
export type FixedOrder = 'id' | 'createdAt';

type Mark = { rank: number; at: string; id: number };

type Order = {
  keys: RawBuilder<unknown>;
  after: (mark: Mark) => RawBuilder<boolean>;
  isSettled: RawBuilder<boolean>;
};

/** A sign-up takes seconds: before a minute ago nobody can come in any more. */
const SETTLED = sql<boolean>`created_at < now() - interval '1 minute'`;

const ORDERS: Readonly<Record<FixedOrder, Order>> = {
  id: {
    keys: sql`id`,
    after: ({ id }) => sql`id > ${id}`,
    isSettled: sql`id <= (select id from users where ${SETTLED} order by created_at desc limit 1)`,
  },
  createdAt: {
    keys: sql`created_at, id`,
    after: ({ at, id }) => sql`(created_at, id) > (${at}::timestamptz, ${id})`,
    isSettled: SETTLED,
  },
};

/**
 * Who stands at every 5,000th place of the whole list, in memory. Users are never deleted and their time of sign-up never
 * changes, so a place once known stays true. The first deep page of a process reads the index once, later ones what has been added since.
 */
export function createMarks(db: Db) {
  const marks: Record<FixedOrder, Mark[]> = { id: [], createdAt: [] };

  const extend = async (order: FixedOrder): Promise<void> => {
    const last = marks[order].at(-1);
    const { rows } = await sql<{ at: string; id: number; n: number }>`
      select at, id, n from (
        select created_at::text as at, id, (row_number() over (order by ${ORDERS[order].keys}))::int as n
        from users
        where ${ORDERS[order].isSettled} and ${last ? ORDERS[order].after(last) : sql<boolean>`true`}
      ) numbered where n % ${sql.lit(MARK_EVERY)} = 0 order by n`.execute(db);
    // Somebody else may have been here meanwhile.
    if (marks[order].at(-1) !== last) return;
    for (const { at, id, n } of rows) marks[order].push({ rank: (last?.rank ?? 0) + n, at, id });
  };

  return {
    /** The conditions behind which the `rank`-th user (from 0, oldest first) comes, and how many come before him there. */
    async before(order: FixedOrder, rank: number): Promise<{ conditions: Condition[]; skip: number }> {
      const wanted = Math.floor(rank / MARK_EVERY);
      if (wanted > marks[order].length) await extend(order);
      const mark = marks[order][Math.min(wanted, marks[order].length) - 1];
      if (!mark) return { conditions: [], skip: rank };
      return { conditions: [{ about: order, is: ORDERS[order].after(mark) }], skip: rank - mark.rank };
    },
  };
}

export type Marks = ReturnType<typeof createMarks>;
