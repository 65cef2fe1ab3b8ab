import { When } from '../../../kit/amount.tsx';
import { Status, words } from '../../../kit/page.tsx';
import { listPage } from '../../list/list-page.tsx';
import { choice, player } from '../../list/spec.ts';
import { LIST, TIERS } from './shared.ts';

const STATES = [
  'NONE',
  'PENDING',
  'ON_HOLD',
  'APPROVED',
  'MANUALLY_APPROVED',
  'REJECTED',
  'RESUBMIT',
  'EXPIRED',
] as const;

/** Lists identity verification cases. By default it shows only pending cases, the oldest first. */
export const KycCases = listPage({
  list: 'verification',
  title: 'Verification',
  op: LIST,
  file: 'verification',
  take: 20,
  input: ({ text, number }) => ({
    query: {
      search: text('search'),
      userId: number('userId'),
      status: text<(typeof STATES)[number]>('status'),
      tier: text<(typeof TIERS)[number]>('tier'),
      sortBy: text<'submittedAt' | 'decidedAt' | 'updatedAt'>('sortBy') ?? 'submittedAt',
      sortOrder: text<'asc' | 'desc'>('sortOrder') ?? 'asc',
    },
  }),
  idField: null,
  keyOf: ({ userId, tier }) => `${userId}-${tier}`,
  nameOf: ({ user }) => user.username,
  to: ({ userId, status }) => `/kyc/${userId}${status === 'ON_HOLD' ? '?queue=ON_HOLD' : ''}`,
  sorted: { by: 'submittedAt', order: 'asc' },
  search: { name: 'search', label: 'Player' },
  filters: [choice('tier', 'Tier', TIERS), choice('status', 'Status', STATES), player()],
  views: [
    { name: 'Pending', query: { status: 'PENDING' }, isCounted: true },
    { name: 'On hold', query: { status: 'ON_HOLD' }, isCounted: true },
    { name: 'Needs new documents', query: { status: 'RESUBMIT' } },
    { name: 'Approved', query: { status: 'APPROVED' } },
    { name: 'Rejected', query: { status: 'REJECTED' } },
    { name: 'All', query: {} },
  ],
  columns: [
    {
      name: 'user',
      fields: ['userId', 'user.username'],
      head: 'Player',
      of: ({ user }) => user.username,
      isMain: true,
    },
    { name: 'tier', head: 'Tier', of: ({ tier }) => words(tier) },
    { name: 'status', head: 'Status', of: ({ status }) => <Status of={status} />, isMain: true },
    { name: 'level', head: 'Level', of: ({ level }) => level, end: true },
    {
      name: 'submittedAt',
      head: 'Submitted',
      of: ({ submittedAt }) => <When at={submittedAt} />,
      sort: 'submittedAt',
    },
    { name: 'decidedAt', head: 'Decided', of: ({ decidedAt }) => <When at={decidedAt} />, sort: 'decidedAt' },
    { name: 'provider', head: 'Provider', of: ({ provider }) => provider, isExtra: true },
  ],
  empty: 'No cases wait for a decision',
  art: 'queue-clear',
});
