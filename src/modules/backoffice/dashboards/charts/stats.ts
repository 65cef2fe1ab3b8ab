import { z } from 'zod';
import { operation } from '../../../../http/operation.ts';
import { object } from '../../../../http/schemas.ts';
import type { Tx } from '../../../../platform/database/db.ts';
import { OPTIONS, type Period, previousOf, type Steps } from '../periods/rules.ts';
import { countPlayers } from '../players/count.ts';
import {
  type Direction,
  readFirstDeposits,
  readGiven,
  readPayments,
  readPlayByProvider,
  readRegistrations,
} from '../queries.ts';
import { type DashboardDeps, readChart, seriesAfterFirst, seriesOf, withBefore } from '../request.ts';
import { changePercent, dollars, percentOf, ratioOf, revenueOf } from '../rules.ts';
import { chart, comparable, GameQuery, MainQuery, series } from '../schemas.ts';

const DashboardOptions = z.array(z.object({ timeRange: z.string(), timeGroups: z.array(z.string()) }));

const DashboardMetric = object('DashboardMetric', {
  current: z.number(),
  previous: z.number(),
  changePercent: z.number().nullable(),
  series,
  previousSeries: series.optional(),
});
const MainStats = z.object({
  activePlayersMetrics: DashboardMetric,
  depositMetrics: DashboardMetric,
  registrationMetrics: DashboardMetric,
  turnoverMetrics: DashboardMetric,
  ggrMetrics: DashboardMetric,
  ngrMetrics: DashboardMetric,
});

export const getOptions = operation({
  ...chart,
  path: '/admin/dashboard-v2/main/options',
  summary: 'List the time ranges and the steps available for each',
  response: DashboardOptions,
  handler: (_: DashboardDeps) =>
    Object.entries(OPTIONS).map(([timeRange, timeGroups]) => ({ timeRange, timeGroups: [...timeGroups] })),
});

export const getMainStats = operation({
  ...chart,
  path: '/admin/dashboard-v2/main/stats',
  summary: 'Get the main figures for a time range',
  query: MainQuery,
  response: MainStats,
  handler: (deps: DashboardDeps, { query }) =>
    readChart(deps, 'main', query, async (tx, { before, ...now }) => {
      const stats = await readMain(tx, deps, now);
      return query.compare ? withSeriesOf(stats, await readMain(tx, deps, before)) : stats;
    }),
});

type Stats = z.input<typeof MainStats>;

/** Adds the series of the previous period. */
const withSeriesOf = (stats: Stats, before: Stats): Stats =>
  Object.fromEntries(
    Object.entries(stats).map(([name, metric]) => [
      name,
      { ...metric, previousSeries: before[name as keyof Stats].series },
    ]),
  ) as Stats;

/** Reads the figures of a period and their series. The previous period is read as an additional first step. */
async function readMain(
  tx: Tx,
  { gameLabels: labels }: Pick<DashboardDeps, 'gameLabels'>,
  { period, steps: own }: { period: Period; steps: Steps },
): Promise<Stats> {
  const steps = { starts: [previousOf(period).from, ...own.starts], until: own.until };
  const play = Map.groupBy(await readPlayByProvider(tx, steps), ({ step }) => step);
  const given = await readGiven(tx, steps);
  const registered = await readRegistrations(tx, steps);
  const deposited = steps.starts.map(() => 0n);
  for (const { step, direction, usdAmount } of await readPayments(tx, steps))
    if (direction === 'DEPOSIT') deposited[step]! += usdAmount;
  const active = await countPlayers(tx, steps, undefined, 1);

  const revenueIn = (first: number, end = first + 1) => {
    const of = steps.starts.slice(first, end).map((_, i) => first + i);
    return revenueOf(
      of.flatMap((step) => play.get(step) ?? []),
      of.flatMap((step) => given[step]!),
      labels.feePpmOf,
    );
  };
  const [before, now] = [revenueIn(0), revenueIn(1, steps.starts.length)];
  const revenues = steps.starts.map((_, step) => revenueIn(step));
  const sum = (all: readonly bigint[]) => all.slice(1).reduce((a, b) => a + b, 0n);
  const metric = (
    [current, previous]: readonly [bigint, bigint],
    shown: (value: bigint) => number,
    valueAt: (step: number) => bigint,
  ) => ({
    current: shown(current),
    previous: shown(previous),
    changePercent: changePercent(current, previous),
    series: seriesAfterFirst(steps, (step) => shown(valueAt(step))),
  });
  const counted = (all: readonly bigint[]) => metric([sum(all), all[0]!], Number, (step) => all[step]!);
  const money = (of: 'turnover' | 'ggr' | 'ngr') =>
    metric([now[of], before[of]], dollars, (step) => revenues[step]![of]);
  return {
    activePlayersMetrics: metric([active.total, active.bySteps[0]!], Number, (step) => active.bySteps[step]!),
    depositMetrics: metric([sum(deposited), deposited[0]!], dollars, (step) => deposited[step]!),
    registrationMetrics: counted(registered),
    turnoverMetrics: money('turnover'),
    ggrMetrics: money('ggr'),
    ngrMetrics: money('ngr'),
  };
}

const paymentStats = {
  depositAmount: z.number(),
  depositAmountTimeSeries: series,
  ratio: z.number().meta({ description: 'Withdrawals ÷ deposits, rounded to four decimals.' }),
  ratioTimeSeries: series,
  withdrawalAmount: z.number(),
};
const PaymentStats = comparable(paymentStats, paymentStats);

export const getPaymentStats = operation({
  ...chart,
  path: '/admin/dashboard-v2/query/payments',
  summary: 'Get deposits and withdrawals for a time range',
  query: GameQuery,
  response: PaymentStats,
  handler: (deps: DashboardDeps, { query }) =>
    readChart(deps, 'payment-stats', query, (tx, chart) =>
      withBefore(query, chart, ({ steps }) => readPaymentStats(tx, steps)),
    ),
});

async function readPaymentStats(tx: Tx, steps: Steps): Promise<z.input<typeof PaymentStats>> {
  const sums: Record<Direction, bigint[]> = {
    DEPOSIT: steps.starts.map(() => 0n),
    WITHDRAW: steps.starts.map(() => 0n),
  };
  for (const { step, direction, usdAmount } of await readPayments(tx, steps))
    sums[direction][step]! += usdAmount;
  const total = (direction: Direction) => sums[direction].reduce((a, b) => a + b, 0n);
  const [deposits, withdrawals] = [total('DEPOSIT'), total('WITHDRAW')];
  return {
    depositAmount: dollars(deposits),
    depositAmountTimeSeries: seriesOf(steps, (step) => dollars(sums.DEPOSIT[step]!)),
    ratio: ratioOf(withdrawals, deposits),
    ratioTimeSeries: seriesOf(steps, (step) => ratioOf(sums.WITHDRAW[step]!, sums.DEPOSIT[step]!)),
    withdrawalAmount: dollars(withdrawals),
  };
}

const registrationStats = {
  registrationCount: z.number(),
  registrationTimeSeries: series,
  firstTimeDepositCount: z.number(),
  firstTimeDepositTimeSeries: series,
  firstTimeDepositPercent: z.number(),
  firstTimeDepositPercentTimeSeries: series,
};
const RegistrationStats = comparable(registrationStats, registrationStats);

export const getRegistrationStats = operation({
  ...chart,
  path: '/admin/dashboard-v2/query/registrations',
  summary: 'Get sign-ups and first deposits for a time range',
  query: GameQuery,
  response: RegistrationStats,
  handler: (deps: DashboardDeps, { query }) =>
    readChart(deps, 'registration-stats', query, (tx, chart) =>
      withBefore(query, chart, ({ steps }) => readRegistrationStats(tx, steps)),
    ),
});

async function readRegistrationStats(tx: Tx, steps: Steps): Promise<z.input<typeof RegistrationStats>> {
  const registered = await readRegistrations(tx, steps);
  const first = await readFirstDeposits(tx, steps);
  const total = (all: readonly bigint[]) => all.reduce((a, b) => a + b, 0n);
  return {
    registrationCount: Number(total(registered)),
    registrationTimeSeries: seriesOf(steps, (step) => Number(registered[step])),
    firstTimeDepositCount: Number(total(first)),
    firstTimeDepositTimeSeries: seriesOf(steps, (step) => Number(first[step])),
    firstTimeDepositPercent: percentOf(total(first), total(registered)),
    firstTimeDepositPercentTimeSeries: seriesOf(steps, (step) => percentOf(first[step]!, registered[step]!)),
  };
}
