import { defineModule } from '../../../http/module.ts';
import { cancelLeaderboard, createSpecial } from './edit.ts';
import { givePrize } from './give-prize.ts';
import { getLeaderboard, listLeaderboards, listOwnLeaderboards } from './list.ts';
import { leaderboardMessages } from './prizes.ts';
import { leaderboardEvents } from './runs.ts';
import { getSchedule, listSchedules, updateSchedule } from './schedules.ts';
import {
  createLeaderboards,
  type LeaderboardDeps,
  type Leaderboards,
  OVERDUE,
  purgeBets,
} from './service.ts';
import {
  getLeaderboardForStaff,
  getLeaderboardUser,
  listLeaderboardsForStaff,
  listUsers,
} from './staff-list.ts';

/** SQL: selects runs whose scores belong to the cursor's generation or can no longer change. */
const CURRENT = `(select r.* from leaderboards r, cursors c where c.name = 'leaderboards' and not r.is_purged
  and (r.generation = c.generation or r.status not in ('SCHEDULED', 'ACTIVE', 'FINALIZING')))`;

/** Queries that return rows only if the module's sums are inconsistent. */
export const checks = {
  'a score of a leaderboard is not the sum of the bets that count': `
    select leaderboard_id, user_id, s.score, b.usd, s.reached_place, b.place from (
      select s.* from leaderboard_scores s join ${CURRENT} r on r.id = s.leaderboard_id) s
    full join (
      select b.leaderboard_id, b.user_id, sum(b.usd) as usd, max(b.place) as place from leaderboard_bets b
      join ${CURRENT} r on r.id = b.leaderboard_id group by 1, 2) b using (leaderboard_id, user_id)
    where (s.score, s.reached_place) is distinct from (b.usd, b.place)`,
  'a leaderboard does not count those who take part': `
    select r.id, r.participants, count(s.user_id) as scores from leaderboards r left join leaderboard_scores s on s.leaderboard_id = r.id
    group by r.id having r.participants <> count(s.user_id)`,
  'a place of a leaderboard is not that of its score': `
    select * from (
      select s.leaderboard_id, s.user_id, s.place, row_number() over (partition by s.leaderboard_id
        order by s.score desc, s.reached_place, s.user_id) as ordered
      from leaderboard_scores s join leaderboards r on r.id = s.leaderboard_id and r.status in ('AWAITING_PAYOUT', 'FINISHED')) placed
    where place is distinct from ordered`,
  'a finished leaderboard owes a prize, or one that is not finished owes none': `
    select r.id, r.status, w.owed from leaderboards r
    cross join lateral (
      select count(*) as owed from leaderboard_scores s left join leaderboard_prizes p using (leaderboard_id, user_id)
      where s.leaderboard_id = r.id and s.prize_usd is not null and p.user_id is null) w
    where (r.status = 'AWAITING_PAYOUT') <> (w.owed > 0)`,
  'a prize of a leaderboard is not that of its place': `
    select p.leaderboard_id, p.user_id, p.place, s.place as placed, p.full_usd_amount, s.prize_usd from leaderboard_prizes p
    left join leaderboard_scores s using (leaderboard_id, user_id)
    where s.user_id is null or s.place <> p.place or s.prize_usd is null or p.full_usd_amount > s.prize_usd`,
};

type Services = LeaderboardDeps & { leaderboards: Leaderboards };

const HOUR_MS = 3_600_000;

const inBoth = [
  listSchedules,
  getSchedule,
  updateSchedule,
  givePrize,
  listLeaderboardsForStaff,
  getLeaderboardForStaff,
  listUsers,
  getLeaderboardUser,
];

export const leaderboards = defineModule({
  name: 'leaderboards',
  events: leaderboardEvents,
  tags: {
    Leaderboard:
      'Leaderboards by amount wagered, and their prizes. In the backoffice: schedules, participants, prizes.',
    'Admin Leaderboard': 'Leaderboard schedules, participants and prizes.',
  },
  messages: leaderboardMessages,
  checks,
  create: (before: Parameters<typeof createLeaderboards>[0]) => ({
    leaderboards: createLeaderboards(before),
  }),
  operations: [
    listLeaderboards,
    listOwnLeaderboards,
    getLeaderboard,
    ...inBoth,
    createSpecial,
    cancelLeaderboard,
  ],
  backoffice: { operations: inBoth, without: '/admin', tag: 'Leaderboard' },
  jobs: ({ db }: Services) => [
    { name: 'leaderboards.purge', everyMs: HOUR_MS, run: () => purgeBets(db), overdue: [OVERDUE] },
  ],
  tasks: (services: Services) => services.leaderboards.tasks,
  consumers: (services: Services) => [services.leaderboards.consumer],
});
