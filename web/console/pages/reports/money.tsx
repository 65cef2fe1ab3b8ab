import { useMemo } from 'react';
import { useSearch } from 'wouter';
import type { Answer, DashboardLiabilityRow, DashboardPaymentRow } from '../../../../client/call.ts';
import { Amount, Usd } from '../../../kit/amount.tsx';
import { duration, number, percent as percentOf } from '../../../kit/intl.ts';
import { Card, Facts, Loaded, words } from '../../../kit/page.tsx';
import { useRead } from '../../../kit/query.ts';
import type { Columns } from '../../../kit/table.tsx';
import { useDrill } from '../../drill.ts';
import { Network } from '../../network.tsx';
import type { Asked, PartProps } from './compared.tsx';
import { count, type Figure, KeyFigures, rowsOfFigures, usd } from './figures.tsx';
import { Curve, TableCard } from './parts.tsx';
import { daysBefore } from './period.ts';
import { type Days, SaveCsv } from './save-csv.tsx';

const FIGURES = {
  depositUsd: usd('Deposits'),
  withdrawUsd: usd('Withdrawals', { goodIs: 'down' }),
  // Withdrawals that wait now waited in no period.
  pendingWithdrawUsd: usd('Pending withdrawals', { isOfNow: true }),
  turnoverUsd: usd('Turnover'),
  ggrUsd: usd('GGR'),
  ngrUsd: usd('NGR'),
  averageBetUsd: usd('Average bet'),
  registrations: count('New accounts'),
  ftd: count('First deposits'),
  repeatDepositors: count('Deposited again'),
  activeUsers: count('Active players'),
  betCount: count('Bets'),
  regToFtdRate: {
    label: 'First deposits of new accounts',
    show: (rate) => percent(rate === null ? null : Number(rate)),
  },
} as const satisfies Readonly<Record<string, Figure>>;

export function Overall({ asked, days }: PartProps) {
  const report = useRead('GET /admin/dashboard/overview', { query: asked });
  const to = useFigureLinks(asked);
  return (
    <Loaded of={report}>
      {({ current, previous }) => (
        <KeyFigures title="Key figures" days={days} of={FIGURES} now={current} before={previous} to={to} />
      )}
    </Loaded>
  );
}

/** The addresses of what is behind the figures, for the same period. */
function useFigureLinks({ startDate: start, endDate: end }: Asked) {
  const drill = useDrill();
  const search = useSearch();
  const part = (name: string) => `/reports/${name}${search && `?${search}`}`;
  const [bets, deposits] = [drill.bets({ start, end }), drill.ledger({ start, end }, 'DEPOSIT')];
  const to: Partial<Record<keyof typeof FIGURES, string | undefined>> = {
    depositUsd: deposits,
    withdrawUsd: drill.ledger({ start, end }, 'WITHDRAW'),
    pendingWithdrawUsd: drill.withdrawals(),
    turnoverUsd: bets,
    ggrUsd: part('games'),
    ngrUsd: part('revenue'),
    averageBetUsd: bets,
    registrations: drill.signUps({ start, end }),
    ftd: part('players'),
    repeatDepositors: deposits,
    activeUsers: part('top'),
    betCount: bets,
  };
  return to;
}

export const percent = (part: number | null) => (part === null ? '–' : percentOf(part * 100));

type RevenueOf = Answer<'GET /admin/dashboard/revenue'>['current'];
type Deductions = RevenueOf['deductions'];

const { turnoverUsd, ggrUsd, ngrUsd } = FIGURES;
const REVENUE = { turnoverUsd, ggrUsd, ngrUsd };

const deductionsIn = (deductions: Deductions) =>
  Object.fromEntries(
    Object.keys(deductions).map((name) => [name, usd(words(name.replace(/Usd$/, '')))]),
  ) as Record<keyof Deductions, Figure>;
const GROUP_MS = 3 * 86_400_000;

export function Revenue({ asked, days }: PartProps) {
  // Short ranges use hourly values, longer ones daily values.
  const isShort = Date.parse(asked.endDate) - Date.parse(asked.startDate) < GROUP_MS;
  const query = { ...asked, timeGroup: isShort ? ('HOUR' as const) : ('DAY' as const) };
  const report = useRead('GET /admin/dashboard/revenue', { query });
  const to = useFigureLinks(asked);
  return (
    <Loaded of={report}>
      {({ current, previous }) => (
        <>
          <KeyFigures
            title="Revenue"
            days={days}
            of={REVENUE}
            now={current}
            before={previous}
            to={{ turnoverUsd: to.turnoverUsd, ggrUsd: to.ggrUsd }}
          />
          <Curves of={current.series} before={previous.series} days={days} />
          <Card
            title="From GGR to NGR"
            actions={
              <SaveCsv
                title="From GGR to NGR"
                days={days}
                rows={rowsOfFigures({
                  of: deductionsIn(current.deductions),
                  now: current.deductions,
                  before: previous.deductions,
                })}
              />
            }
          >
            <Facts
              of={Object.fromEntries(
                Object.entries(deductionsIn(current.deductions)).map(([name, { label, show }]) => [
                  label,
                  show(current.deductions[name as keyof Deductions]),
                ]),
              )}
            />
            <p className="dim">Version {current.ngrVersion} of the formula.</p>
          </Card>
        </>
      )}
    </Loaded>
  );
}

type Series = RevenueOf['series'];

const turnoverOf = (series: Series) => ({
  Turnover: series.map(({ at, turnoverUsd }) => ({ at, value: turnoverUsd })),
});
const revenueOf = (series: Series) => ({
  GGR: series.map(({ at, ggrUsd }) => ({ at, value: ggrUsd })),
  NGR: series.map(({ at, ngrUsd }) => ({ at, value: ngrUsd })),
});

function Curves({ of: series, before, days }: { of: Series; before: Series; days: Days }) {
  const turnover = useMemo(() => ({ of: turnoverOf(series), before: turnoverOf(before) }), [series, before]);
  const revenue = useMemo(() => ({ of: revenueOf(series), before: revenueOf(before) }), [series, before]);
  return (
    <div className="cards">
      <Curve title="Turnover" {...turnover} in="usd" days={days} />
      <Curve title="GGR and NGR" {...revenue} in="usd" days={days} />
    </div>
  );
}

type CardProps<T> = { title: string; days: Days; rows: readonly T[]; caption: string };

const seconds = (value: number | null) => (value === null ? '–' : duration(value * 1000));

const PAYMENTS: Columns<DashboardPaymentRow> = [
  { head: 'Type', of: ({ direction }) => words(direction) },
  { head: 'Currency', of: ({ currencyId }) => currencyId },
  { head: 'Network', of: (row) => <Network of={row.networkId} in={row.currencyId} /> },
  { head: 'Payments', of: ({ count }) => number(count), end: true },
  { head: 'Amount', of: ({ amount }) => <Amount of={amount} />, end: true },
  { head: 'Value', of: ({ usdAmount }) => <Usd of={usdAmount} />, end: true },
  { head: 'Failed', of: ({ failureRate }) => percent(failureRate), end: true },
  { head: 'Median approval time', of: (row) => seconds(row.medianApprovalSeconds), end: true },
];

const paymentOf = ({ direction, currencyId, networkId }: DashboardPaymentRow) =>
  `${direction} ${currencyId} ${networkId}`;

const PaymentCard = (props: CardProps<DashboardPaymentRow>) => (
  <TableCard {...props} columns={PAYMENTS} keyOf={paymentOf} empty="No payments" />
);

export function Payments({ asked, days }: PartProps) {
  const report = useRead('GET /admin/dashboard/payments', { query: asked });
  return (
    <Loaded of={report}>
      {({ current, previous }) => (
        <>
          <PaymentCard title="This period" days={days} rows={current} caption="Payments" />
          <PaymentCard
            title="Previous period"
            days={daysBefore(days)}
            rows={previous}
            caption="Payments of the previous period"
          />
        </>
      )}
    </Loaded>
  );
}

const OWED: Columns<DashboardLiabilityRow> = [
  { head: 'Currency', of: ({ currencyId }) => currencyId },
  { head: 'Cash', of: ({ cash }) => <Amount of={cash} />, end: true },
  { head: 'Vault', of: ({ vault }) => <Amount of={vault} />, end: true },
  { head: 'Bonus', of: ({ bonus }) => <Amount of={bonus} />, end: true },
  { head: 'Pending withdrawals', of: (row) => <Amount of={row.pendingWithdrawals} />, end: true },
  { head: 'Rakeback', of: ({ claimableRakeback }) => <Amount of={claimableRakeback} />, end: true },
  { head: 'Affiliates', of: ({ claimableAffiliate }) => <Amount of={claimableAffiliate} />, end: true },
  { head: 'Prizes', of: ({ unpaidPrizes }) => <Amount of={unpaidPrizes} />, end: true },
  { head: 'Value', of: ({ totalUsd }) => <Usd of={totalUsd} />, end: true },
];

const OwedCard = (props: CardProps<DashboardLiabilityRow>) => (
  <TableCard {...props} columns={OWED} keyOf={({ currencyId }) => currencyId} empty="No liabilities" />
);

export function Liabilities({ asked, days }: PartProps) {
  const report = useRead('GET /admin/dashboard/liabilities', { query: asked });
  return (
    <Loaded of={report}>
      {({ current, previous }) => (
        <>
          <OwedCard title="End of the period" days={days} rows={current} caption="Liabilities at the end" />
          <OwedCard
            title="Start of the period"
            days={days}
            rows={previous}
            caption="Liabilities at the start"
          />
        </>
      )}
    </Loaded>
  );
}
