import type { ComponentType, ReactNode } from 'react';
import { useSearch } from 'wouter';
import type { Answer, GameAnalyticsRow, PieSlice } from '../../../../client/call.ts';
import { Usd } from '../../../kit/amount.tsx';
import { call } from '../../../kit/api.ts';
import { Button } from '../../../kit/button.tsx';
import { type FiltersIn, useFilters } from '../../../kit/filters.ts';
import { money, number, percent } from '../../../kit/intl.ts';
import { Card, Loaded, Page, words } from '../../../kit/page.tsx';
import { useRead } from '../../../kit/query.ts';
import type { Columns } from '../../../kit/table.tsx';
import { Tabs } from '../../../kit/tabs.tsx';
import { FilterBar } from '../../filter-bar.tsx';
import { choice, type Filter } from '../../list/spec.ts';
import { NotFound } from '../../not-found.tsx';
import { Shares } from '../../shares.tsx';
import { PLAY, playIn } from './asked.ts';
import { count, type Figure, KeyFigures, percentage, usd } from './figures.tsx';
import { Curves, TableCard } from './parts.tsx';
import type { Days } from './save-csv.tsx';

const ORDERS = ['turnover', 'betCount', 'activePlayers', 'margin', 'name'] as const;
const TAKE = 20;

type PartProps = { filters: FiltersIn };
const PARTS: Readonly<Record<string, { title: string; of: ComponentType<PartProps> }>> = {
  '': { title: 'Summary', of: All },
  curves: { title: 'Trends', of: Trends },
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

const CHARTS = [
  { title: 'Turnover', lines: { Turnover: 'turnoverTimeSeries' }, in: 'usd' },
  { title: 'GGR and NGR', lines: { GGR: 'ggrTimeSeries', NGR: 'ngrTimeSeries' }, in: 'usd' },
] as const;

function All({ filters }: PartProps) {
  const { query, days } = playIn(filters);
  const stats = useRead('GET /admin/dashboard-v2/game/stats', {
    query: { ...query, take: 10, compare: true },
  });
  return (
    <Loaded of={stats}>
      {(all) => (
        <>
          <Figures now={all} before={all.previous} days={days} />
          <Curves of={CHARTS} now={all} before={all.previous} days={days} />
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

const FIGURES: Readonly<Record<keyof FiguresOf, Figure>> = {
  turnover: usd('Turnover'),
  ggr: usd('GGR'),
  margin: percentage('Margin'),
  betCount: count('Bets'),
  activePlayers: count('Active players'),
  averageBetSum: usd('Average bet'),
  atpu: usd('Turnover per player'),
  arpu: usd('GGR per player'),
  abcpu: count('Bets per player'),
};

/** The figures lead to the games that they are made of. */
function Figures(figures: { now: FiguresOf; before: FiguresOf | undefined; days: Days }) {
  const search = useSearch();
  const games = `/play-report/games${search && `?${search}`}`;
  const to = Object.fromEntries(Object.keys(FIGURES).map((name) => [name, games]));
  return <KeyFigures title="Key figures" of={FIGURES} to={to} {...figures} />;
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

const TRENDS = [
  { title: 'Turnover', lines: { Turnover: 'turnoverTimeSeries' }, in: 'usd' },
  { title: 'GGR', lines: { GGR: 'ggrTimeSeries' }, in: 'usd' },
  { title: 'NGR', lines: { NGR: 'ngrTimeSeries' }, in: 'usd' },
  { title: 'Active players', lines: { 'Active players': 'activePlayersTimeSeries' }, in: 'count' },
  { title: 'Turnover per player', lines: { 'Turnover per player': 'atpuTimeSeries' }, in: 'usd' },
  { title: 'GGR per player', lines: { 'GGR per player': 'arpuTimeSeries' }, in: 'usd' },
] as const;

function Trends({ filters }: PartProps) {
  const { query, days } = playIn(filters);
  const series = useRead('GET /admin/dashboard-v2/query/bets-by-type', {
    query: { ...query, compare: true },
  });
  return (
    <Loaded of={series}>{(all) => <Curves of={TRENDS} now={all} before={all.previous} days={days} />}</Loaded>
  );
}

function Types({ filters }: PartProps) {
  const { query, days } = playIn(filters);
  const types = useRead('GET /admin/dashboard-v2/query/games-by-type', {
    query: { ...query, compare: true },
  });
  return (
    <Loaded of={types}>
      {(all) => (
        <>
          <Figures now={all} before={all.previous} days={days} />
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
  const { query: play, days } = playIn(filters);
  const query = {
    ...play,
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
          days={days}
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
