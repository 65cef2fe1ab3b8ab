import { Amount, Usd, When } from '../../../kit/amount.tsx';
import { Status, words } from '../../../kit/page.tsx';
import { listPage } from '../../list/list-page.tsx';
import { player } from '../../list/spec.ts';
import { Network } from '../../network.tsx';
import { UserLink } from '../../user-link.tsx';
import { LIST, proposalOf } from './shared.ts';

/** Lists deposits that need a decision, and credited deposits with a finding. */
export const DepositReviews = listPage({
  list: 'deposit-reviews',
  title: 'Deposits under review',
  op: LIST,
  file: 'deposits-under-review',
  input: ({ number }) => ({ query: { userId: number('userId') } }),
  keyOf: ({ id }) => id,
  to: ({ id }) => `/deposit-reviews/${id}`,
  filters: [player()],
  columns: [
    {
      name: 'amount',
      fields: ['amount', 'currencyId'],
      head: 'Amount',
      of: (d) => <Amount of={d.amount} in={d.currencyId} />,
      isMain: true,
    },
    { name: 'usdAmount', head: 'Value', of: (d) => <Usd of={d.usdAmount} />, end: true },
    {
      name: 'user',
      fields: ['userId', 'user.username'],
      head: 'Player',
      of: (d) => (d.user ? <UserLink of={d.user} /> : 'No owner'),
      isMain: true,
    },
    { name: 'status', head: 'Status', of: (d) => <Status of={d.status} /> },
    { name: 'reasons', head: 'Reasons', of: (d) => d.reasons.map(words).join(', '), wide: true },
    { name: 'proposals', head: 'Proposal', of: (d) => proposalOf(d) && words(proposalOf(d)!.action) },
    { name: 'createdAt', head: 'Arrived', of: (d) => <When at={d.createdAt} /> },
    {
      name: 'networkId',
      head: 'Network',
      of: (d) => <Network of={d.networkId} in={d.currencyId} />,
      isExtra: true,
    },
    { name: 'txHash', head: 'Transaction', of: (d) => d.txHash, isExtra: true },
  ],
  empty: 'No deposits need a decision',
  art: 'queue-clear',
});
