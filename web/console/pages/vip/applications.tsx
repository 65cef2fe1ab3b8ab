import type { VipApplicationAdmin } from '../../../../client/call.ts';
import { Usd, When } from '../../../kit/amount.tsx';
import { type FilterField, Filters, ORDER, useFilters } from '../../../kit/filters.ts';
import { List } from '../../../kit/list.tsx';
import { Page, Status } from '../../../kit/page.tsx';
import { useRead } from '../../../kit/query.ts';
import type { Columns } from '../../../kit/table.tsx';
import { Export } from '../../export.tsx';
import { UserLink } from '../../user-link.tsx';

export const APPLICATIONS = 'GET /admin/vip-application';
const STATES = ['NEW', 'IN_REVIEW', 'APPROVED', 'REJECTED', 'CANCELLED'] as const;
const SORTS = ['updatedAt', 'totalWageredUsd'] as const;

const FILTERS: readonly FilterField[] = [
  { name: 'search', label: 'Player or name elsewhere' },
  { name: 'status', label: 'State', of: STATES },
  { name: 'assigneeId', label: 'Looked after by (user id)', type: 'number' },
  { name: 'sortBy', label: 'By', of: SORTS, none: 'time' },
  ORDER,
];

export const COLUMNS: Columns<VipApplicationAdmin> = [
  { head: 'Applied', of: ({ createdAt }) => <When at={createdAt} /> },
  { head: 'Player', of: ({ user }) => <UserLink of={user} /> },
  { head: 'State', of: ({ status }) => <Status of={status} /> },
  { head: 'Played at', of: ({ platformName }) => platformName },
  { head: 'Wagered there', of: ({ totalWageredUsd }) => <Usd of={totalWageredUsd} />, end: true },
  { head: 'Rank there', of: ({ rank }) => rank },
  { head: 'Tag', of: ({ tag }) => tag || '–' },
  { head: 'Looked after by', of: ({ assignee }) => <UserLink of={assignee} /> },
  { head: 'Decided', of: ({ decidedAt }) => <When at={decidedAt} /> },
];

/** Lists VIP applications. By default it shows only new applications. */
export function VipApplications() {
  const filters = useFilters({ status: 'NEW' });
  const { text, number, page } = filters;
  const query = {
    search: text('search'),
    status: text<(typeof STATES)[number]>('status'),
    assigneeId: number('assigneeId'),
    sortBy: text<(typeof SORTS)[number]>('sortBy'),
    sortOrder: text<'asc' | 'desc'>('sortOrder'),
  };
  const list = useRead(APPLICATIONS, { query: { ...query, page, take: 20 } });
  return (
    <Page
      title="VIP applications"
      filters={<Filters of={FILTERS} in={filters} />}
      actions={<Export op={APPLICATIONS} input={{ query }} name="vip-applications" />}
    >
      <List
        of={list}
        columns={COLUMNS}
        caption="VIP applications"
        keyOf={({ id }) => id}
        to={({ id }) => `/vip/${id}`}
        onPage={filters.toPage}
        empty="No application is like this."
      />
    </Page>
  );
}
