import { Amount, Usd, When } from '../../../kit/amount.tsx';
import { Status } from '../../../kit/page.tsx';
import { listPage } from '../../list/list-page.tsx';
import { choice, period, player } from '../../list/spec.ts';
import { Network } from '../../network.tsx';
import { RiskScore } from '../../risk.tsx';
import { UserLink } from '../../user-link.tsx';
import { LIST, reasonsOf } from './reasons.ts';

const STATES = [
  'WAITING_FOR_APPROVAL',
  'ON_HOLD',
  'APPROVED',
  'PROCESSING',
  'UNKNOWN_OUTCOME',
  'SENT',
  'COMPLETED',
  'REJECTED',
  'CANCELLED',
  'FAILED',
] as const;
type State = (typeof STATES)[number];

/** The choice of all statuses in which a withdrawal waits for staff. */
const WAITING = 'WAITING';
const CHOICES = [{ value: WAITING, label: 'Waiting for staff' }, ...STATES];

const view = (name: string, status: State | typeof WAITING, isCounted = false) => ({
  name,
  query: { status },
  isCounted,
});

export const Withdrawals = listPage({
  list: 'withdrawals',
  title: 'Withdrawals',
  op: LIST,
  file: 'withdrawals',
  input: ({ text, number, moment }) => ({
    query: {
      ...(text('status') === WAITING ? { isWaiting: true } : { status: text<State>('status') }),
      username: text('username'),
      userId: number('userId'),
      startDate: moment('startDate'),
      endDate: moment('endDate'),
      sortBy: text<'createdAt' | 'usdAmount'>('sortBy'),
      sortOrder: text<'asc' | 'desc'>('sortOrder'),
    },
  }),
  keyOf: ({ id }) => id,
  to: ({ id }) => `/withdrawals/${id}`,
  sorted: { by: 'createdAt', order: 'desc' },
  search: { name: 'username', label: 'Username' },
  filters: [player(), choice('status', 'Status', CHOICES), period('startDate', 'endDate', 'Requested')],
  views: [
    view('Waiting', WAITING, true),
    view('Pending approval', 'WAITING_FOR_APPROVAL', true),
    view('On hold', 'ON_HOLD', true),
    view('Unknown outcome', 'UNKNOWN_OUTCOME', true),
    view('Sending', 'PROCESSING'),
    view('Completed', 'COMPLETED'),
    view('Rejected', 'REJECTED'),
    view('Failed', 'FAILED'),
    { name: 'All', query: {} },
  ],
  columns: [
    {
      name: 'amount',
      fields: ['amount', 'currencyId'],
      head: 'Amount',
      of: (w) => <Amount of={w.amount} in={w.currencyId} />,
      isMain: true,
    },
    {
      name: 'usdAmount',
      head: 'Value',
      of: (w) => <Usd of={w.usdAmount} />,
      end: true,
      sort: 'usdAmount',
    },
    {
      name: 'user',
      fields: ['user.id', 'user.username'],
      head: 'Player',
      of: (w) => <UserLink of={w.user} />,
      isMain: true,
    },
    { name: 'status', head: 'Status', of: (w) => <Status of={w.status} /> },
    { name: 'riskScore', head: 'Risk', of: (w) => <RiskScore of={w.riskScore} /> },
    {
      name: 'riskReasons',
      head: 'Reasons',
      of: (w) => reasonsOf(w).join(', '),
      wide: true,
    },
    { name: 'createdAt', head: 'Requested', of: (w) => <When at={w.createdAt} />, sort: 'createdAt' },
    {
      name: 'networkId',
      head: 'Network',
      of: (w) => <Network of={w.networkId} in={w.currencyId} />,
      isExtra: true,
    },
    { name: 'recipientAddress', head: 'Address', of: (w) => w.recipientAddress, isExtra: true },
    { name: 'txHash', head: 'Transaction', of: (w) => w.txHash, isExtra: true },
    {
      name: 'confirmedByUser',
      fields: ['confirmedByUser.username'],
      head: 'Decided by',
      of: (w) => <UserLink of={w.confirmedByUser} />,
      isExtra: true,
    },
  ],
  empty: 'No withdrawals are waiting',
  art: 'queue-clear',
});
