import type { UserListRow } from '../../../client/call.ts';
import { Usd, When } from '../../kit/amount.tsx';
import { type FilterField, Filters, ORDER, useFilters, YES_NO } from '../../kit/filters.tsx';
import type { Choice } from '../../kit/form/choice.tsx';
import { List } from '../../kit/list.tsx';
import { Page, Status } from '../../kit/page.tsx';
import { useRead } from '../../kit/query.ts';
import type { Columns } from '../../kit/table.tsx';
import { Export } from '../export.tsx';

const LIST = 'POST /admin/user/all';
const SORTS = ['lastLoginAt', 'username', 'vipLevel', 'kycLevel'] as const;
const BY: readonly Choice[] = [
  { value: 'lastLoginAt', label: 'last sign-in' },
  { value: 'username', label: 'username' },
  { value: 'vipLevel', label: 'VIP level' },
  { value: 'kycLevel', label: 'proofs of identity' },
];

const FILTERS: readonly FilterField[] = [
  { name: 'search', label: 'Name, e-mail or id' },
  { name: 'country', label: 'Country' },
  { name: 'isBanned', label: 'Banned', of: YES_NO },
  { name: 'isStaff', label: 'Staff', of: YES_NO },
  { name: 'isSelfExcluded', label: 'Excluded', of: YES_NO },
  { name: 'sortBy', label: 'By', of: BY, none: 'sign-up' },
  ORDER,
];

const COLUMNS: Columns<UserListRow> = [
  { head: 'Username', of: ({ username }) => username },
  { head: 'Id', of: ({ id }) => id, end: true },
  { head: 'E-mail', of: ({ email }) => email },
  { head: 'State', of: (user) => <Status of={user.isBanned ? 'BANNED' : 'ACTIVE'} /> },
  { head: 'VIP', of: ({ vipLevel }) => vipLevel, end: true },
  { head: 'Wagered', of: ({ statsUsd }) => <Usd of={statsUsd?.totalWagered} />, end: true },
  { head: 'Signed up', of: ({ createdAt }) => <When at={createdAt} /> },
  { head: 'Last sign-in', of: ({ lastLoginAt }) => <When at={lastLoginAt} /> },
];

export function Users() {
  const filters = useFilters({});
  const { text, flag, page } = filters;
  const body = {
    sortBy: text<(typeof SORTS)[number]>('sortBy') ?? ('createdAt' as const),
    sortOrder: text<'asc'>('sortOrder') ?? ('desc' as const),
    withPermissions: false,
    withRoles: false,
    withNotes: false,
    withBalance: false,
    withStatsUsd: true,
    isBanned: flag('isBanned'),
    search: text('search'),
    where: { country: text('country'), isStaff: flag('isStaff'), isSelfExcluded: flag('isSelfExcluded') },
  };
  const list = useRead(LIST, { body: { ...body, page, take: 20 } });
  return (
    <Page
      title="Users"
      filters={<Filters of={FILTERS} in={filters} />}
      actions={<Export op={LIST} input={{ body }} name="users" />}
    >
      <List
        of={list}
        columns={COLUMNS}
        caption="Users"
        keyOf={({ id }) => id}
        to={({ id }) => `/users/${id}`}
        onPage={filters.toPage}
      />
    </Page>
  );
}
