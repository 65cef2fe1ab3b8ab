import type { UserTransactionStatsRow } from '../../../../client/call.ts';
import { Usd, When } from '../../../kit/amount.tsx';
import { type FilterField, Filters, ORDER, useFilters } from '../../../kit/filters.tsx';
import { Lines } from '../../../kit/lines.tsx';
import { List } from '../../../kit/list.tsx';
import { Kpi } from '../../../kit/measures.tsx';
import { Loaded, Page } from '../../../kit/page.tsx';
import { useRead } from '../../../kit/query.ts';
import type { Columns } from '../../../kit/table.tsx';
import { Export } from '../../export.tsx';
import { UserLink } from '../../user-link.tsx';
import { TIMES, timeIn } from './asked.ts';

const number = (value: number) => value.toLocaleString('en', { maximumFractionDigits: 2 });

/** Deposits, withdrawals and sign-ups. */
export function CashReport() {
  const filters = useFilters({});
  const query = timeIn(filters);
  const payments = useRead('GET /admin/dashboard-v2/query/payments', { query });
  const accounts = useRead('GET /admin/dashboard-v2/query/registrations', { query });
  return (
    <Page title="Deposits and new accounts" filters={<Filters of={TIMES} in={filters} />}>
      <div className="stack">
        <Loaded of={payments}>
          {(p) => (
            <>
              <div className="kpis">
                <Kpi label="Deposits in USD">{number(p.depositAmount)}</Kpi>
                <Kpi label="Withdrawals in USD">{number(p.withdrawalAmount)}</Kpi>
                <Kpi label="Withdrawals of deposits">{number(p.ratio)}</Kpi>
              </div>
              <div className="cards">
                <Lines title="Deposits in USD" of={{ Deposits: p.depositAmountTimeSeries }} />
                <Lines title="Withdrawals of deposits" of={{ Ratio: p.ratioTimeSeries }} />
              </div>
            </>
          )}
        </Loaded>
        <Loaded of={accounts}>
          {(a) => (
            <>
              <div className="kpis">
                <Kpi label="New accounts">{number(a.registrationCount)}</Kpi>
                <Kpi label="First deposits">{number(a.firstTimeDepositCount)}</Kpi>
                <Kpi label="First deposits of new accounts">{number(a.firstTimeDepositPercent)} %</Kpi>
              </div>
              <div className="cards">
                <Lines
                  title="New accounts and first deposits"
                  of={{
                    'New accounts': a.registrationTimeSeries,
                    'First deposits': a.firstTimeDepositTimeSeries,
                  }}
                />
                <Lines
                  title="First deposits of new accounts in %"
                  of={{ Percent: a.firstTimeDepositPercentTimeSeries }}
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

const FILTERS: readonly FilterField[] = [
  { name: 'what', label: 'What', of: ['WITHDRAW'], none: 'Deposit' },
  {
    name: 'dataRange',
    label: 'Of the running',
    of: [
      { value: 'HOURLY', label: 'hour' },
      { value: 'WEEKLY', label: 'week' },
      { value: 'MONTHLY', label: 'month' },
    ],
    none: 'day',
  },
  ORDER,
];

const COLUMNS: Columns<UserTransactionStatsRow> = [
  { head: 'Player', of: ({ user }) => <UserLink of={user} /> },
  { head: 'Amount', of: ({ amount }) => <Usd of={amount} />, end: true },
  { head: 'How many', of: ({ count }) => count.toLocaleString('en'), end: true },
  { head: 'The last one', of: ({ lastTransactionAt }) => <When at={lastTransactionAt} /> },
];

/** Players with the highest deposits or withdrawals. */
export function Payers() {
  const filters = useFilters({});
  const { text, page } = filters;
  const query = {
    transactionType: text<'WITHDRAW'>('what') ?? ('DEPOSIT' as const),
    dataRange: text<(typeof PERIODS)[number]>('dataRange') ?? ('DAILY' as const),
    sortOrder: text<'asc'>('sortOrder'),
  };
  const list = useRead(PAYERS, { query: { ...query, page, take: 30 } });
  return (
    <Page
      title="Who paid most"
      filters={<Filters of={FILTERS} in={filters} />}
      actions={<Export op={PAYERS} input={{ query }} name="payers" />}
    >
      <List
        of={list}
        columns={COLUMNS}
        caption="Who paid most"
        keyOf={({ userId }) => userId}
        onPage={filters.toPage}
        empty="Nobody in this time."
      />
    </Page>
  );
}
