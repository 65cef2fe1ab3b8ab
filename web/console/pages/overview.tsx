import type { Answer, DashboardMetric } from '../../../client/call.ts';
import { useFilters } from '../../kit/filters.ts';
import { money, number, percent } from '../../kit/intl.ts';
import { Lines } from '../../kit/lines.tsx';
import { Kpi } from '../../kit/measures.tsx';
import { Loaded, Page } from '../../kit/page.tsx';
import { useRead } from '../../kit/query.ts';
import { Attention } from '../attention.tsx';
import { FilterBar } from '../filter-bar.tsx';
import { choice, type Filter } from '../list/spec.ts';

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
const FILTERS: readonly Filter[] = [choice('range', 'Period', RANGES, 'Last 7 days')];

const METRICS = {
  turnoverMetrics: 'Turnover in USD',
  ggrMetrics: 'GGR in USD',
  ngrMetrics: 'NGR in USD',
  depositMetrics: 'Deposits in USD',
  activePlayersMetrics: 'Active players',
  registrationMetrics: 'New accounts',
} as const satisfies Record<keyof Stats, string>;

/** Key figures of the platform, compared with the previous period, and charts of them. */
export function Overview() {
  const filters = useFilters({});
  const timeRange = filters.text<Range>('range') ?? 'LAST_7_DAYS';
  const stats = useRead(STATS, { query: { timeRange, timeGroup: GROUP_OF[timeRange] } }, { everyMs: 60_000 });
  return (
    <Page title="Overview" filters={<FilterBar of={FILTERS} in={filters} />}>
      <Loaded of={stats}>
        {(all) => (
          <div className="stack">
            <div className="kpis">
              {Object.entries(METRICS).map(([name, label]) => (
                <Metric key={name} label={label} of={all[name as keyof Stats]} />
              ))}
            </div>
            <div className="with-aside">
              <div className="cards">
                {Object.entries(METRICS).map(([name, label]) => (
                  <Lines key={name} title={label} of={{ [label]: all[name as keyof Stats].series }} />
                ))}
              </div>
              <Attention />
            </div>
          </div>
        )}
      </Loaded>
    </Page>
  );
}

function Metric({ label, of: { current, previous, changePercent } }: { label: string; of: DashboardMetric }) {
  const shown = (value: number) => (label.endsWith('USD') ? money(String(value)) : number(value));
  return (
    <Kpi
      label={label.replace(' in USD', '')}
      below={`vs ${shown(previous)} before`}
      {...(changePercent !== null && {
        change: { text: percent(Math.abs(changePercent)), isUp: changePercent >= 0, goodIs: 'up' as const },
      })}
    >
      {shown(current)}
    </Kpi>
  );
}
