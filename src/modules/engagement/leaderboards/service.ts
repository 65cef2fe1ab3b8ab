import { sql } from 'kysely';
import type { Db } from '../../../platform/db.ts';
import { createConsumer, type OnConsumed } from '../../games/bets/consume.ts';
import { type AdministerDeps, createAdministration } from './administer.ts';
import { type AdvanceDeps, createAdvance } from './advance.ts';
import { ANNOUNCE, createNews } from './announce.ts';
import { apply } from './apply.ts';
import { PAY_PRIZE } from './freeze.ts';
import { createLists } from './lists.ts';
import { createPrizes, type PrizeDeps } from './prize.ts';
import { CURSOR } from './queries.ts';
import { ADVANCE } from './runs.ts';
import { createStaffLists } from './staff-lists.ts';

export type LeaderboardDeps = AdministerDeps &
  AdvanceDeps &
  PrizeDeps & {
    /** For what staff reads, which may be a little old. */
    reads: Db;
    onConsumed: OnConsumed;
  };
export type Leaderboards = ReturnType<typeof createLeaderboards>;

/** Leaderboards: schedules and their runs, scores by what bets stake, places once a run has ended, and prizes. */
export function createLeaderboards(deps: LeaderboardDeps) {
  const { db, onConsumed } = deps;
  const prizes = createPrizes(deps);
  return {
    /** Consumes settled bets. It may be rebuilt: places that are frozen and prizes that were paid stay as they are. */
    consumer: createConsumer(db, { name: CURSOR, apply: (tx, slice) => apply(tx, deps, slice) }, onConsumed),
    lists: createLists(db),
    staff: { lists: createStaffLists(deps.reads), ...createAdministration(deps), give: prizes.give },
    tasks: { [ADVANCE]: createAdvance(deps), [ANNOUNCE]: createNews(db), [PAY_PRIZE]: prizes.payOwed },

    /** Forgets the counted bets of runs that ended three months ago, a run at a time: who took part and who won stays. */
    async purge(): Promise<void> {
      const { rows } = await sql<{ id: number }>`
        select id from leaderboards where not is_purged and status in ('FINISHED', 'CANCELLED')
          and end_date < now() - interval '90 days' order by id`.execute(db);
      for (const { id } of rows)
        await sql`
          with gone as (delete from leaderboard_bets where leaderboard_id = ${id})
          update leaderboards set is_purged = true where id = ${id}`.execute(db);
    },
  };
}
