import { z } from 'zod';
import { operation } from '../../../../http/operation.ts';
import { object } from '../../../../http/schemas.ts';
import type { Tx } from '../../../../platform/database/db.ts';
import type { DashboardDeps } from '../deps.ts';
import { readGiven, readPayments } from '../money/queries.ts';
import { countPlayers } from '../packed/count.ts';
import { OPTIONS, type Period, previousOf, type Steps } from '../periods/rules.ts';
import { readPlayByProvider } from '../play/queries.ts';
import { readRegistrations } from '../players/queries.ts';
import { readChart } from '../request.ts';
import { changePercent, dollars, revenueOf } from '../rules.ts';
import { chart, MainQuery, series } from '../schemas.ts';
import { seriesAfterFirst } from './series.ts';

const DashboardOptions = z.array(z.object({ timeRange: z.string(), timeGroups: z.array(z.string()) }));

const DashboardMetric = object('DashboardMetric', {
  current: z.number(),
  previous: z.number(),
  changePercent: z.number().nullable(),
  series,
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
  summary: 'List the time ranges and their steps',
  response: DashboardOptions,
  handler: (_: DashboardDeps) =>
    Object.entries(OPTIONS).map(([timeRange, timeGroups]) => ({ timeRange, timeGroups: [...timeGroups] })),
});

export const getMainStats = operation({
  ...chart,
  path: '/admin/dashboard-v2/main/stats',
  summary: 'Get the main figures of a time range',
  query: MainQuery,
  response: MainStats,
  handler: (deps: DashboardDeps, { query }) =>
    readChart(deps, 'main', query, (tx, period) => readMain(tx, deps, period)),
});

/** Reads the figures of a period and their series. The previous period is read as an additional first step. */
async function readMain(
  tx: Tx,
  { gameLabels: labels }: Pick<DashboardDeps, 'gameLabels'>,
  { period, steps: own }: { period: Period; steps: Steps },
): Promise<z.input<typeof MainStats>> {
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
