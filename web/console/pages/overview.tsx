import type { Answer, DashboardMetric } from '../../../client/call.ts';
import { type FilterField, Filters, useFilters } from '../../kit/filters.tsx';
import { Lines } from '../../kit/lines.tsx';
import { Kpi } from '../../kit/measures.tsx';
import { Loaded, Page } from '../../kit/page.tsx';
import { useRead } from '../../kit/query.ts';

const STATS = 'GET /admin/dashboard-v2/main/stats';
type Stats = Answer<typeof STATS>;

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

/** Key figures of the platform, compared with the previous period, and charts of them. */
export function Overview() {
  const filters = useFilters({});
  const timeRange = filters.text<Range>('range') ?? 'LAST_7_DAYS';
  const stats = useRead(STATS, { query: { timeRange, timeGroup: GROUP_OF[timeRange] } }, { everyMs: 60_000 });
  return (
    <Page title="Overview" filters={<Filters of={FILTERS} in={filters} />}>
      <Loaded of={stats}>
        {(all) => (
          <>
            <div className="kpis">
              {Object.entries(METRICS).map(([name, label]) => (
                <Metric key={name} label={label} of={all[name as keyof Stats]} />
              ))}
            </div>
            <div className="cards">
              {Object.entries(METRICS).map(([name, label]) => (
                <Lines key={name} title={label} of={{ [label]: all[name as keyof Stats].series }} />
              ))}
            </div>
          </>
        )}
      </Loaded>
    </Page>
  );
}

function Metric({ label, of: { current, previous, changePercent } }: { label: string; of: DashboardMetric }) {
  const change = changePercent === null ? '' : ` (${changePercent > 0 ? '+' : ''}${changePercent} %)`;
  const shown = (value: number) =>
    value.toLocaleString('en', { minimumFractionDigits: label.endsWith('USD') ? 2 : 0 });
  return (
    <Kpi label={label} below={`before: ${shown(previous)}${change}`}>
      {shown(current)}
    </Kpi>
  );
}
