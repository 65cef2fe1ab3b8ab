import { defineModule } from '../../../http/module.ts';
import { checks } from './checks.ts';
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
