import { type ReactNode, useMemo } from 'react';
import { useSearch } from 'wouter';
import type {
  Answer,
  DashboardLiabilityRow,
  DashboardOverview,
  DashboardPaymentRow,
} from '../../../../client/call.ts';
import { Amount, Usd } from '../../../kit/amount.tsx';
import { duration, number, percent as percentOf } from '../../../kit/intl.ts';
import { Kpi } from '../../../kit/measures.tsx';
import { Card, Facts, Loaded, words } from '../../../kit/page.tsx';
import { useRead } from '../../../kit/query.ts';
import type { Columns } from '../../../kit/table.tsx';
import { useDrill } from '../../drill.ts';
import { Network } from '../../network.tsx';
import type { Asked, PartProps } from './compared.tsx';
import { Curve, changeOf, KeyFigures, TableCard } from './parts.tsx';
import { daysBefore, shortDays } from './period.ts';
import { type Days, SaveCsv } from './save-csv.tsx';

const COUNTS = {
  registrations: 'New accounts',
  ftd: 'First deposits',
  repeatDepositors: 'Deposited again',
  activeUsers: 'Active players',
  betCount: 'Bets',
} as const;
const AMOUNTS = {
  depositUsd: 'Deposits',
  withdrawUsd: 'Withdrawals',
  pendingWithdrawUsd: 'Pending withdrawals',
  turnoverUsd: 'Turnover',
  ggrUsd: 'GGR',
  ngrUsd: 'NGR',
  averageBetUsd: 'Average bet',
} as const;

export function Overall({ asked, days }: PartProps) {
  const report = useRead('GET /admin/dashboard/overview', { query: asked });
  const to = useFigureLinks(asked);
  return (
    <Loaded of={report}>
      {({ current, previous }) => (
        <KeyFigures
          title="Key figures"
          days={days}
          rows={comparedRows({ ...AMOUNTS, ...COUNTS, ...RATES }, current, previous)}
        >
          <div className="kpis">
            {keysOf(AMOUNTS).map((name) => (
              <Kpi
                key={name}
                label={AMOUNTS[name]}
                // Withdrawals that wait now waited in no period.
                {...(name !== 'pendingWithdrawUsd' && {
                  below: <Before days={days} of={<Usd of={previous[name]} />} />,
                  ...changeOf(current[name], previous[name], name === 'withdrawUsd' ? 'down' : 'up'),
                })}
                to={to[name]}
              >
                <Usd of={current[name]} />
              </Kpi>
            ))}
          </div>
          <div className="kpis">
            {keysOf(COUNTS).map((name) => (
              <Kpi
                key={name}
                label={COUNTS[name]}
                below={<Before days={days} of={number(previous[name])} />}
                {...changeOf(current[name], previous[name])}
                to={to[name]}
              >
                {number(current[name])}
              </Kpi>
            ))}
            <Kpi
              label="First deposits of new accounts"
              below={<Before days={days} of={rate(previous)} />}
              {...changeOf(current.regToFtdRate, previous.regToFtdRate)}
            >
              {rate(current)}
            </Kpi>
          </div>
        </KeyFigures>
      )}
    </Loaded>
  );
}

const keysOf = <T extends object>(of: T) => Object.keys(of) as (keyof T)[];

/** A figure of the previous period. `days`: the days of the current one. */
export const Before = ({ days, of: figure }: { days: Days; of: ReactNode }) => (
  <>
    before ({shortDays(daysBefore(days))}): {figure}
  </>
);

const RATES = { regToFtdRate: 'First deposits of new accounts' } as const;

/** The rows of an export: each figure now and before. Nothing waited before, so figures of the present have no earlier value. */
function comparedRows<Name extends string>(
  names: Readonly<Record<Name, string>>,
  current: Readonly<Record<NoInfer<Name>, string | number>>,
  previous: Readonly<Record<NoInfer<Name>, string | number>>,
) {
  return keysOf(names).map((name) => ({
    figure: names[name],
    now: current[name],
    before: name === 'pendingWithdrawUsd' ? null : previous[name],
  }));
}

/** The addresses of what is behind the figures, for the same period. */
function useFigureLinks({ startDate: start, endDate: end }: Asked) {
  const drill = useDrill();
  const search = useSearch();
  const part = (name: string) => `/reports/${name}${search && `?${search}`}`;
  const [bets, deposits] = [drill.bets({ start, end }), drill.ledger({ start, end }, 'DEPOSIT')];
  const to: Partial<Record<keyof typeof AMOUNTS | keyof typeof COUNTS, string | undefined>> = {
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

const rate = ({ regToFtdRate }: DashboardOverview) => percent(regToFtdRate);
export const percent = (part: number | null) => (part === null ? '–' : percentOf(part * 100));

type RevenueOf = Answer<'GET /admin/dashboard/revenue'>['current'];
type Deductions = RevenueOf['deductions'];

const REVENUE = { turnoverUsd: 'Turnover', ggrUsd: 'GGR', ngrUsd: 'NGR' } as const;

const deductionNames = (deductions: Deductions) =>
  Object.fromEntries(keysOf(deductions).map((name) => [name, words(name.replace(/Usd$/, ''))])) as Record<
    keyof Deductions,
    string
  >;
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
          <KeyFigures title="Revenue" days={days} rows={comparedRows(REVENUE, current, previous)}>
            <div className="kpis">
              {keysOf(REVENUE).map((name) => (
                <Kpi
                  key={name}
                  label={AMOUNTS[name]}
                  below={<Before days={days} of={<Usd of={previous[name]} />} />}
                  {...changeOf(current[name], previous[name])}
                  to={name === 'ngrUsd' ? undefined : to[name]}
                >
                  <Usd of={current[name]} />
                </Kpi>
              ))}
            </div>
          </KeyFigures>
          <Curves of={current.series} before={previous.series} days={days} />
          <Card
            title="From GGR to NGR"
            actions={
              <SaveCsv
                title="From GGR to NGR"
                days={days}
                rows={comparedRows(
                  deductionNames(current.deductions),
                  current.deductions,
                  previous.deductions,
                )}
              />
            }
          >
            <Facts
              of={Object.fromEntries(
                Object.entries(deductionNames(current.deductions)).map(([name, label]) => [
                  label,
                  <Usd key={name} of={current.deductions[name as keyof Deductions]} />,
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

export function Payments({ asked, days }: PartProps) {
  const report = useRead('GET /admin/dashboard/payments', { query: asked });
  return (
    <Loaded of={report}>
      {({ current, previous }) => (
        <>
          <TableCard
            title="This period"
            days={days}
            rows={current}
            columns={PAYMENTS}
            caption="Payments"
            keyOf={paymentOf}
            empty="No payments"
          />
          <TableCard
            title="Previous period"
            days={daysBefore(days)}
            rows={previous}
            columns={PAYMENTS}
            caption="Payments of the previous period"
            keyOf={paymentOf}
            empty="No payments"
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

export function Liabilities({ asked, days }: PartProps) {
  const report = useRead('GET /admin/dashboard/liabilities', { query: asked });
  return (
    <Loaded of={report}>
      {({ current, previous }) => (
        <>
          <TableCard
            title="End of the period"
            days={days}
            rows={current}
            columns={OWED}
            caption="Liabilities at the end"
            keyOf={({ currencyId }) => currencyId}
            empty="No liabilities"
          />
          <TableCard
            title="Start of the period"
            days={days}
            rows={previous}
            columns={OWED}
            caption="Liabilities at the start"
            keyOf={({ currencyId }) => currencyId}
            empty="No liabilities"
          />
        </>
      )}
    </Loaded>
  );
}
