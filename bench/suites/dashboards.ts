/** npm run bench dashboards: compares all dashboards on two databases with the same number of bets, one with few users and one with many. */
import { type Case, compareSizes, type House } from '../lists.ts';
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
      cases: casesOf,
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

const RANGES = {
  month: MONTH,
  year: YEAR,
  'year of Kolkata': { ...YEAR, timezone: 'Asia/Kolkata' },
};
const PRESETS = {
  today: { timeRange: 'TODAY', timeGroup: 'HOUR' },
  '30 days': { timeRange: 'LAST_30_DAYS', timeGroup: 'DAY' },
};
const YEAR_BY_DAY = { timeRange: 'CUSTOM', timeGroup: 'DAY', ...YEAR };
const CHARTS = {
  ...Object.fromEntries(Object.entries(PRESETS).map(([name, query]) => [name, { ...query, ...MONTH }])),
  'year by day': YEAR_BY_DAY,
};
const SLOTS = { ...YEAR_BY_DAY, gameCategory: 'SLOTS', orderBy: 'activePlayers', take: '100' };

/** The dashboards by the first part of their path, with the queries that are sent to them. */
const READS = [
  ['dashboard', 'overview revenue payments users games top-users liabilities', RANGES],
  ['dashboard', 'overview payments top-users', { 'year of BTC': { ...YEAR, currencyId: 'BTC' } }],
  ['dashboard', 'revenue', { 'by the hour': { ...lastDays(41), timeGroup: 'HOUR' } }],
  ['dashboard-v2', 'main/options', { '': {} }],
  ['dashboard-v2', 'main/stats', { ...PRESETS, 'this year': { timeRange: 'THIS_YEAR', timeGroup: 'DAY' } }],
  [
    'dashboard-v2',
    'game/stats query/bets-by-type query/games-by-slug query/games-by-type query/payments query/registrations',
    CHARTS,
  ],
  ['dashboard-v2', 'game/stats query/games-by-slug', { 'slots by players': SLOTS }],
] as const;

const casesOf = ({ staff }: House): Case[] =>
  READS.flatMap(([folder, routes, queries]) =>
    routes.split(' ').flatMap((route) =>
      Object.entries(queries).map(([name, query]): Case => {
        const path = `/admin/${folder}/${route}?${new URLSearchParams(query)}`;
        return [`${route} ${name}`.trim(), () => staff(path)];
      }),
    ),
  );
