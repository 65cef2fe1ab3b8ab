import type { Input, Op } from '../../client/call.ts';
import type { IconName } from '../kit/icon.tsx';

/** A page of the menu, which the account sees if it may call the operation `of`. */
export type Tab = { name: string; path: string; of: Op };

/**
 * A list whose rows wait for staff. The menu shows its total, which is that of the list to which the entry leads, to staff who may call
 * `act`.
 */
export type Queue = { [O in Op]: { op: O; input: Input<O>; act: Op } }[Op];

/** An entry of the menu. Entries with several pages show them as tabs. */
export type Entry = {
  name: string;
  icon: IconName;
  tabs: readonly [Tab, ...Tab[]];
  queue?: Queue;
  /** The second key of the shortcut that opens it: G, then this key. */
  key?: string;
};

export type Group = { name?: string; entries: readonly Entry[] };

const ONE = { page: 1, take: 1 };

/** Returns an entry with a single page of the same name. */
const single = ({ path, of, ...entry }: Omit<Entry, 'tabs'> & Omit<Tab, 'name'>): Entry => ({
  ...entry,
  tabs: [{ name: entry.name, path, of }],
});

const players: Group = {
  name: 'Players',
  entries: [
    single({ name: 'Users', icon: 'users', key: 'u', path: '/users', of: 'POST /admin/user/all' }),
    single({
      name: 'Verification',
      icon: 'user-check',
      path: '/kyc',
      of: 'GET /admin/kyc',
      queue: {
        op: 'GET /admin/kyc',
        input: { query: { status: 'PENDING', ...ONE } },
        act: 'PATCH /admin/kyc/{userId}',
      },
    }),
    single({
      name: 'VIP applications',
      icon: 'crown',
      path: '/vip',
      of: 'GET /admin/vip-application',
      queue: {
        op: 'GET /admin/vip-application',
        input: { query: { status: 'NEW', ...ONE } },
        act: 'POST /admin/vip-application/{id}/decision',
      },
    }),
  ],
};

const payments: Group = {
  name: 'Payments',
  entries: [
    single({
      name: 'Withdrawals',
      icon: 'banknote',
      key: 'w',
      path: '/withdrawals',
      of: 'GET /admin/payments/withdraw',
      queue: {
        op: 'GET /admin/payments/withdraw',
        input: { query: { isWaiting: true, ...ONE } },
        act: 'POST /admin/payments/withdraw/approve',
      },
    }),
    single({
      name: 'Deposits',
      icon: 'arrow-down-to-line',
      key: 'd',
      path: '/deposits',
      of: 'GET /admin/payments/deposit',
    }),
    single({
      name: 'Deposits under review',
      icon: 'search-check',
      path: '/deposit-reviews',
      of: 'GET /admin/payments/deposit/review',
      queue: {
        op: 'GET /admin/payments/deposit/review',
        input: { query: ONE },
        act: 'POST /admin/payments/deposit/{id}/review',
      },
    }),
    single({
      name: 'Ledger',
      icon: 'scroll-text',
      path: '/statement',
      of: 'POST /admin/accounting/transactions',
    }),
  ],
};

const games: Group = {
  name: 'Games',
  entries: [
    single({ name: 'Bets', icon: 'receipt', key: 'b', path: '/bets', of: 'POST /admin/bets' }),
    single({
      name: 'Alerts',
      icon: 'triangle-alert',
      path: '/findings',
      of: 'GET /admin/casino/findings',
      queue: {
        op: 'GET /admin/casino/findings',
        input: { query: { status: 'OPEN', ...ONE } },
        act: 'POST /admin/casino/findings/{id}/close',
      },
    }),
    {
      name: 'Catalogue',
      icon: 'gamepad-2',
      tabs: [
        { name: 'Games', path: '/games', of: 'GET /admin/casino/games/all' },
        { name: 'Providers', path: '/providers', of: 'GET /admin/casino/games/providers' },
        { name: 'Commissions', path: '/commissions', of: 'GET /admin/casino/games/commission' },
      ],
    },
    single({
      name: 'Originals',
      icon: 'dice-5',
      path: '/house-games',
      of: 'GET /admin/casino/games/house/settings',
    }),
    single({
      name: 'Lobby layout',
      icon: 'panels-top-left',
      path: '/front-page',
      of: 'GET /admin/casino/games/main',
    }),
  ],
};

const marketing: Group = {
  name: 'Marketing',
  entries: [
    {
      name: 'Promotions',
      icon: 'gift',
      tabs: [
        { name: 'Promotions', path: '/promo', of: 'GET /admin/promo' },
        { name: 'Grants', path: '/grants', of: 'GET /admin/promo/grants' },
      ],
    },
    {
      name: 'Leaderboards',
      icon: 'trophy',
      tabs: [
        { name: 'Leaderboards', path: '/leaderboards', of: 'GET /admin/leaderboards' },
        { name: 'Schedules', path: '/leaderboards/schedules', of: 'GET /admin/leaderboards/schedule' },
      ],
    },
    single({ name: 'Challenges', icon: 'target', path: '/challenges', of: 'GET /admin/challenge' }),
    {
      name: 'Affiliates',
      icon: 'handshake',
      tabs: [
        { name: 'Affiliates', path: '/affiliates', of: 'POST /admin/affiliate' },
        { name: 'Referrals', path: '/affiliates/referrals', of: 'POST /admin/affiliate/users' },
        { name: 'Levels and codes', path: '/affiliates/levels', of: 'GET /admin/affiliate/levels' },
        { name: 'Streamers', path: '/streamers', of: 'POST /admin/affiliate/streamer' },
        {
          name: 'Streamer referrals',
          path: '/streamers/referrals',
          of: 'POST /admin/affiliate/streamer/referrals',
        },
      ],
    },
    single({ name: 'Rakeback', icon: 'rotate-ccw', path: '/rakeback', of: 'POST /admin/rakeback/find-many' }),
    single({ name: 'Adjustments', icon: 'hand-coins', path: '/tips', of: 'GET /admin/admin-tips' }),
  ],
};

const reports: Group = {
  name: 'Reports',
  entries: [
    single({
      name: 'Performance',
      icon: 'chart-line',
      path: '/reports',
      of: 'GET /admin/dashboard/overview',
    }),
    single({
      name: 'Games',
      icon: 'chart-column',
      path: '/play-report',
      of: 'GET /admin/dashboard-v2/game/stats',
    }),
    single({
      name: 'Deposits and sign-ups',
      icon: 'chart-area',
      path: '/cash-report',
      of: 'GET /admin/dashboard-v2/query/payments',
    }),
    single({
      name: 'Top depositors',
      icon: 'medal',
      path: '/payers',
      of: 'GET /admin/user/stats/transactions',
    }),
  ],
};

const platform: Group = {
  name: 'Platform',
  entries: [
    {
      name: 'Settings',
      icon: 'sliders-horizontal',
      tabs: [
        { name: 'Settings', path: '/configuration', of: 'GET /admin/config/{code}' },
        { name: 'Countries', path: '/countries', of: 'GET /admin/country' },
      ],
    },
    single({ name: 'Help articles', icon: 'circle-question-mark', path: '/faq', of: 'POST /admin/faq' }),
    single({ name: 'Chat', icon: 'message-circle', path: '/chat', of: 'GET /admin/chat/messages' }),
    single({ name: 'Bots', icon: 'bot', path: '/bots', of: 'GET /admin/bot-activity/all' }),
    {
      name: 'Staff',
      icon: 'shield-user',
      tabs: [
        { name: 'Staff', path: '/staff', of: 'GET /admin/user/get-admins-with-roles' },
        { name: 'Roles', path: '/staff/roles', of: 'GET /admin/roles' },
      ],
    },
    single({ name: 'Audit log', icon: 'file-clock', path: '/audit', of: 'GET /admin/user/admin-audit' }),
    single({ name: 'System', icon: 'activity', path: '/system', of: 'GET /admin/logger' }),
  ],
};

/** The menu in its order. */
export const MENU: readonly Group[] = [
  {
    entries: [
      single({
        name: 'Overview',
        icon: 'layout-dashboard',
        key: 'o',
        path: '/overview',
        of: 'GET /admin/dashboard-v2/main/options',
      }),
    ],
  },
  players,
  payments,
  games,
  marketing,
  reports,
  platform,
];

const isWithin = (at: string, path: string) => at === path || at.startsWith(`${path}/`);

/** Returns the tab, the entry and the group of an address. The longest path that contains it wins. */
export function placeOf(at: string): { group: Group; entry: Entry; tab: Tab } | undefined {
  const places = MENU.flatMap((group) =>
    group.entries.flatMap((entry) => entry.tabs.map((tab) => ({ group, entry, tab }))),
  );
  return places
    .filter(({ tab }) => isWithin(at, tab.path))
    .toSorted((one, other) => other.tab.path.length - one.tab.path.length)[0];
}
