import { type RawBuilder, sql } from 'kysely';
import type { Db } from '../../../platform/database/db.ts';
import type { Condition } from './queries.ts';
import { USERS_PER_MARK } from './rules.ts';

/** Sort orders in which existing users keep their position and new users are added at the end. */
export type FixedOrder = 'id' | 'createdAt';

type Mark = { rank: number; at: string; id: number };

type Order = {
  keys: RawBuilder<unknown>;
  after: (mark: Mark) => RawBuilder<boolean>;
  isSettled: RawBuilder<boolean>;
};

/** The creation of an account takes only seconds, so no new user can get an earlier sign-up time than these users have. */
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
 * Caches the users at every 5,000th position of the full list as marks. Users are never deleted and their sign-up time never changes, so
 * marks stay valid. The first request for a deep page in a process reads the index once, `batch` marks at a time. Later requests read only
 * new users. Concurrent calls share one run. If a run fails, the marks that it has already read are kept.
 */
export function createUserMarks(db: Db, { batch = 20 }: { batch?: number } = {}) {
  const marks: Record<FixedOrder, Mark[]> = { id: [], createdAt: [] };
  const runs: Partial<Record<FixedOrder, Promise<void>>> = {};

  /** Reads the next marks. Returns true if there may be more. */
  const readBatch = async (order: FixedOrder): Promise<boolean> => {
    const { keys, after, isSettled } = ORDERS[order];
    const last = marks[order].at(-1);
    const { rows } = await sql<{ at: string; id: number; n: number }>`
      select created_at::text as at, id, n from (
        select created_at, id, (row_number() over (order by ${keys}))::int as n from (
          select created_at, id from users where ${isSettled} and ${last ? after(last) : sql<boolean>`true`}
          order by ${keys} limit ${sql.lit(batch * USERS_PER_MARK)}
        ) next
      ) numbered where n % ${sql.lit(USERS_PER_MARK)} = 0 order by n`.execute(db);
    for (const { at, id, n } of rows) marks[order].push({ rank: (last?.rank ?? 0) + n, at, id });
    return rows.length === batch;
  };
  const run = async (order: FixedOrder): Promise<void> => {
    while (await readBatch(order));
  };
  const extend = (order: FixedOrder): Promise<void> => {
    runs[order] ??= run(order).finally(() => {
      delete runs[order];
    });
    return runs[order];
  };

  return {
    /**
     * Returns conditions that start at the last mark before `rank` (which starts at 0 for the oldest user), and the number of users to skip
     * after that mark.
     */
    async before(order: FixedOrder, rank: number): Promise<{ conditions: Condition[]; skip: number }> {
      const wanted = Math.floor(rank / USERS_PER_MARK);
      if (wanted > marks[order].length) await extend(order);
      const mark = marks[order][Math.min(wanted, marks[order].length) - 1];
      if (!mark) return { conditions: [], skip: rank };
      return { conditions: [{ about: order, is: ORDERS[order].after(mark) }], skip: rank - mark.rank };
    },
  };
}

export type UserMarks = ReturnType<typeof createUserMarks>;
