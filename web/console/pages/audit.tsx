import type { AdminLog } from '../../../client/call.ts';
import { When } from '../../kit/amount.tsx';
import { type FilterField, Filters, useFilters } from '../../kit/filters.tsx';
import { List } from '../../kit/list.tsx';
import { Json, Page } from '../../kit/page.tsx';
import { useRead } from '../../kit/query.ts';
import type { Columns } from '../../kit/table.tsx';
import { Export } from '../export.tsx';
import { UserLink } from '../user-link.tsx';

const LIST = 'GET /admin/user/admin-audit';
const KINDS = ['Successful', 'Redirection', 'Client_Error', 'Server_Error'] as const;
type Kind = (typeof KINDS)[number];

const FILTERS: readonly FilterField[] = [
  { name: 'userId', label: 'Of staff with id', type: 'number' },
  {
    name: 'reqType',
    label: 'What became of it',
    of: [
      { value: 'Successful', label: 'done' },
      { value: 'Client_Error', label: 'refused' },
      { value: 'Server_Error', label: 'failed' },
    ],
  },
];

const COLUMNS: Columns<AdminLog> = [
  { head: 'At', of: ({ createdAt }) => <When at={createdAt} /> },
  { head: 'Who', of: ({ user }) => <UserLink of={user} /> },
  { head: 'What', of: ({ method, path }) => `${method} ${path}` },
  { head: 'Answer', of: ({ statusCode }) => statusCode, end: true },
  { head: 'Right', of: ({ permission }) => permission },
  { head: 'From', of: ({ ip }) => ip },
  { head: 'More', of: (row) => <More of={row} /> },
];

/** The log of staff actions, including rejected ones. It is tamper-evident. The command `npx croupier audit` verifies its hash chain. */
export function Audit() {
  const filters = useFilters({});
  const { text, number, page } = filters;
  const kind = text<Kind>('reqType');
  const query = { userId: number('userId'), reqType: kind && [kind] };
  const list = useRead(LIST, { query: { ...query, page, take: 20 } });
  return (
    <Page
      title="Audit"
      filters={<Filters of={FILTERS} in={filters} />}
      actions={<Export op={LIST} input={{ query }} name="audit" />}
    >
      <List of={list} columns={COLUMNS} caption="Audit" keyOf={({ id }) => id} onPage={filters.toPage} />
    </Page>
  );
}

function More({ of: { requestBody, before, after, reason, requestId } }: { of: AdminLog }) {
  return (
    <details>
      <summary>{reason ?? 'details'}</summary>
      <Json of={{ requestBody, before, after, requestId }} />
    </details>
  );
}
