import type { ComponentType, ReactNode } from 'react';
import { useSearch } from 'wouter';
import type { Answer, GameAnalyticsRow, PieSlice } from '../../../../client/call.ts';
import { Usd } from '../../../kit/amount.tsx';
import { call } from '../../../kit/api.ts';
import { Button } from '../../../kit/button.tsx';
import { type FiltersIn, useFilters } from '../../../kit/filters.ts';
import { money, number, percent } from '../../../kit/intl.ts';
import type { Unit } from '../../../kit/lines.tsx';
import { Kpi } from '../../../kit/measures.tsx';
import { Card, Loaded, Page, words } from '../../../kit/page.tsx';
import { useRead } from '../../../kit/query.ts';
import type { Columns } from '../../../kit/table.tsx';
import { Tabs } from '../../../kit/tabs.tsx';
import { FilterBar } from '../../filter-bar.tsx';
import { choice, type Filter } from '../../list/spec.ts';
import { NotFound } from '../../not-found.tsx';
import { Shares } from '../../shares.tsx';
import { PLAY, playIn, rangeDays, timeIn } from './asked.ts';
import { Curve, changeOf, TableCard } from './parts.tsx';
import type { Days } from './save-csv.tsx';

const ORDERS = ['turnover', 'betCount', 'activePlayers', 'margin', 'name'] as const;
const TAKE = 20;

type PartProps = { filters: FiltersIn };
const PARTS: Readonly<Record<string, { title: string; of: ComponentType<PartProps> }>> = {
  '': { title: 'Summary', of: All },
  curves: { title: 'Trends', of: Curves },
  types: { title: 'Types', of: Types },
  games: { title: 'Games', of: Games },
};
const FILTERS: readonly Filter[] = [...PLAY, choice('orderBy', 'Sort games by', ORDERS, 'GGR')];

/** Reports about play: figures, charts, shares and single games. */
export function PlayReport({ params: { part = '' } }: { params: { part?: string } }) {
  const filters = useFilters({});
  const search = useSearch();
  const tabs = Object.entries(PARTS).map(([name, { title }]) => [
    title,
    `/play-report${name && `/${name}`}${search && `?${search}`}`,
  ]);
  const Part = PARTS[part]?.of;
  if (!Part) return <NotFound />;
  return (
    <Page title="Games" filters={<FilterBar of={FILTERS} in={filters} />}>
      <Tabs label="Parts of the report" of={Object.fromEntries(tabs)} />
      <div className="stack">
        <Part filters={filters} />
      </div>
    </Page>
  );
}

function All({ filters }: PartProps) {
  const stats = useRead('GET /admin/dashboard-v2/game/stats', {
    query: { ...playIn(filters), take: 10, compare: true },
  });
  const days = rangeDays(timeIn(filters));
  return (
    <Loaded of={stats}>
      {(all) => (
        <>
          <Figures of={all} before={all.previous} />
          <div className="cards">
            <Curve
              title="Turnover"
              days={days}
              of={{ Turnover: all.turnoverTimeSeries }}
              before={all.previous && { Turnover: all.previous.turnoverTimeSeries }}
              in="usd"
            />
            <Curve
              title="GGR and NGR"
              days={days}
              of={{ GGR: all.ggrTimeSeries, NGR: all.ngrTimeSeries }}
              before={all.previous && { GGR: all.previous.ggrTimeSeries, NGR: all.previous.ngrTimeSeries }}
              in="usd"
            />
          </div>
          <Pies turnover={all.gameTypeTurnoverPie} margin={all.gameTypeMarginPie} />
          <GameTable rows={all.topGameAnalytics} title="Best games" days={days} />
          <GameTable rows={all.worstGameAnalytics} title="Worst games" days={days} />
        </>
      )}
    </Loaded>
  );
}

type FiguresOf = Omit<
  Answer<'GET /admin/dashboard-v2/query/games-by-type'>,
  'gameTypeMarginPie' | 'gameTypeTurnoverPie' | 'ngr' | 'previous'
>;

type Shown = { label: string; show: (value: number) => string };
const inUsd = (label: string): Shown => ({ label, show: (value) => money(String(value)) });
const counted = (label: string): Shown => ({ label, show: (value) => number(value) });
const FIGURES: Readonly<Record<keyof FiguresOf, Shown>> = {
  turnover: inUsd('Turnover'),
  ggr: inUsd('GGR'),
  margin: { label: 'Margin', show: (value) => percent(value) },
  betCount: counted('Bets'),
  activePlayers: counted('Active players'),
  averageBetSum: inUsd('Average bet'),
  atpu: inUsd('Turnover per player'),
  arpu: inUsd('GGR per player'),
  abcpu: counted('Bets per player'),
};

/** The figures lead to the games that they are made of. */
function Figures({ of, before }: { of: FiguresOf; before: FiguresOf | undefined }) {
  const search = useSearch();
  return (
    <div className="kpis">
      {Object.entries(FIGURES).map(([name, { label, show }]) => (
        <Kpi
          key={name}
          label={label}
          to={`/play-report/games${search && `?${search}`}`}
          {...changeOf(of[name as keyof FiguresOf], before?.[name as keyof FiguresOf])}
        >
          {show(of[name as keyof FiguresOf])}
        </Kpi>
      ))}
    </div>
  );
}

const sharesOf = (pie: readonly PieSlice[]) =>
  pie.map(({ key, value, percent }) => ({ label: words(key), value: money(String(value)), percent }));

function Pies({ turnover, margin }: { turnover: readonly PieSlice[]; margin: readonly PieSlice[] }) {
  return (
    <div className="cards">
      <Card>
        <Shares title="Turnover by type" of={sharesOf(turnover)} />
      </Card>
      <Card>
        <Shares title="GGR by type" of={sharesOf(margin)} />
      </Card>
    </div>
  );
}

const CURVES = {
  turnoverTimeSeries: ['Turnover', 'usd'],
  ggrTimeSeries: ['GGR', 'usd'],
  ngrTimeSeries: ['NGR', 'usd'],
  activePlayersTimeSeries: ['Active players', 'count'],
  atpuTimeSeries: ['Turnover per player', 'usd'],
  arpuTimeSeries: ['GGR per player', 'usd'],
} as const satisfies Readonly<Record<string, readonly [string, Unit]>>;

function Curves({ filters }: PartProps) {
  const series = useRead('GET /admin/dashboard-v2/query/bets-by-type', {
    query: { ...playIn(filters), compare: true },
  });
  const days = rangeDays(timeIn(filters));
  return (
    <Loaded of={series}>
      {(all) => (
        <div className="cards">
          {Object.entries(CURVES).map(([name, [label, unit]]) => (
            <Curve
              key={name}
              title={label}
              days={days}
              of={{ [label]: all[name as keyof typeof CURVES] }}
              before={all.previous && { [label]: all.previous[name as keyof typeof CURVES] }}
              in={unit}
            />
          ))}
        </div>
      )}
    </Loaded>
  );
}

function Types({ filters }: PartProps) {
  const types = useRead('GET /admin/dashboard-v2/query/games-by-type', {
    query: { ...playIn(filters), compare: true },
  });
  return (
    <Loaded of={types}>
      {(all) => (
        <>
          <Figures of={all} before={all.previous} />
          <Pies turnover={all.gameTypeTurnoverPie} margin={all.gameTypeMarginPie} />
        </>
      )}
    </Loaded>
  );
}

const GAMES: Columns<GameAnalyticsRow> = [
  { head: 'Game', of: ({ name }) => name },
  { head: 'Category', of: ({ category }) => words(category) },
  { head: 'Provider', of: ({ providerSlug }) => providerSlug },
  { head: 'Players', of: ({ activePlayers }) => number(activePlayers), end: true },
  { head: 'Bets', of: ({ betCount }) => number(betCount), end: true },
  { head: 'Turnover', of: ({ turnover }) => <Usd of={turnover} />, end: true },
  { head: 'GGR', of: ({ ggr }) => <Usd of={ggr} />, end: true },
  { head: 'Margin', of: ({ margin }) => percent(margin), end: true },
];

type GameTableProps = {
  rows: readonly GameAnalyticsRow[];
  title: string;
  days: Days;
  readAll?: () => Promise<readonly GameAnalyticsRow[]>;
  below?: ReactNode;
};

const GameTable = (props: GameTableProps) => (
  <TableCard
    {...props}
    columns={GAMES}
    caption={props.title}
    keyOf={({ slug }) => slug}
    to={({ slug }) => `/games/${slug}`}
    empty="No bets in this period"
  />
);

const PLAYED = 'GET /admin/dashboard-v2/query/games-by-slug';
/** The maximum number of games in a response. */
const MOST_GAMES = 10_000;

function Games({ filters }: PartProps) {
  const { page, toPage, text } = filters;
  const query = {
    ...playIn(filters),
    orderBy: text<(typeof ORDERS)[number]>('orderBy'),
    page,
    take: TAKE,
  };
  const games = useRead(PLAYED, { query });
  const readAll = async () =>
    (await call(PLAYED, { query: { ...query, page: 1, take: MOST_GAMES } })).gameSlugAnalytics;
  return (
    <Loaded of={games}>
      {({ gameSlugAnalytics: rows }) => (
        <GameTable
          rows={rows}
          title="Games"
          days={rangeDays(timeIn(filters))}
          readAll={readAll}
          below={
            <nav className="pager" aria-label="Pages">
              <span className="dim">Page {number(page)}</span>
              <Button
                size="sm"
                icon="chevron-left"
                aria-label="Previous"
                disabled={page <= 1}
                onClick={() => toPage(page - 1)}
              />
              <Button
                size="sm"
                icon="chevron-right"
                aria-label="Next"
                disabled={rows.length < TAKE}
                onClick={() => toPage(page + 1)}
              />
            </nav>
          }
        />
      )}
    </Loaded>
  );
}
