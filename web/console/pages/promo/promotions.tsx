import { When } from '../../../kit/amount.tsx';
import { ButtonLink } from '../../../kit/button.tsx';
import { Badge } from '../../../kit/figures.tsx';
import { multiplier } from '../../../kit/intl.ts';
import { Status, words } from '../../../kit/page.tsx';
import { May } from '../../../kit/session.tsx';
import { listPage } from '../../list/list-page.tsx';
import { choice } from '../../list/spec.ts';
import { Reward } from './reward.tsx';

const LIST = 'GET /admin/promo';
const MAKE = 'POST /admin/promo';
const STATES = ['DRAFT', 'ACTIVE', 'PAUSED', 'ARCHIVED'] as const;
const TYPES = ['WELCOME', 'DEPOSIT', 'CODE', 'MANUAL'] as const;
const NewButton = () => (
  <May op={MAKE}>
    <ButtonLink to="/promo/new" kind="main" icon="plus">
      New promotion
    </ButtonLink>
  </May>
);

export const Promotions = listPage({
  list: 'promotions',
  title: 'Promotions',
  op: LIST,
  file: 'promotions',
  take: 20,
  Actions: NewButton,
  input: ({ text }) => ({
    query: {
      search: text('search'),
      status: text<(typeof STATES)[number]>('status'),
      type: text<(typeof TYPES)[number]>('type'),
      sortBy: text<'createdAt' | 'updatedAt' | 'startAt' | 'endAt' | 'name'>('sortBy'),
      sortOrder: text<'asc' | 'desc'>('sortOrder'),
    },
  }),
  keyOf: ({ id }) => id,
  nameOf: ({ name }) => name,
  to: ({ id }) => `/promo/${id}`,
  sorted: { by: 'createdAt', order: 'desc' },
  search: { name: 'search', label: 'Name, ID or code' },
  filters: [choice('type', 'Type', TYPES), choice('status', 'Status', STATES)],
  views: [
    { name: 'All promotions', query: {} },
    { name: 'Active', query: { status: 'ACTIVE' } },
    { name: 'Drafts', query: { status: 'DRAFT' } },
    { name: 'Paused', query: { status: 'PAUSED' } },
    { name: 'Archived', query: { status: 'ARCHIVED' } },
  ],
  columns: [
    { name: 'name', head: 'Promotion', of: ({ name }) => name, sort: 'name', isMain: true },
    { name: 'type', head: 'Type', of: ({ type }) => words(type) },
    {
      name: 'status',
      fields: ['status', 'startRequest.createdAt', 'startRequest.by.username'],
      head: 'Status',
      of: ({ status, startRequest }) => (
        <>
          <Status of={status} /> {startRequest && <Badge tone="warn">Start requested</Badge>}
        </>
      ),
      isMain: true,
    },
    {
      name: 'reward',
      fields: [
        'reward.kind',
        'reward.currencyId',
        'reward.amount',
        'reward.percent',
        'reward.maxAmount',
        'reward.freeSpins',
      ],
      head: 'Reward',
      of: (promo) => <Reward of={promo} />,
      end: true,
    },
    { name: 'wagerMultiplier', head: 'Wagering', of: (p) => multiplier(p.wagerMultiplier), end: true },
    { name: 'startAt', head: 'Starts', of: ({ startAt }) => <When at={startAt} />, sort: 'startAt' },
    { name: 'endAt', head: 'Ends', of: ({ endAt }) => <When at={endAt} />, sort: 'endAt' },
    { name: 'createdAt', head: 'Created', of: ({ createdAt }) => <When at={createdAt} />, sort: 'createdAt' },
    {
      name: 'updatedAt',
      head: 'Updated',
      of: ({ updatedAt }) => <When at={updatedAt} />,
      sort: 'updatedAt',
      isExtra: true,
    },
  ],
  empty: 'No promotions yet',
});
