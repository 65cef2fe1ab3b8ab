import type { Country } from '../../../client/call.ts';
import { Badge } from '../../kit/figures.tsx';
import { ActButton } from '../../kit/form/act-button.tsx';
import { number } from '../../kit/intl.ts';
import { send, useAct, useRead } from '../../kit/query.ts';
import { listPage } from '../list/list-page.tsx';
import { type Bulk, choice } from '../list/spec.ts';

const LIST = 'GET /admin/country';
const STATS = 'GET /admin/country/stats';

type Status = 'BLOCKED' | 'ALLOWED';

const setBlocked =
  (isBlocked: boolean) =>
  ({ code }: Country) =>
    send('PATCH /admin/country/{code}', { path: { code }, body: { isBlocked } });

const CHANGE = 'PATCH /admin/country/{code}';
const bulk: readonly Bulk<Country>[] = [
  { label: 'Allow', icon: 'check', op: CHANGE, run: setBlocked(false) },
  {
    label: 'Block…',
    icon: 'ban',
    op: CHANGE,
    isDangerous: true,
    about: 'Players there can’t sign in or play.',
    run: setBlocked(true),
  },
];

function Totals() {
  const stats = useRead(STATS, {});
  return stats.data ? (
    <p className="dim">
      {number(stats.data.allowed)} allowed, {number(stats.data.blocked)} blocked
    </p>
  ) : null;
}

export const Countries = listPage({
  list: 'countries',
  title: 'Countries',
  op: LIST,
  file: 'countries',
  take: 20,
  Above: Totals,
  input: ({ text }) => ({
    query: {
      search: text('search'),
      status: text<Status>('status'),
      sortBy: text<'name' | 'code' | 'isBlocked'>('sortBy') ?? 'name',
      sortOrder: text<'asc' | 'desc'>('sortOrder') ?? 'asc',
    },
  }),
  keyOf: ({ code }) => code,
  idField: 'code',
  nameOf: ({ name }) => name,
  sorted: { by: 'name', order: 'asc' },
  search: { name: 'search', label: 'Country' },
  filters: [choice('status', 'Status', ['ALLOWED', 'BLOCKED'])],
  views: [
    { name: 'All countries', query: {} },
    { name: 'Blocked', query: { status: 'BLOCKED' } },
    { name: 'Allowed', query: { status: 'ALLOWED' } },
  ],
  columns: [
    { name: 'name', head: 'Country', of: ({ name }) => name, sort: 'name', isMain: true },
    { name: 'code', head: 'Code', of: ({ code }) => code, sort: 'code' },
    {
      name: 'isBlocked',
      head: 'Status',
      of: ({ isBlocked }) => (
        <Badge tone={isBlocked ? 'bad' : 'good'} icon={isBlocked ? 'ban' : 'circle-check'}>
          {isBlocked ? 'Blocked' : 'Allowed'}
        </Badge>
      ),
      sort: 'isBlocked',
      isMain: true,
    },
    { name: 'action', fields: [], head: 'Action', of: (country) => <Switch of={country} /> },
  ],
  bulk,
  empty: 'No countries',
});

function Switch({ of: { code, name, isBlocked } }: { of: Country }) {
  const change = useAct(CHANGE, {
    stale: [LIST, STATS],
    said: isBlocked ? `${name} is allowed` : `${name} is blocked`,
  });
  const question = isBlocked ? `Allow ${name}?` : `Block ${name}? Players there can’t sign in or play.`;
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
