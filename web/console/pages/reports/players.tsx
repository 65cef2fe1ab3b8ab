import { useMemo } from 'react';
import type { DashboardCohort, DashboardGameRow, DashboardTopUserRow } from '../../../../client/call.ts';
import { Usd } from '../../../kit/amount.tsx';
import { number, percent as percentOf } from '../../../kit/intl.ts';
import { Loaded } from '../../../kit/page.tsx';
import { useRead } from '../../../kit/query.ts';
import type { Columns } from '../../../kit/table.tsx';
import { useDrill } from '../../drill.ts';
import { UserLink } from '../../user-link.tsx';
import type { PartProps } from './compared.tsx';
import { count, KeyFigures } from './figures.tsx';
import { percent } from './money.tsx';
import { Curve, TableCard } from './parts.tsx';
import type { Days } from './save-csv.tsx';

const COHORTS: Columns<DashboardCohort> = [
  { head: 'Signed up on', of: ({ date }) => date },
  { head: 'New accounts', of: ({ registrations }) => registrations, end: true },
  { head: 'First deposits', of: ({ ftd }) => ftd, end: true },
  { head: 'Retained after 1 day', of: ({ retentionD1 }) => percent(retentionD1), end: true },
  { head: 'After 7 days', of: ({ retentionD7 }) => percent(retentionD7), end: true },
  { head: 'After 30 days', of: ({ retentionD30 }) => percent(retentionD30), end: true },
];

const FIGURES = {
  registrations: count('New accounts'),
  ftd: count('First deposits'),
  activeUsers: count('Active players'),
};

export function Players({ asked, days }: PartProps) {
  const report = useRead('GET /admin/dashboard/users', { query: asked });
  const drill = useDrill();
  const span = { start: asked.startDate, end: asked.endDate };
  return (
    <Loaded of={report}>
      {({ current, previous }) => (
        <>
          <KeyFigures
            title="Key figures"
            days={days}
            of={FIGURES}
            now={current}
            before={previous}
            to={{
              registrations: drill.signUps(span),
              ftd: drill.ledger(span, 'DEPOSIT'),
              activeUsers: drill.bets(span),
            }}
          />
          <Cohorts of={current.cohorts} before={previous.cohorts} days={days} />
          <TableCard
            title="Retention"
            days={days}
            rows={current.cohorts}
            columns={COHORTS}
            keyOf={({ date }) => date}
            empty="No sign-ups in this period"
          />
        </>
      )}
    </Loaded>
  );
}

type CohortsProps = { of: readonly DashboardCohort[]; before: readonly DashboardCohort[]; days: Days };

const countsOf = (cohorts: readonly DashboardCohort[]) => ({
  'New accounts': cohorts.map(({ date, registrations }) => ({ at: date, value: registrations })),
  'First deposits': cohorts.map(({ date, ftd }) => ({ at: date, value: ftd })),
});

function Cohorts({ of, before, days }: CohortsProps) {
  const lines = useMemo(() => ({ of: countsOf(of), before: countsOf(before) }), [of, before]);
  return of.length > 0 ? (
    <Curve title="New accounts and first deposits by day" {...lines} in="count" days={days} />
  ) : null;
}

const hundred = (value: number | null) => (value === null ? '–' : percentOf(value));

const GAMES: Columns<DashboardGameRow> = [
  { head: 'Game', of: ({ game }) => game.name },
  { head: 'Provider', of: ({ game }) => game.providerName },
  { head: 'Bets', of: ({ betCount }) => number(betCount), end: true },
  { head: 'Turnover', of: ({ turnoverUsd }) => <Usd of={turnoverUsd} />, end: true },
  { head: 'GGR', of: ({ ggrUsd }) => <Usd of={ggrUsd} />, end: true },
  { head: 'Actual RTP', of: ({ actualRtp }) => hundred(actualRtp), end: true },
  { head: 'Configured RTP', of: ({ configuredRtp }) => hundred(configuredRtp), end: true },
  {
    head: 'Within range',
    of: ({ withinBand }) => (withinBand === null ? 'Not known' : withinBand ? '✓ Yes' : '✕ No'),
  },
];

type GameCardProps = { title: string; days: Days; rows: readonly DashboardGameRow[] };

const GameCard = (props: GameCardProps) => (
  <TableCard
    {...props}
    columns={GAMES}
    keyOf={({ game }) => game.slug}
    to={({ game }) => `/games/${game.slug}`}
    empty="No bets in this period"
  />
);

export function Games({ asked, days }: PartProps) {
  const report = useRead('GET /admin/dashboard/games', { query: { ...asked, take: 10 } });
  return (
    <Loaded of={report}>
      {({ current }) => (
        <>
          <GameCard title="Most profitable games" days={days} rows={current.top} />
          <GameCard title="Least profitable games" days={days} rows={current.worst} />
        </>
      )}
    </Loaded>
  );
}

const TOP: Columns<DashboardTopUserRow> = [
  { head: 'Player', of: ({ user }) => <UserLink of={user} /> },
  { head: 'Value', of: ({ usdAmount }) => <Usd of={usdAmount} />, end: true },
];
const RANKINGS = {
  wagered: 'Most wagered',
  won: 'Most won',
  lost: 'Most lost',
  deposited: 'Most deposited',
} as const;

export function TopUsers({ asked, days }: PartProps) {
  const report = useRead('GET /admin/dashboard/top-users', { query: { ...asked, take: 10 } });
  return (
    <Loaded of={report}>
      {({ current }) => (
        <div className="cards">
          {Object.entries(RANKINGS).map(([name, title]) => (
            <TableCard
              key={name}
              title={title}
              days={days}
              rows={current[name as keyof typeof RANKINGS]}
              columns={TOP}
              keyOf={({ user }) => user.id}
              empty="No players"
            />
          ))}
        </div>
      )}
    </Loaded>
  );
}
