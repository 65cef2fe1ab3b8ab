import { Amount, Usd, When } from '../../kit/amount.tsx';
import { Refusal } from '../../kit/note.tsx';
import { Card, Copy, Facts, Page, Status } from '../../kit/page.tsx';
import { useRead } from '../../kit/query.ts';
import { May } from '../../kit/session.tsx';
import { lastMonth } from '../drill.ts';
import { listPage } from '../list/list-page.tsx';
import { choice, period, player } from '../list/spec.ts';
import { Network } from '../network.tsx';
import { UserLink } from '../user-link.tsx';
import { Past } from './deposit-reviews/proposals.tsx';
import { LIST as REVIEWS } from './deposit-reviews/shared.ts';

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

export const Deposits = listPage({
  list: 'deposits',
  title: 'Deposits',
  op: LIST,
  file: 'deposits',
  input: ({ text, number, moment }) => ({
    query: {
      userId: number('userId'),
      status: text<(typeof STATES)[number]>('status'),
      startDate: moment('startDate'),
      endDate: moment('endDate'),
      sortBy: text<'createdAt' | 'usdAmount'>('sortBy'),
      sortOrder: text<'asc' | 'desc'>('sortOrder'),
    },
  }),
  keyOf: ({ id }) => id,
  to: ({ id }) => `/deposits/${id}`,
  sorted: { by: 'createdAt', order: 'desc' },
  filters: [player(), choice('status', 'Status', STATES), period('startDate', 'endDate', 'Created')],
  views: [
    { name: 'All deposits', query: {} },
    { name: 'Confirming', query: { status: 'CONFIRMING' } },
    { name: 'Held for review', query: { status: 'UNDER_REVIEW' }, isCounted: true },
    { name: 'Completed', query: { status: 'COMPLETED' } },
    { name: 'Failed', query: { status: 'FAILED' } },
    // Computed on each read, because a tab can stay open for days.
    {
      name: 'Last month',
      get query() {
        return lastMonth();
      },
    },
  ],
  columns: [
    {
      name: 'amount',
      fields: ['amount', 'currencyId'],
      head: 'Amount',
      of: (d) => <Amount of={d.amount} in={d.currencyId} />,
      isMain: true,
    },
    { name: 'usdAmount', head: 'Value', of: (d) => <Usd of={d.usdAmount} />, end: true, sort: 'usdAmount' },
    {
      name: 'user',
      fields: ['userId', 'user.username'],
      head: 'Player',
      of: (d) => <UserLink of={d.user} />,
      isMain: true,
    },
    { name: 'status', head: 'Status', of: (d) => <Status of={d.status} /> },
    { name: 'networkId', head: 'Network', of: (d) => <Network of={d.networkId} in={d.currencyId} /> },
    { name: 'createdAt', head: 'Created', of: (d) => <When at={d.createdAt} />, sort: 'createdAt' },
    { name: 'txHash', head: 'Transaction', of: (d) => d.txHash, isExtra: true },
    { name: 'payAddress', head: 'Paid to', of: (d) => d.payAddress, isExtra: true },
    { name: 'affiliateCodeId', head: 'Referral code', of: (d) => d.affiliateCodeId, isExtra: true },
  ],
  empty: 'Deposits appear here when players pay in',
  art: 'no-money',
});

export function DepositPage({ params: { id = '' } }: { params: { id?: string } }) {
  const one = useRead('GET /admin/payments/deposit/{id}', { path: { id } });
  return (
    <Page title="Deposit" of={one}>
      {(d) => (
        <div className="stack">
          <Card>
            <Facts
              of={{
                Player: <UserLink of={d.user} />,
                Status: <Status of={d.status} />,
                Amount: <Amount of={d.amount} in={d.currencyId} />,
                Value: <Usd of={d.usdAmount} />,
                Network: <Network of={d.networkId} in={d.currencyId} />,
                'Paid to': d.payAddress && <Copy text={d.payAddress} />,
                Memo: d.payMemo && <Copy text={d.payMemo} />,
                Transaction: d.txHash && <Copy text={d.txHash} />,
                'Deposit bonus': d.depositBonus && <Amount of={d.depositBonus} in={d.currencyId} />,
                'Affiliate commission': <Usd of={d.affiliateAmount} />,
                'Referral code': d.affiliateCodeId,
                'Provider ID': d.externalId && <Copy text={d.externalId} />,
                Created: <When at={d.createdAt} />,
              }}
            />
          </Card>
          <May op={REVIEWS}>
            <Decisions id={d.id} />
          </May>
        </div>
      )}
    </Page>
  );
}

/** Staff decisions on a deposit. */
function Decisions({ id }: { id: string }) {
  const { data, error, refetch } = useRead(REVIEWS, { query: { id, page: 1, take: 1 } });
  if (error) return <Refusal of={error} onRetry={refetch} />;
  const review = data?.data[0];
  return review ? <Past of={review} /> : null;
}
