import type { ComponentType } from 'react';
import { useSearch } from 'wouter';
import type { Answer, GameAnalyticsRow, PieSlice } from '../../../../client/call.ts';
import { Button } from '../../../kit/button.tsx';
import { type FiltersIn, useFilters } from '../../../kit/filters.ts';
import { Lines } from '../../../kit/lines.tsx';
import { Kpi } from '../../../kit/measures.tsx';
import { Card, Loaded, Page, words } from '../../../kit/page.tsx';
import { useRead } from '../../../kit/query.ts';
import { type Columns, Table } from '../../../kit/table.tsx';
import { Tabs } from '../../../kit/tabs.tsx';
import { FilterBar } from '../../filter-bar.tsx';
import { choice, type Filter } from '../../list/spec.ts';
import { NotFound } from '../../not-found.tsx';
import { Shares } from '../../shares.tsx';
import { PLAY, playIn } from './asked.ts';

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

const number = (value: number) => value.toLocaleString('en', { maximumFractionDigits: 2 });

function All({ filters }: PartProps) {
  const stats = useRead('GET /admin/dashboard-v2/game/stats', { query: { ...playIn(filters), take: 10 } });
  return (
    <Loaded of={stats}>
      {(all) => (
        <>
          <Figures of={all} />
          <div className="cards">
            <Lines title="Turnover in USD" of={{ Turnover: all.turnoverTimeSeries }} />
            <Lines title="GGR and NGR in USD" of={{ GGR: all.ggrTimeSeries, NGR: all.ngrTimeSeries }} />
          </div>
          <Pies turnover={all.gameTypeTurnoverPie} margin={all.gameTypeMarginPie} />
          <Card title="Best games">
            <GameTable rows={all.topGameAnalytics} caption="Best games" />
          </Card>
          <Card title="Worst games">
            <GameTable rows={all.worstGameAnalytics} caption="Worst games" />
          </Card>
        </>
      )}
    </Loaded>
  );
}

type FiguresOf = Omit<
  Answer<'GET /admin/dashboard-v2/query/games-by-type'>,
  'gameTypeMarginPie' | 'gameTypeTurnoverPie' | 'ngr'
>;

const FIGURES = {
  turnover: 'Turnover in USD',
  ggr: 'GGR in USD',
  margin: 'Margin in %',
  betCount: 'Bets',
  activePlayers: 'Active players',
  averageBetSum: 'Average bet in USD',
  atpu: 'Turnover per player in USD',
  arpu: 'GGR per player in USD',
  abcpu: 'Bets per player',
} as const satisfies Record<keyof FiguresOf, string>;

function Figures({ of }: { of: FiguresOf }) {
  return (
    <div className="kpis">
      {Object.entries(FIGURES).map(([name, label]) => (
        <Kpi key={name} label={label}>
          {number(of[name as keyof FiguresOf])}
        </Kpi>
      ))}
    </div>
  );
}

const sharesOf = (pie: readonly PieSlice[]) =>
  pie.map(({ key, value, percent }) => ({ label: words(key), value, percent }));

function Pies({ turnover, margin }: { turnover: readonly PieSlice[]; margin: readonly PieSlice[] }) {
  return (
    <div className="cards">
      <Card>
        <Shares title="Turnover in USD by type" of={sharesOf(turnover)} />
      </Card>
      <Card>
        <Shares title="GGR in USD by type" of={sharesOf(margin)} />
      </Card>
    </div>
  );
}

const CURVES = {
  turnoverTimeSeries: 'Turnover in USD',
  ggrTimeSeries: 'GGR in USD',
  ngrTimeSeries: 'NGR in USD',
  activePlayersTimeSeries: 'Active players',
  atpuTimeSeries: 'Turnover per player in USD',
  arpuTimeSeries: 'GGR per player in USD',
} as const;

function Curves({ filters }: PartProps) {
  const series = useRead('GET /admin/dashboard-v2/query/bets-by-type', { query: playIn(filters) });
  return (
    <Loaded of={series}>
      {(all) => (
        <div className="cards">
          {Object.entries(CURVES).map(([name, label]) => (
            <Lines key={name} title={label} of={{ [label]: all[name as keyof typeof CURVES] }} />
          ))}
        </div>
      )}
    </Loaded>
  );
}

function Types({ filters }: PartProps) {
  const types = useRead('GET /admin/dashboard-v2/query/games-by-type', { query: playIn(filters) });
  return (
    <Loaded of={types}>
      {(all) => (
        <>
          <Figures of={all} />
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
  { head: 'Turnover in USD', of: ({ turnover }) => number(turnover), end: true },
  { head: 'GGR in USD', of: ({ ggr }) => number(ggr), end: true },
  { head: 'Margin in %', of: ({ margin }) => number(margin), end: true },
];

const GameTable = ({ rows, caption }: { rows: readonly GameAnalyticsRow[]; caption: string }) => (
  <Table
    rows={rows}
    columns={GAMES}
    caption={caption}
    keyOf={({ slug }) => slug}
    to={({ slug }) => `/games/${slug}`}
    empty="No bets in this period"
  />
);

function Games({ filters }: PartProps) {
  const { page, toPage, text } = filters;
  const query = {
    ...playIn(filters),
    orderBy: text<(typeof ORDERS)[number]>('orderBy'),
    page,
    take: TAKE,
  };
  const games = useRead('GET /admin/dashboard-v2/query/games-by-slug', { query });
  return (
    <Loaded of={games}>
      {({ gameSlugAnalytics: rows }) => (
        <>
          <GameTable rows={rows} caption="Games" />
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
        </>
      )}
    </Loaded>
  );
}
