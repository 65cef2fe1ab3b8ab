/**
 * npm run bench dashboards: compares all dashboards on two databases: 10,000,000 bets by 1,000,000 users within a year, and as many bets by
 * 10,000 users. Sends alternating requests over HTTP. Responses are not cached.
 */
import { type Case, caseOf, compareSizes, type House } from '../lists.ts';
import { defineSuite } from '../suite.ts';
import { fillDashboards } from './dashboards-fill.ts';

const SMALL = 10_000;
const MOST_MS = 300;

export const dashboards = defineSuite({
  about: 'dashboards with few and many users',
  options: {
    users: [1_000_000, 'users of the large database'],
    bets: [10_000_000, `their bets, and those of the ${SMALL} users of the small database`],
    rounds: [40, 'how often each read is measured'],
  },
  quick: { users: 100_000, bets: 1_000_000, rounds: 10 },
  run: (context, { users, bets, rounds }) =>
    compareSizes(context, {
      sizes: { few_users: { users: SMALL, bets }, many_users: { users, bets } },
      fill: fillDashboards,
      open: (house) => house,
      cases: CASES,
      rounds,
      mostMs: MOST_MS,
    }),
});

const DAY_MS = 86_400_000;
/** Returns the start of the UTC day this many days ago. */
const dayAgo = (days: number) => new Date((Math.floor(Date.now() / DAY_MS) - days) * DAY_MS).toISOString();
const lastDays = (days: number) => ({ startDate: dayAgo(days - 1), endDate: dayAgo(-1) });

const MONTH = lastDays(30);
const YEAR = lastDays(365);

type Query = Record<string, string>;
const read = (name: string, path: string) => caseOf<House>(name, (house) => house.read(path));
const cases = (
  folder: string,
  routes: readonly string[],
  queries: Readonly<Record<string, Query>>,
): Case<House>[] =>
  routes.flatMap((route) =>
    Object.entries(queries).map(([name, fields]) =>
      read(`${route} ${name}`, `/admin/${folder}/${route}?${new URLSearchParams(fields)}`),
    ),
  );

const RANGES = {
  month: MONTH,
  year: YEAR,
  'year of Kolkata': { ...YEAR, timezone: 'Asia/Kolkata' },
};
const PRESETS = {
  today: { timeRange: 'TODAY', timeGroup: 'HOUR' },
  '30 days': { timeRange: 'LAST_30_DAYS', timeGroup: 'DAY' },
};
const CHARTS = {
  ...Object.fromEntries(Object.entries(PRESETS).map(([name, query]) => [name, { ...query, ...MONTH }])),
  'year by day': { timeRange: 'CUSTOM', timeGroup: 'DAY', ...YEAR },
};

const CASES: readonly Case<House>[] = [
  ...cases(
    'dashboard',
    ['overview', 'revenue', 'payments', 'users', 'games', 'top-users', 'liabilities'],
    RANGES,
  ),
  ...cases('dashboard', ['overview', 'payments', 'top-users'], {
    'year of BTC': { ...YEAR, currencyId: 'BTC' },
  }),
  ...cases('dashboard', ['revenue'], { 'by the hour': { ...lastDays(41), timeGroup: 'HOUR' } }),
  read('main/options', '/admin/dashboard-v2/main/options'),
  ...cases('dashboard-v2', ['main/stats'], {
    ...PRESETS,
    'this year': { timeRange: 'THIS_YEAR', timeGroup: 'DAY' },
  }),
  ...cases(
    'dashboard-v2',
    [
      'game/stats',
      'query/bets-by-type',
      'query/games-by-slug',
      'query/games-by-type',
      'query/payments',
      'query/registrations',
    ],
    CHARTS,
  ),
  ...cases('dashboard-v2', ['game/stats', 'query/games-by-slug'], {
    'slots by players': {
      ...CHARTS['year by day'],
      gameCategory: 'SLOTS',
      orderBy: 'activePlayers',
      take: '100',
    },
  }),
];
