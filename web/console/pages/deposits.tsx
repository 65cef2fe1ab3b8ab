import type { Deposit } from '../../../client/call.ts';
import { Amount, Usd, When } from '../../kit/amount.tsx';
import { type FilterField, Filters, ORDER, useFilters } from '../../kit/filters.tsx';
import type { Choice } from '../../kit/form/choice.tsx';
import { List } from '../../kit/list.tsx';
import { Card, Copy, Facts, Page, Status } from '../../kit/page.tsx';
import { useRead } from '../../kit/query.ts';
import type { Columns } from '../../kit/table.tsx';
import { Export } from '../export.tsx';
import { UserLink } from '../user-link.tsx';

const LIST = 'GET /admin/payments/deposit';
const STATES = [
  'CREATED',
  'DETECTED',
  'CONFIRMING',
  'COMPLETED',
  'PARTIALLY_PAID',
  'EXPIRED',
  'UNDER_REVIEW',
  'ON_HOLD',
  'RETURNED',
  'FAILED',
  'REVERSED',
] as const;

const BY: readonly Choice[] = [{ value: 'usdAmount', label: 'amount' }];
const FILTERS: readonly FilterField[] = [
  { name: 'userId', label: 'User id', type: 'number' },
  { name: 'status', label: 'State', of: STATES },
  { name: 'sortBy', label: 'By', of: BY, none: 'time' },
  ORDER,
];

const COLUMNS: Columns<Deposit> = [
  { head: 'At', of: (d) => <When at={d.createdAt} /> },
  { head: 'Player', of: (d) => <UserLink of={d.user} /> },
  { head: 'State', of: (d) => <Status of={d.status} /> },
  { head: 'Network', of: (d) => d.networkId },
  { head: 'Amount', of: (d) => <Amount of={d.amount} in={d.currencyId} />, end: true },
  { head: 'In USD', of: (d) => <Usd of={d.usdAmount} />, end: true },
];

export function Deposits() {
  const filters = useFilters({});
  const { text, number, page } = filters;
  const query = {
    userId: number('userId'),
    status: text<(typeof STATES)[number]>('status'),
    sortBy: text<'usdAmount'>('sortBy'),
    sortOrder: text<'asc'>('sortOrder'),
  };
  const list = useRead(LIST, { query: { ...query, page, take: 50 } });
  return (
    <Page
      title="Deposits"
      filters={<Filters of={FILTERS} in={filters} />}
      actions={<Export op={LIST} input={{ query }} name="deposits" />}
    >
      <List
        of={list}
        columns={COLUMNS}
        caption="Deposits"
        keyOf={({ id }) => id}
        to={({ id }) => `/deposits/${id}`}
        onPage={filters.toPage}
      />
    </Page>
  );
}

export function DepositPage({ params: { id = '' } }: { params: { id?: string } }) {
  const one = useRead('GET /admin/payments/deposit/{id}', { path: { id } });
  return (
    <Page title="Deposit" of={one}>
      {(d) => (
        <Card>
          <Facts
            of={{
              Player: <UserLink of={d.user} />,
              State: <Status of={d.status} />,
              Amount: <Amount of={d.amount} in={d.currencyId} />,
              'In USD': <Usd of={d.usdAmount} />,
              Network: d.networkId,
              'Paid to': d.payAddress && <Copy text={d.payAddress} />,
              Memo: d.payMemo && <Copy text={d.payMemo} />,
              Transaction: d.txHash && <Copy text={d.txHash} />,
              'Bonus on it': d.depositBonus && <Amount of={d.depositBonus} in={d.currencyId} />,
              'For its affiliate': <Usd of={d.affiliateAmount} />,
              'Code of the affiliate': d.affiliateCodeId,
              'At the provider': d.externalId && <Copy text={d.externalId} />,
              At: <When at={d.createdAt} />,
            }}
          />
        </Card>
      )}
    </Page>
  );
}
