const DAY_MS = 86_400_000;
/** Returns the start of the UTC day this many days ago. */
const dayAgo = (days: number) => new Date((Math.floor(Date.now() / DAY_MS) - days) * DAY_MS).toISOString();
const lastDays = (days: number) => ({ startDate: dayAgo(days - 1), endDate: dayAgo(-1) });

const MONTH = lastDays(30);
const YEAR = lastDays(365);

type Query = Record<string, string>;
/** A named request. */
export type Case = { name: string; path: string };

const cases = (folder: string, routes: readonly string[], queries: Readonly<Record<string, Query>>): Case[] =>
  routes.flatMap((route) =>
    Object.entries(queries).map(([name, query]) => ({
      name: `${route} ${name}`,
      path: `/admin/${folder}/${route}?${new URLSearchParams(query)}`,
    })),
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

/** Requests to every route of the dashboards. */
export const CASES: readonly Case[] = [
  ...cases(
    'dashboard',
    ['overview', 'revenue', 'payments', 'users', 'games', 'top-users', 'liabilities'],
    RANGES,
  ),
  ...cases('dashboard', ['overview', 'payments', 'top-users'], {
    'year of BTC': { ...YEAR, currencyId: 'BTC' },
  }),
  ...cases('dashboard', ['revenue'], { 'by the hour': { ...lastDays(41), timeGroup: 'HOUR' } }),
  { name: 'main/options', path: '/admin/dashboard-v2/main/options' },
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
