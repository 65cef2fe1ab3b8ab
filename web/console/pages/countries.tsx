import type { Country } from '../../../client/call.ts';
import { type FilterField, Filters, useFilters } from '../../kit/filters.tsx';
import { ActButton } from '../../kit/form/act-button.tsx';
import { List } from '../../kit/list.tsx';
import { Page } from '../../kit/page.tsx';
import { useAct, useRead } from '../../kit/query.ts';
import type { Columns } from '../../kit/table.tsx';
import { Export } from '../export.tsx';

const LIST = 'GET /admin/country';
const STATS = 'GET /admin/country/stats';

const FILTERS: readonly FilterField[] = [
  { name: 'search', label: 'Country' },
  { name: 'status', label: 'State', of: ['BLOCKED', 'ALLOWED'] },
];

const COLUMNS: Columns<Country> = [
  { head: 'Country', of: ({ name }) => name },
  { head: 'Code', of: ({ code }) => code },
  { head: 'State', of: ({ isBlocked }) => (isBlocked ? '✕ blocked' : '✓ allowed') },
  { head: '', of: (country) => <Switch of={country} /> },
];

export function Countries() {
  const filters = useFilters({});
  const { text, page } = filters;
  const query = {
    search: text('search'),
    status: text<'BLOCKED' | 'ALLOWED'>('status'),
    sortBy: 'name' as const,
    sortOrder: 'asc' as const,
  };
  const list = useRead(LIST, { query: { ...query, page, take: 20 } });
  const stats = useRead(STATS, {});
  return (
    <Page
      title="Countries"
      filters={<Filters of={FILTERS} in={filters} />}
      actions={<Export op={LIST} input={{ query }} name="countries" />}
    >
      {stats.data && (
        <p className="dim">
          {stats.data.allowed} allowed, {stats.data.blocked} blocked
        </p>
      )}
      <List
        of={list}
        columns={COLUMNS}
        caption="Countries"
        keyOf={({ code }) => code}
        onPage={filters.toPage}
      />
    </Page>
  );
}

function Switch({ of: { code, name, isBlocked } }: { of: Country }) {
  const change = useAct('PATCH /admin/country/{code}', {
    stale: [LIST, STATS],
    said: isBlocked ? `${name} is allowed` : `${name} is blocked`,
  });
  const question = isBlocked ? `Allow ${name}?` : `Block ${name}? Nobody there can sign in or play.`;
  return (
    <ActButton
      act={change}
      input={{ path: { code }, body: { isBlocked: !isBlocked } }}
      kind={isBlocked ? 'ghost' : 'danger'}
      confirm={question}
    >
      {isBlocked ? 'Allow' : 'Block'}
    </ActButton>
  );
}
