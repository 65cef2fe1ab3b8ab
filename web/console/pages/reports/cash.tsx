import { Usd, When } from '../../../kit/amount.tsx';
import { useFilters } from '../../../kit/filters.ts';
import { number } from '../../../kit/intl.ts';
import type { Point } from '../../../kit/lines.tsx';
import { Loaded, Page } from '../../../kit/page.tsx';
import { useRead } from '../../../kit/query.ts';
import { spanOf, useDrill } from '../../drill.ts';
import { FilterBar } from '../../filter-bar.tsx';
import { listPage } from '../../list/list-page.tsx';
import { choice } from '../../list/spec.ts';
import { TIMES, timeIn } from './asked.ts';
import { count, KeyFigures, percentage, usd } from './figures.tsx';
import { Curves } from './parts.tsx';

const PAYMENTS = {
  depositAmount: usd('Deposits'),
  withdrawalAmount: usd('Withdrawals', { goodIs: 'down' }),
  ratio: { ...count('Withdrawals per deposit'), goodIs: 'down' },
} as const;
const PAYMENT_CHARTS = [
  { title: 'Deposits', lines: { Deposits: 'depositAmountTimeSeries' }, in: 'usd' },
  { title: 'Withdrawals per deposit', lines: { Ratio: 'ratioTimeSeries' }, in: 'ratio' },
] as const;
const SIGN_UPS = {
  registrationCount: count('New accounts'),
  firstTimeDepositCount: count('First deposits'),
  firstTimeDepositPercent: percentage('First deposits of new accounts'),
};
const SIGN_UP_CHARTS = [
  {
    title: 'New accounts and first deposits',
    lines: { 'New accounts': 'registrationTimeSeries', 'First deposits': 'firstTimeDepositTimeSeries' },
    in: 'count',
  },
  {
    title: 'First deposits of new accounts',
    lines: { Share: 'firstTimeDepositPercentTimeSeries' },
    in: 'percent',
  },
] as const;

/** Deposits, withdrawals and sign-ups. */
export function CashReport() {
  const filters = useFilters({});
  const { query: time, days } = timeIn(filters);
  const query = { ...time, compare: true };
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
              <KeyFigures
                title="Deposits and withdrawals"
                days={days}
                of={PAYMENTS}
                now={p}
                before={p.previous}
                to={{
                  depositAmount: drill.ledger(spanIn(p.depositAmountTimeSeries), 'DEPOSIT'),
                  withdrawalAmount: drill.ledger(spanIn(p.depositAmountTimeSeries), 'WITHDRAW'),
                }}
              />
              <Curves of={PAYMENT_CHARTS} now={p} before={p.previous} days={days} />
            </>
          )}
        </Loaded>
        <Loaded of={accounts}>
          {(a) => (
            <>
              <KeyFigures
                title="Sign-ups"
                days={days}
                of={SIGN_UPS}
                now={a}
                before={a.previous}
                to={{ registrationCount: drill.signUps(spanIn(a.registrationTimeSeries)) }}
              />
              <Curves of={SIGN_UP_CHARTS} now={a} before={a.previous} days={days} />
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
