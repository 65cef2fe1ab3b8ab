import { Usd, When } from '../../../kit/amount.tsx';
import { useFilters } from '../../../kit/filters.ts';
import { number, percent } from '../../../kit/intl.ts';
import type { Point } from '../../../kit/lines.tsx';
import { Kpi } from '../../../kit/measures.tsx';
import { Loaded, Page } from '../../../kit/page.tsx';
import { useRead } from '../../../kit/query.ts';
import { spanOf, useDrill } from '../../drill.ts';
import { FilterBar } from '../../filter-bar.tsx';
import { listPage } from '../../list/list-page.tsx';
import { choice } from '../../list/spec.ts';
import { rangeDays, TIMES, timeIn } from './asked.ts';
import { Curve, changeOf } from './parts.tsx';

/** Deposits, withdrawals and sign-ups. */
export function CashReport() {
  const filters = useFilters({});
  const query = { ...timeIn(filters), compare: true };
  const days = rangeDays(query);
  const drill = useDrill();
  const spanIn = (points: readonly Point[]) => spanOf(points, query.timeRange, query.endDate);
  const payments = useRead('GET /admin/dashboard-v2/query/payments', { query });
  const accounts = useRead('GET /admin/dashboard-v2/query/registrations', { query });
  return (
    <Page title="Deposits and sign-ups" filters={<FilterBar of={TIMES} in={filters} />}>
      <div className="stack">
        <Loaded of={payments}>
          {(p) => (
            <>
              <div className="kpis">
                <Kpi
                  label="Deposits"
                  {...changeOf(p.depositAmount, p.previous?.depositAmount)}
                  to={drill.ledger(spanIn(p.depositAmountTimeSeries), 'DEPOSIT')}
                >
                  <Usd of={p.depositAmount} />
                </Kpi>
                <Kpi
                  label="Withdrawals"
                  {...changeOf(p.withdrawalAmount, p.previous?.withdrawalAmount, 'down')}
                  to={drill.ledger(spanIn(p.depositAmountTimeSeries), 'WITHDRAW')}
                >
                  <Usd of={p.withdrawalAmount} />
                </Kpi>
                <Kpi label="Withdrawals per deposit" {...changeOf(p.ratio, p.previous?.ratio, 'down')}>
                  {number(p.ratio)}
                </Kpi>
              </div>
              <div className="cards">
                <Curve
                  title="Deposits"
                  days={days}
                  of={{ Deposits: p.depositAmountTimeSeries }}
                  before={p.previous && { Deposits: p.previous.depositAmountTimeSeries }}
                  in="usd"
                />
                <Curve
                  title="Withdrawals per deposit"
                  days={days}
                  of={{ Ratio: p.ratioTimeSeries }}
                  before={p.previous && { Ratio: p.previous.ratioTimeSeries }}
                  in="ratio"
                />
              </div>
            </>
          )}
        </Loaded>
        <Loaded of={accounts}>
          {(a) => (
            <>
              <div className="kpis">
                <Kpi
                  label="New accounts"
                  {...changeOf(a.registrationCount, a.previous?.registrationCount)}
                  to={drill.signUps(spanIn(a.registrationTimeSeries))}
                >
                  {number(a.registrationCount)}
                </Kpi>
                <Kpi
                  label="First deposits"
                  {...changeOf(a.firstTimeDepositCount, a.previous?.firstTimeDepositCount)}
                >
                  {number(a.firstTimeDepositCount)}
                </Kpi>
                <Kpi
                  label="First deposits of new accounts"
                  {...changeOf(a.firstTimeDepositPercent, a.previous?.firstTimeDepositPercent)}
                >
                  {percent(a.firstTimeDepositPercent)}
                </Kpi>
              </div>
              <div className="cards">
                <Curve
                  title="New accounts and first deposits"
                  days={days}
                  of={{
                    'New accounts': a.registrationTimeSeries,
                    'First deposits': a.firstTimeDepositTimeSeries,
                  }}
                  before={
                    a.previous && {
                      'New accounts': a.previous.registrationTimeSeries,
                      'First deposits': a.previous.firstTimeDepositTimeSeries,
                    }
                  }
                  in="count"
                />
                <Curve
                  title="First deposits of new accounts"
                  days={days}
                  of={{ Share: a.firstTimeDepositPercentTimeSeries }}
                  before={a.previous && { Share: a.previous.firstTimeDepositPercentTimeSeries }}
                  in="percent"
                />
              </div>
            </>
          )}
        </Loaded>
      </div>
    </Page>
  );
}

const PAYERS = 'GET /admin/user/stats/transactions';
const PERIODS = ['HOURLY', 'WEEKLY', 'MONTHLY'] as const;

const PERIOD_CHOICES = [
  { value: 'HOURLY', label: 'This hour' },
  { value: 'WEEKLY', label: 'This week' },
  { value: 'MONTHLY', label: 'This month' },
];

/** Players with the highest deposits or withdrawals. */
export const Payers = listPage({
  list: 'payers',
  title: 'Top depositors',
  op: PAYERS,
  file: 'top-depositors',
  span: 'dataRange',
  take: 30,
  input: ({ text }) => ({
    query: {
      transactionType: text<'WITHDRAW'>('what') ?? ('DEPOSIT' as const),
      dataRange: text<(typeof PERIODS)[number]>('dataRange') ?? ('DAILY' as const),
      sortOrder: text<'asc' | 'desc'>('sortOrder'),
    },
  }),
  keyOf: ({ userId }) => userId,
  idField: 'userId',
  nameOf: ({ user }) => user.username,
  to: ({ userId }) => `/users/${userId}`,
  sorted: { by: 'amount', order: 'desc' },
  filters: [choice('dataRange', 'Period', PERIOD_CHOICES)],
  views: [
    { name: 'Deposits', query: {} },
    { name: 'Withdrawals', query: { what: 'WITHDRAW' } },
  ],
  columns: [
    {
      name: 'user',
      fields: ['userId', 'user.username'],
      head: 'Player',
      of: ({ user }) => user.username,
      isMain: true,
    },
    {
      name: 'amount',
      head: 'Amount',
      of: (p) => <Usd of={p.amount} />,
      end: true,
      sort: 'amount',
      isMain: true,
    },
    { name: 'count', head: 'Payments', of: ({ count }) => number(count), end: true },
    { name: 'lastTransactionAt', head: 'Last payment', of: (p) => <When at={p.lastTransactionAt} /> },
  ],
  empty: 'No payments in this period',
  note: 'Without a period, payments of today count',
});
