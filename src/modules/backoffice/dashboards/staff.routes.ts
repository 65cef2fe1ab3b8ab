import { type Route, route } from '../../../http/route.ts';
import { commonErrors } from '../../../platform/errors.ts';
import { sightOf } from '../../base/users/service.ts';
import {
  DashboardOptions,
  DashboardQuery,
  GameQuery,
  GameRows,
  GameSeries,
  GameStats,
  Games,
  GameTypes,
  Liabilities,
  MainQuery,
  MainStats,
  Overview,
  PaymentRows,
  PaymentStats,
  RankingQuery,
  RegistrationStats,
  Revenue,
  RevenueQuery,
  TopUsers,
  Users,
} from './schemas.ts';
import type { Dashboards } from './service.ts';

const common = { method: 'GET', access: { permission: 'dashboard.read' } } as const;
const first = { ...common, tag: 'Admin Dashboard', errors: [commonErrors.CURRENCY_NOT_FOUND] } as const;
const second = { ...common, tag: 'Admin Dashboard V2' } as const;

export const dashboardStaffRoutes = (dashboards: Dashboards): Route[] => [
  ...comparedRoutes(dashboards),
  ...chartRoutes(dashboards),
];

/** A period beside the one before. */
const comparedRoutes = (dashboards: Dashboards): Route[] => [
  route({
    ...first,
    path: '/admin/dashboard/overview',
    summary: 'Players, payments, turnover and revenue of a period',
    query: DashboardQuery,
    response: Overview,
    handler: ({ query }) => dashboards.overview(query),
  }),
  route({
    ...first,
    path: '/admin/dashboard/revenue',
    summary: 'Turnover, gross and net gaming revenue of a period, and what lies between them',
    query: RevenueQuery,
    response: Revenue,
    handler: ({ query }) => dashboards.revenue(query),
  }),
  route({
    ...first,
    path: '/admin/dashboard/payments',
    summary: 'Payments of a period by direction, currency and network',
    query: DashboardQuery,
    response: PaymentRows,
    handler: ({ query }) => dashboards.payments(query),
  }),
  route({
    ...first,
    path: '/admin/dashboard/users',
    summary: 'Who signed up in a period, and how many of them came back',
    query: DashboardQuery,
    response: Users,
    handler: ({ query }) => dashboards.users(query),
  }),
  route({
    ...first,
    path: '/admin/dashboard/games',
    summary: 'The games that brought most and least in a period',
    query: RankingQuery,
    response: Games,
    handler: ({ query }) => dashboards.games(query),
  }),
  route({
    ...first,
    path: '/admin/dashboard/top-users',
    summary: 'Who wagered, won, lost and deposited most in a period',
    query: RankingQuery,
    response: TopUsers,
    handler: ({ query, by }) => dashboards.topUsers(query, sightOf(by.user)),
  }),
  route({
    ...first,
    path: '/admin/dashboard/liabilities',
    summary: 'What is owed to users at the end and at the start of a period, by currency',
    description:
      'Test users and staff are counted here as well. Balances are those of the ledger at the end of the hour; rakeback, commission and prizes are ' +
      'those that were found at the first moments of the UTC day.',
    query: DashboardQuery,
    response: Liabilities,
    handler: ({ query }) => dashboards.liabilities(query),
  }),
];

/** Series over presets and other periods. */
const chartRoutes = (dashboards: Dashboards): Route[] => [
  route({
    ...second,
    path: '/admin/dashboard-v2/main/options',
    summary: 'Which time ranges there are, and in which steps',
    response: DashboardOptions,
    handler: () => dashboards.options(),
  }),
  route({
    ...second,
    path: '/admin/dashboard-v2/main/stats',
    summary: 'Players, deposits, registrations, turnover and revenue of a time range',
    query: MainQuery,
    response: MainStats,
    handler: ({ query }) => dashboards.main(query),
  }),
  route({
    ...second,
    path: '/admin/dashboard-v2/game/stats',
    summary: 'Play on the games of a filter: series, types and single games',
    query: GameQuery,
    response: GameStats,
    handler: ({ query }) => dashboards.gameStats(query),
  }),
  route({
    ...second,
    path: '/admin/dashboard-v2/query/bets-by-type',
    summary: 'The series of play on the games of a filter',
    query: GameQuery,
    response: GameSeries,
    handler: ({ query }) => dashboards.gameSeries(query),
  }),
  route({
    ...second,
    path: '/admin/dashboard-v2/query/games-by-slug',
    summary: 'The games of a filter that were played: a page of them, the ten best and the ten worst',
    query: GameQuery,
    response: GameRows,
    handler: ({ query }) => dashboards.gameRows(query),
  }),
  route({
    ...second,
    path: '/admin/dashboard-v2/query/games-by-type',
    summary: 'Play on the games of a filter by their type, and in total',
    query: GameQuery,
    response: GameTypes,
    handler: ({ query }) => dashboards.gameTypes(query),
  }),
  route({
    ...second,
    path: '/admin/dashboard-v2/query/payments',
    summary: 'Deposits and withdrawals of a time range',
    query: GameQuery,
    response: PaymentStats,
    handler: ({ query }) => dashboards.paymentStats(query),
  }),
  route({
    ...second,
    path: '/admin/dashboard-v2/query/registrations',
    summary: 'Registrations and first deposits of a time range',
    query: GameQuery,
    response: RegistrationStats,
    handler: ({ query }) => dashboards.registrationStats(query),
  }),
];
