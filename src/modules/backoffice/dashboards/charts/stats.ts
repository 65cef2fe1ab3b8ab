import { z } from 'zod';
import { operation } from '../../../../http/operation.ts';
import { object } from '../../../../http/schemas.ts';
import type { Tx } from '../../../../platform/database/db.ts';
import { OPTIONS, previousOf, type Steps } from '../periods/rules.ts';
import { countPlayers } from '../players/count.ts';
import {
  type Direction,
  readFirstDeposits,
  readGiven,
  readPayments,
  readPlayByProvider,
  readRegistrations,
} from '../queries.ts';
import { type Chart, type DashboardDeps, readChart, seriesOf, withBefore } from '../request.ts';
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
    readChart(deps, 'main', query, (tx, chart) => readMain(tx, deps, chart)),
});

/**
 * Reads the figures of a period and their series. The previous period is read as additional steps before the others: one step, or those of
 * its series if the request compares the two.
 */
async function readMain(
  tx: Tx,
  { gameLabels: labels }: Pick<DashboardDeps, 'gameLabels'>,
  { period, steps: own, before }: Chart,
): Promise<z.input<typeof MainStats>> {
  const earlier = before?.steps.starts ?? [previousOf(period).from];
  const first = earlier.length;
  const steps = { starts: [...earlier, ...own.starts], until: own.until };
  const play = Map.groupBy(await readPlayByProvider(tx, steps), ({ step }) => step);
  const given = await readGiven(tx, steps);
  const registered = await readRegistrations(tx, steps);
  const deposited = steps.starts.map(() => 0n);
  for (const { step, direction, usdAmount } of await readPayments(tx, steps))
    if (direction === 'DEPOSIT') deposited[step]! += usdAmount;
  const active = await countPlayers(tx, steps, undefined, first);

  const revenueIn = (from: number, end = from + 1) => {
    const of = steps.starts.slice(from, end).map((_, i) => from + i);
    return revenueOf(
      of.flatMap((step) => play.get(step) ?? []),
      of.flatMap((step) => given[step]!),
      labels.feePpmOf,
    );
  };
  const [revenueBefore, revenueNow] = [revenueIn(0, first), revenueIn(first, steps.starts.length)];
  const revenues = steps.starts.map((_, step) => revenueIn(step));
  const sum = (all: readonly bigint[]) => all.reduce((a, b) => a + b, 0n);
  const metric = (
    [current, previous]: readonly [bigint, bigint],
    shown: (value: bigint) => number,
    valueAt: (step: number) => bigint,
  ) => ({
    current: shown(current),
    previous: shown(previous),
    changePercent: changePercent(current, previous),
    series: seriesOf(steps, (step) => shown(valueAt(step)), first),
    ...(before && { previousSeries: seriesOf(before.steps, (step) => shown(valueAt(step))) }),
  });
  const summed = (all: readonly bigint[], shown: (value: bigint) => number) =>
    metric([sum(all.slice(first)), sum(all.slice(0, first))], shown, (step) => all[step]!);
  const money = (of: 'turnover' | 'ggr' | 'ngr') =>
    metric([revenueNow[of], revenueBefore[of]], dollars, (step) => revenues[step]![of]);
  return {
    activePlayersMetrics: metric([active.total, active.before], Number, (step) => active.bySteps[step]!),
    depositMetrics: summed(deposited, dollars),
    registrationMetrics: summed(registered, Number),
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
      withBefore(chart, ({ steps }) => readPaymentStats(tx, steps)),
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
      withBefore(chart, ({ steps }) => readRegistrationStats(tx, steps)),
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
