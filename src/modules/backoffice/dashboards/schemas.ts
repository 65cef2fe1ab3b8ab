import { z } from 'zod';
import {
  CurrencyId,
  Decimal,
  Moment,
  object,
  PageNumber,
  SortOrder,
  Timestamp,
  take,
  text,
} from '../../../http/schemas.ts';
import { ShortPrivateUser } from '../../base/users/schemas.ts';
import { Category, ShortGameIdentity } from '../../games/bets/schemas.ts';
import { EARLIEST, findZone, LATEST, TIME_GROUPS, TIME_RANGES } from './periods/rules.ts';

const count = z.number().int();

// ---------------------------------------------------------------- Admin Dashboard

const Time = Moment.refine(
  (at) => Date.parse(at) >= EARLIEST && Date.parse(at) < LATEST,
  'needs to lie between 1970 and 2100',
);
const TimeZone = z
  .string()
  .max(64)
  .refine((name) => findZone(name) !== undefined, 'needs to be a time zone such as "Europe/Malta"')
  .default('UTC')
  .meta({ example: 'Europe/Malta' });

const asked = {
  startDate: Time,
  endDate: Time,
  timezone: TimeZone,
  currencyId: CurrencyId.optional().meta({
    description: 'Only payments and rewards in this currency. Play and players are counted in all of them.',
  }),
};

export const DashboardQuery = z.strictObject(asked);
export const RevenueQuery = z.strictObject({ ...asked, timeGroup: z.enum(TIME_GROUPS).default('DAY') });
export const RankingQuery = z.strictObject({ ...asked, take: take(30) });

const compared = <T extends z.ZodType>(one: T) => z.object({ current: one, previous: one });

const DashboardOverview = object('DashboardOverview', {
  registrations: count,
  ftd: count.meta({ description: 'First deposits.' }),
  repeatDepositors: count.meta({ description: 'Players who have deposited, and not for the first time.' }),
  activeUsers: count.meta({ description: 'Players with a bet that counts.' }),
  depositUsd: Decimal,
  withdrawUsd: Decimal,
  pendingWithdrawUsd: Decimal.meta({ description: 'Of withdrawals that are open now, in both periods.' }),
  turnoverUsd: Decimal,
  ggrUsd: Decimal,
  ngrUsd: Decimal,
  betCount: count,
  averageBetUsd: Decimal,
  regToFtdRate: z.number().meta({ description: 'First deposits ÷ registrations, four decimals.' }),
});
export const Overview = compared(DashboardOverview);

const revenue = { turnoverUsd: Decimal, ggrUsd: Decimal, ngrUsd: Decimal };
const NgrDeductions = object('NgrDeductions', {
  convertedBonusUsd: Decimal,
  rakebackUsd: Decimal,
  affiliateUsd: Decimal,
  prizesUsd: Decimal,
  adminTipsUsd: Decimal,
  adminDeductionsUsd: Decimal,
  providerFeesUsd: Decimal,
});
const DashboardRevenue = object('DashboardRevenue', {
  ...revenue,
  ngrVersion: z.string(),
  deductions: NgrDeductions,
  series: z.array(z.object({ at: Timestamp, ...revenue })),
});
export const Revenue = compared(DashboardRevenue);

const DashboardPaymentRow = object('DashboardPaymentRow', {
  direction: z.enum(['DEPOSIT', 'WITHDRAW']),
  currencyId: CurrencyId,
  networkId: z.string().nullable().meta({ description: 'Null: it came over none, such as skins.' }),
  count: count.meta({ description: 'Of those that were completed.' }),
  amount: Decimal,
  usdAmount: Decimal,
  failureRate: z.number().meta({ description: 'Failed ÷ (completed and failed), four decimals.' }),
  medianApprovalSeconds: count.nullable().meta({
    description: 'From request to approval, of withdrawals that were approved in the period.',
  }),
});
export const PaymentRows = compared(z.array(DashboardPaymentRow));

const rate = z.number().nullable();
const DashboardCohort = object('DashboardCohort', {
  date: z.string().meta({ example: '2026-11-21' }),
  registrations: count,
  ftd: count.meta({ description: 'First deposits of that day.' }),
  retentionD1: rate,
  retentionD7: rate,
  retentionD30: rate,
});
const DashboardUsers = object('DashboardUsers', {
  registrations: count,
  ftd: count,
  activeUsers: count,
  cohorts: z.array(DashboardCohort),
});
export const Users = compared(DashboardUsers);

const DashboardGameRow = object('DashboardGameRow', {
  game: ShortGameIdentity,
  betCount: count,
  turnoverUsd: Decimal,
  ggrUsd: Decimal,
  actualRtp: z.number().nullable(),
  configuredRtp: z.number().nullable(),
  bandLow: z.number().nullable(),
  bandHigh: z.number().nullable(),
  withinBand: z.boolean().nullable(),
});
const DashboardGames = object('DashboardGames', {
  top: z.array(DashboardGameRow),
  worst: z.array(DashboardGameRow),
});
export const Games = compared(DashboardGames);

const DashboardTopUserRow = object('DashboardTopUserRow', {
  userId: count,
  user: ShortPrivateUser,
  usdAmount: Decimal,
});
const ranking = z.array(DashboardTopUserRow);
const DashboardTopUsers = object('DashboardTopUsers', {
  wagered: ranking,
  won: ranking.meta({ description: 'Payouts less stakes of players who are ahead.' }),
  lost: ranking.meta({ description: 'Stakes less payouts of players who are behind.' }),
  deposited: ranking,
});
export const TopUsers = compared(DashboardTopUsers);

const DashboardLiabilityRow = object('DashboardLiabilityRow', {
  currencyId: CurrencyId,
  cash: Decimal,
  vault: Decimal,
  bonus: Decimal,
  pendingWithdrawals: Decimal,
  claimableRakeback: Decimal,
  claimableAffiliate: Decimal.meta({ description: 'In the row of USDT, whatever it was earned in.' }),
  unpaidPrizes: Decimal,
  totalUsd: Decimal.meta({ description: 'At the rates of now.' }),
});
export const Liabilities = compared(z.array(DashboardLiabilityRow));

// ---------------------------------------------------------------- Admin Dashboard V2

export const DashboardOptions = z.array(z.object({ timeRange: z.string(), timeGroups: z.array(z.string()) }));

const step = { timeRange: z.enum(TIME_RANGES), timeGroup: z.enum(TIME_GROUPS) };

export const MainQuery = z.strictObject({
  ...step,
  debug: z.boolean().optional().meta({ description: 'Changes nothing.' }),
});

const GAME_ORDERS = ['ggr', 'turnover', 'betCount', 'activePlayers', 'margin', 'name'] as const;
const slug = text(64);

export const GameQuery = z.strictObject({
  ...step,
  startDate: Time.meta({ description: 'Counts with `CUSTOM`.' }),
  endDate: Time.meta({ description: 'Counts with `CUSTOM`.' }),
  orderBy: z.enum(GAME_ORDERS).default('ggr'),
  orderDirection: SortOrder.default('desc'),
  gameCategory: Category.optional(),
  providerSlugs: z.array(slug).max(50).optional(),
  take: take(100),
  page: PageNumber,
  gameSlug: slug.optional(),
  gameName: text(100).optional().meta({ description: 'A part of the name, whatever its case and accents.' }),
});

const TimeSeriesPoint = object('TimeSeriesPoint', { at: Timestamp, value: z.number() });
const series = z.array(TimeSeriesPoint);
const PieSlice = object('PieSlice', {
  key: z.string().meta({ description: 'Type of the games.' }),
  value: z.number(),
  percent: z.number(),
});
const pie = z.array(PieSlice);

const DashboardMetric = object('DashboardMetric', {
  current: z.number(),
  previous: z.number(),
  changePercent: z.number().nullable(),
  series,
});
export const MainStats = z.object({
  activePlayersMetrics: DashboardMetric,
  depositMetrics: DashboardMetric,
  registrationMetrics: DashboardMetric,
  turnoverMetrics: DashboardMetric,
  ggrMetrics: DashboardMetric,
  ngrMetrics: DashboardMetric,
});

const GameAnalyticsRow = object('GameAnalyticsRow', {
  slug: z.string(),
  name: z.string(),
  category: z.string(),
  providerSlug: z.string().nullable(),
  activePlayers: z.number(),
  betCount: z.number(),
  turnover: z.number(),
  ggr: z.number(),
  margin: z.number(),
});
const analytics = z.array(GameAnalyticsRow);

const gameSeries = {
  activePlayersTimeSeries: series,
  turnoverTimeSeries: series,
  arpuTimeSeries: series,
  atpuTimeSeries: series,
  ggrTimeSeries: series,
  ngrTimeSeries: series,
};
const gamePies = { gameTypeMarginPie: pie, gameTypeTurnoverPie: pie };
const gameRows = {
  topGameAnalytics: analytics,
  worstGameAnalytics: analytics,
  gameSlugAnalytics: analytics,
};
const gameTotals = {
  activePlayers: z.number(),
  turnover: z.number(),
  atpu: z.number(),
  ggr: z.number(),
  arpu: z.number(),
  margin: z.number(),
  betCount: z.number(),
  abcpu: z.number(),
  averageBetSum: z.number(),
};

export const GameSeries = z.object(gameSeries);
export const GameRows = z.object(gameRows);
export const GameTypes = z.object({ ...gamePies, ...gameTotals, ngr: z.number() });
export const GameStats = z.object({ ...gameSeries, ...gamePies, ...gameRows, ...gameTotals });

export const PaymentStats = z.object({
  depositAmount: z.number(),
  depositAmountTimeSeries: series,
  ratio: z.number().meta({ description: 'Withdrawals ÷ deposits, four decimals.' }),
  ratioTimeSeries: series,
  withdrawalAmount: z.number(),
});

export const RegistrationStats = z.object({
  registrationCount: z.number(),
  registrationTimeSeries: series,
  firstTimeDepositCount: z.number(),
  firstTimeDepositTimeSeries: series,
  firstTimeDepositPercent: z.number(),
  firstTimeDepositPercentTimeSeries: series,
});
