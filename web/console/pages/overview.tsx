import { lazy, Suspense } from 'react';
import type { Answer, DashboardMetric } from '../../../client/call.ts';
import { Card, Loaded, Loading, Page } from '../../kit/page.tsx';
import { useRead } from '../../kit/query.ts';
import { type FilterField, Filters, useFilters } from '../../kit/table.tsx';

const STATS = 'GET /admin/dashboard-v2/main/stats';
type Stats = Answer<typeof STATS>;

/** Charts are loaded by the pages that draw. */
const Chart = lazy(async () => ({ default: (await import('../../kit/chart.tsx')).Chart }));

const RANGES = [
  'TODAY',
  'YESTERDAY',
  'LAST_7_DAYS',
  'LAST_30_DAYS',
  'THIS_MONTH',
  'LAST_MONTH',
  'THIS_YEAR',
] as const;
type Range = (typeof RANGES)[number];
const GROUP_OF: Readonly<Record<Range, 'HOUR' | 'DAY' | 'WEEK'>> = {
  TODAY: 'HOUR',
  YESTERDAY: 'HOUR',
  LAST_7_DAYS: 'DAY',
  LAST_30_DAYS: 'DAY',
  THIS_MONTH: 'DAY',
  LAST_MONTH: 'DAY',
  THIS_YEAR: 'WEEK',
};
const FILTERS: readonly FilterField[] = [{ name: 'range', label: 'Time', of: RANGES, none: 'Last 7 days' }];

const METRICS = {
  turnoverMetrics: 'Turnover in USD',
  ggrMetrics: 'GGR in USD',
  ngrMetrics: 'NGR in USD',
  depositMetrics: 'Deposits in USD',
  activePlayersMetrics: 'Players who bet',
  registrationMetrics: 'New accounts',
} as const satisfies Record<keyof Stats, string>;

/** How the platform does: figures beside those of the time before, and how they have moved. */
export function Overview() {
  const filters = useFilters({});
  const timeRange = filters.text<Range>('range') ?? 'LAST_7_DAYS';
  const stats = useRead(STATS, { query: { timeRange, timeGroup: GROUP_OF[timeRange] } }, { everyMs: 60_000 });
  return (
    <Page title="Overview" filters={<Filters of={FILTERS} in={filters} />}>
      <Loaded of={stats}>
        {(all) => (
          <>
            <div className="tiles">
              {Object.entries(METRICS).map(([name, label]) => (
                <Tile key={name} label={label} of={all[name as keyof Stats]} />
              ))}
            </div>
            <div className="cards">
              {Object.entries(METRICS).map(([name, label]) => (
                <Curve key={name} label={label} of={all[name as keyof Stats]} />
              ))}
            </div>
          </>
        )}
      </Loaded>
    </Page>
  );
}

function Tile({ label, of: { current, previous, changePercent } }: { label: string; of: DashboardMetric }) {
  return (
    <div className="tile">
      <small className="dim">{label}</small>
      <strong>{current.toLocaleString('en')}</strong>
      <small className="dim">
        before: {previous.toLocaleString('en')}
        {changePercent !== null && ` (${changePercent > 0 ? '+' : ''}${changePercent} %)`}
      </small>
    </div>
  );
}

function Curve({ label, of: { series } }: { label: string; of: DashboardMetric }) {
  return (
    <Card>
      <Suspense fallback={<Loading />}>
        <Chart
          title={label}
          at={series.map(({ at }) => at)}
          series={[{ label, values: series.map(({ value }) => value) }]}
        />
      </Suspense>
    </Card>
  );
}
