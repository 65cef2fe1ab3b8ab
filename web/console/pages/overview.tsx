import { useState } from 'react';
import { Link } from 'wouter';
import type { Answer, DashboardMetric, DashboardPaymentRow, GameAnalyticsRow } from '../../../client/call.ts';
import { formatUnits, units } from '../../../src/platform/money.ts';
import { Usd } from '../../kit/amount.tsx';
import { serverNow } from '../../kit/clock.ts';
import { useFilters } from '../../kit/filters.ts';
import { Segmented } from '../../kit/form/toggle.tsx';
import { money, number, percent } from '../../kit/intl.ts';
import { Kpi } from '../../kit/measures.tsx';
import { Card, Loaded, Page } from '../../kit/page.tsx';
import { useRead } from '../../kit/query.ts';
import type { Columns } from '../../kit/table.tsx';
import { Attention } from '../attention.tsx';
import { type Span, spanOf, useDrill } from '../drill.ts';
import { FilterBar } from '../filter-bar.tsx';
import { choice, type Filter } from '../list/spec.ts';
import { type Share, Shares } from '../shares.tsx';
import { daysOf, GROUP_OF } from './reports/asked.ts';
import { changeIn } from './reports/changes.ts';
import { Curve, TableCard } from './reports/parts.tsx';
import { periodIn } from './reports/period.ts';
import type { Days } from './reports/save-csv.tsx';

const STATS = 'GET /admin/dashboard-v2/main/stats';
type Stats = Answer<typeof STATS>;

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

type Range = Exclude<keyof typeof GROUP_OF, 'CUSTOM'>;
const RANGES = Object.keys(GROUP_OF).filter((range) => range !== 'CUSTOM');
const FILTERS: readonly Filter[] = [choice('range', 'Period', RANGES, 'Last 7 days')];

type Metric = { label: string; unit: 'usd' | 'count' };
const METRICS = {
  ggrMetrics: { label: 'GGR', unit: 'usd' },
  ngrMetrics: { label: 'NGR', unit: 'usd' },
  turnoverMetrics: { label: 'Turnover', unit: 'usd' },
  depositMetrics: { label: 'Deposits', unit: 'usd' },
  activePlayersMetrics: { label: 'Active players', unit: 'count' },
  registrationMetrics: { label: 'New accounts', unit: 'count' },
} as const satisfies Record<keyof Stats, Metric>;
const NAMES = Object.keys(METRICS) as (keyof Stats)[];

/** Key figures of the platform, compared with the previous period, and charts of them. */
export function Overview() {
  const filters = useFilters({});
  const timeRange = filters.text<Range>('range') ?? 'LAST_7_DAYS';
  const stats = useRead(
    STATS,
    { query: { timeRange, timeGroup: GROUP_OF[timeRange], compare: true } },
    { everyMs: MINUTE_MS },
  );
  const days = daysOf(timeRange);
  return (
    <Page title="Overview" filters={<FilterBar of={FILTERS} in={filters} />}>
      <Loaded of={stats}>
        {(all) => (
          <div className="stack">
            <Figures of={all} range={timeRange} />
            <div className="with-aside">
              <div className="stack">
                <Trend of={all} days={days} names={['ggrMetrics', 'ngrMetrics', 'turnoverMetrics']} />
                <Trend
                  of={all}
                  days={days}
                  names={['depositMetrics', 'activePlayersMetrics', 'registrationMetrics']}
                />
                <TopGames range={timeRange} days={days} />
              </div>
              <div className="stack">
                <Attention />
                {!stats.isPlaceholderData && (
                  <DepositsByCurrency span={spanOf(all.depositMetrics.series, timeRange)} />
                )}
              </div>
            </div>
          </div>
        )}
      </Loaded>
    </Page>
  );
}

function Figures({ of: all, range }: { of: Stats; range: Range }) {
  const drill = useDrill();
  const span = spanOf(all.turnoverMetrics.series, range);
  const to: Readonly<Record<keyof Stats, string | undefined>> = {
    ggrMetrics: drill.play(range),
    ngrMetrics: drill.play(range, '/curves'),
    turnoverMetrics: drill.bets(span),
    depositMetrics: drill.ledger(span, 'DEPOSIT'),
    activePlayersMetrics: drill.play(range, '/curves'),
    registrationMetrics: drill.signUps(span),
  };
  return (
    <div className="kpis">
      {NAMES.map((name) => (
        <Figure key={name} of={all[name]} metric={METRICS[name]} to={to[name]} />
      ))}
    </div>
  );
}

type FigureProps = { of: DashboardMetric; metric: Metric; to: string | undefined };

function Figure({ of: { current, previous, changePercent, series }, metric, to }: FigureProps) {
  const shown = (value: number) => (metric.unit === 'usd' ? money(String(value)) : number(value));
  return (
    <Kpi
      label={metric.label}
      below={`vs ${shown(previous)} before`}
      over={series.map(({ value }) => Number(value))}
      to={to}
      {...changeIn(changePercent)}
    >
      {shown(current)}
    </Kpi>
  );
}

type TrendProps = { of: Stats; names: readonly [keyof Stats, ...(keyof Stats)[]]; days: Days };

/** A chart of one of several metrics. */
function Trend({ of: all, names, days }: TrendProps) {
  const [name, setName] = useState<keyof Stats>(names[0]);
  const { label, unit } = METRICS[name];
  const { series, previousSeries } = all[name];
  return (
    <Curve
      title={label}
      days={days}
      of={{ [label]: series }}
      before={previousSeries && { [label]: previousSeries }}
      in={unit}
      actions={<Segmented label="Figure" of={labelsOf(names)} value={name} onChange={setName} />}
    />
  );
}

const GAMES = 'GET /admin/dashboard-v2/query/games-by-slug';
const PAYMENTS = 'GET /admin/dashboard/payments';
const TOP = 5;

const GAME_COLUMNS: Columns<GameAnalyticsRow> = [
  { head: 'Game', of: ({ name }) => name, isMain: true },
  { head: 'Turnover', of: ({ turnover }) => <Usd of={turnover} />, end: true, isMain: true },
  { head: 'GGR', of: ({ ggr }) => <Usd of={ggr} />, end: true },
  { head: 'Margin', of: ({ margin }) => percent(margin), end: true },
  { head: 'Players', of: ({ activePlayers }) => number(activePlayers), end: true },
];

/** The games with the most turnover. */
function TopGames({ range, days }: { range: Range; days: Days }) {
  // The operation needs days, which count only for a custom period.
  const { startDate, endDate } = periodIn({ values: {} });
  const time = { timeRange: range, timeGroup: GROUP_OF[range], startDate, endDate };
  const query = { ...time, orderBy: 'turnover' as const, take: TOP };
  const games = useRead(GAMES, { query }, { everyMs: MINUTE_MS });
  const report = useDrill().play(range, '/games');
  return (
    <Loaded of={games}>
      {({ gameSlugAnalytics: rows }) => (
        <TableCard
          title="Top games"
          days={days}
          actions={report && <Link href={report}>Full report</Link>}
          rows={rows}
          columns={GAME_COLUMNS}
          keyOf={({ slug }) => slug}
          to={({ slug }) => `/games/${slug}`}
          empty="No bets in this period"
        />
      )}
    </Loaded>
  );
}

/** Each currency's share of the deposits. */
function DepositsByCurrency({ span: { start, end } }: { span: Span }) {
  // A comparison needs at least one hour.
  const endDate = end ?? new Date(Math.ceil(serverNow() / HOUR_MS) * HOUR_MS).toISOString();
  const payments = useRead(PAYMENTS, { query: { startDate: start, endDate } }, { everyMs: MINUTE_MS });
  return (
    <Card title="Deposits by currency">
      <Loaded of={payments}>{({ current }) => <Shares of={currencySharesOf(current)} />}</Loaded>
    </Card>
  );
}

/** Returns the deposits of each currency in USD, the largest first. */
function currencySharesOf(rows: readonly DashboardPaymentRow[]): readonly Share[] {
  const sums = new Map<string, bigint>();
  for (const { direction, currencyId, usdAmount } of rows)
    if (direction === 'DEPOSIT') sums.set(currencyId, (sums.get(currencyId) ?? 0n) + units(usdAmount));
  const total = [...sums.values()].reduce((all, one) => all + one, 0n);
  return [...sums]
    .sort(([, a], [, b]) => (a === b ? 0 : a < b ? 1 : -1))
    .map(([label, sum]) => ({
      label,
      value: money(formatUnits(sum)),
      percent: total === 0n ? 0 : Number((sum * 1000n) / total) / 10,
    }));
}

const labelsOf = (names: readonly (keyof Stats)[]) =>
  Object.fromEntries(names.map((one) => [one, METRICS[one].label])) as Record<keyof Stats, string>;
