import type { VipApplicationAdmin } from '../../../../client/call.ts';
import { Usd, When } from '../../../kit/amount.tsx';
import { Status } from '../../../kit/page.tsx';
import { listPage } from '../../list/list-page.tsx';
import { type Column, choice, player } from '../../list/spec.ts';
import { UserLink } from '../../user-link.tsx';

export const APPLICATIONS = 'GET /admin/vip-application';
const STATES = ['NEW', 'IN_REVIEW', 'APPROVED', 'REJECTED', 'CANCELLED'] as const;

export const COLUMNS: readonly Column<VipApplicationAdmin>[] = [
  {
    name: 'user',
    fields: ['userId', 'user.username'],
    head: 'Player',
    of: ({ user }) => user.username,
    isMain: true,
  },
  { name: 'status', head: 'Status', of: ({ status }) => <Status of={status} />, isMain: true },
  { name: 'platformName', head: 'Platform', of: ({ platformName }) => platformName },
  {
    name: 'totalWageredUsd',
    head: 'Wagered there',
    of: ({ totalWageredUsd }) => <Usd of={totalWageredUsd} />,
    end: true,
    sort: 'totalWageredUsd',
  },
  { name: 'rank', head: 'Rank there', of: ({ rank }) => rank },
  { name: 'tag', head: 'Tag', of: ({ tag }) => tag || '–' },
  {
    name: 'assignee',
    fields: ['assignee.username'],
    head: 'Assignee',
    of: ({ assignee }) => <UserLink of={assignee} />,
  },
  { name: 'createdAt', head: 'Applied', of: ({ createdAt }) => <When at={createdAt} />, sort: 'createdAt' },
  { name: 'decidedAt', head: 'Decided', of: ({ decidedAt }) => <When at={decidedAt} /> },
];

/** Lists VIP applications. By default it shows only new applications. */
export const VipApplications = listPage({
  list: 'vip-applications',
  title: 'VIP applications',
  op: APPLICATIONS,
  file: 'vip-applications',
  take: 20,
  input: ({ text, number }) => ({
    query: {
      search: text('search'),
      status: text<(typeof STATES)[number]>('status'),
      assigneeId: number('assigneeId'),
      sortBy: text<'createdAt' | 'updatedAt' | 'totalWageredUsd'>('sortBy'),
      sortOrder: text<'asc' | 'desc'>('sortOrder'),
    },
  }),
  keyOf: ({ id }) => id,
  nameOf: ({ user }) => user.username,
  to: ({ id, status }) => `/vip/${id}${status === 'IN_REVIEW' ? '?queue=IN_REVIEW' : ''}`,
  sorted: { by: 'createdAt', order: 'desc' },
  search: { name: 'search', label: 'Player or name elsewhere' },
  filters: [choice('status', 'Status', STATES), player('assigneeId', 'Assignee')],
  views: [
    { name: 'New', query: { status: 'NEW' }, isCounted: true },
    { name: 'In review', query: { status: 'IN_REVIEW' }, isCounted: true },
    { name: 'Approved', query: { status: 'APPROVED' } },
    { name: 'Rejected', query: { status: 'REJECTED' } },
    { name: 'All', query: {} },
  ],
  columns: COLUMNS,
  empty: 'No new applications',
  art: 'queue-clear',
});
