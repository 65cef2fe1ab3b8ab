import { useMemo } from 'react';
import type { DashboardCohort, DashboardGameRow, DashboardTopUserRow } from '../../../../client/call.ts';
import { Usd } from '../../../kit/amount.tsx';
import { number, percent as percentOf } from '../../../kit/intl.ts';
import { Kpi } from '../../../kit/measures.tsx';
import { Loaded } from '../../../kit/page.tsx';
import { useRead } from '../../../kit/query.ts';
import type { Columns } from '../../../kit/table.tsx';
import { useDrill } from '../../drill.ts';
import { UserLink } from '../../user-link.tsx';
import type { PartProps } from './compared.tsx';
import { Before, percent } from './money.tsx';
import { Curve, changeOf, TableCard } from './parts.tsx';
import type { Days } from './save-csv.tsx';

const COHORTS: Columns<DashboardCohort> = [
  { head: 'Signed up on', of: ({ date }) => date },
  { head: 'New accounts', of: ({ registrations }) => registrations, end: true },
  { head: 'First deposits', of: ({ ftd }) => ftd, end: true },
  { head: 'Retained after 1 day', of: ({ retentionD1 }) => percent(retentionD1), end: true },
  { head: 'After 7 days', of: ({ retentionD7 }) => percent(retentionD7), end: true },
  { head: 'After 30 days', of: ({ retentionD30 }) => percent(retentionD30), end: true },
];

export function Players({ asked, days }: PartProps) {
  const report = useRead('GET /admin/dashboard/users', { query: asked });
  const drill = useDrill();
  const span = { start: asked.startDate, end: asked.endDate };
  return (
    <Loaded of={report}>
      {({ current, previous }) => (
        <>
          <div className="kpis">
            <Kpi
              label="New accounts"
              below={<Before days={days} of={number(previous.registrations)} />}
              {...changeOf(current.registrations, previous.registrations)}
              to={drill.signUps(span)}
            >
              {number(current.registrations)}
            </Kpi>
            <Kpi
              label="First deposits"
              below={<Before days={days} of={number(previous.ftd)} />}
              {...changeOf(current.ftd, previous.ftd)}
              to={drill.ledger(span, 'DEPOSIT')}
            >
              {number(current.ftd)}
            </Kpi>
            <Kpi
              label="Active players"
              below={<Before days={days} of={number(previous.activeUsers)} />}
              {...changeOf(current.activeUsers, previous.activeUsers)}
              to={drill.bets(span)}
            >
              {number(current.activeUsers)}
            </Kpi>
          </div>
          <Cohorts of={current.cohorts} before={previous.cohorts} days={days} />
          <TableCard
            title="Retention"
            days={days}
            rows={current.cohorts}
            columns={COHORTS}
            caption="Retention"
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

export function Games({ asked, days }: PartProps) {
  const report = useRead('GET /admin/dashboard/games', { query: { ...asked, take: 10 } });
  const to = ({ game }: DashboardGameRow) => `/games/${game.slug}`;
  return (
    <Loaded of={report}>
      {({ current }) => (
        <>
          <TableCard
            title="Most profitable"
            days={days}
            rows={current.top}
            columns={GAMES}
            caption="Most profitable games"
            keyOf={({ game }) => game.slug}
            to={to}
            empty="No bets in this period"
          />
          <TableCard
            title="Least profitable"
            days={days}
            rows={current.worst}
            columns={GAMES}
            caption="Least profitable games"
            keyOf={({ game }) => game.slug}
            to={to}
            empty="No bets in this period"
          />
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
  wagered: 'Wagered most',
  won: 'Won most',
  lost: 'Lost most',
  deposited: 'Deposited most',
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
              caption={title}
              keyOf={({ user }) => user.id}
              empty="No players"
            />
          ))}
        </div>
      )}
    </Loaded>
  );
}
