import { When } from '../../../kit/amount.tsx';
import { Status, words } from '../../../kit/page.tsx';
import { listPage } from '../../list/list-page.tsx';
import { choice, player } from '../../list/spec.ts';
import { UserLink } from '../../user-link.tsx';
import { Waiting } from '../../waiting.tsx';
import { useProviderSlugs } from '../choices.ts';
import { FactsOf, LIST } from './facts.tsx';

const STATES = ['OPEN', 'APPLIED', 'CLOSED'] as const;

/** Differences between a provider's books and the platform's books. Nothing is corrected automatically. Staff decide on each one. */
export const Findings = listPage({
  list: 'alerts',
  title: 'Alerts',
  about: 'Differences between the books of a provider and ours. Nothing is corrected until you decide.',
  op: LIST,
  file: 'alerts',
  Above: () => <Waiting of={['finding.apply']} />,
  input: ({ text, number }) => ({
    query: {
      provider: text('provider'),
      userId: number('userId'),
      status: text<(typeof STATES)[number]>('status'),
      sortOrder: text<'asc' | 'desc'>('sortOrder'),
    },
  }),
  keyOf: ({ id }) => id,
  to: ({ id, status }) => `/findings/${id}${status === 'OPEN' ? '' : `?queue=${status}`}`,
  sorted: { by: 'createdAt', order: 'desc' },
  filters: [choice('provider', 'Provider', useProviderSlugs), player(), choice('status', 'Status', STATES)],
  views: [
    { name: 'Open', query: { status: 'OPEN' }, isCounted: true },
    { name: 'Applied', query: { status: 'APPLIED' } },
    { name: 'Closed', query: { status: 'CLOSED' } },
    { name: 'All', query: {} },
  ],
  columns: [
    { name: 'kind', head: 'Alert', of: ({ kind }) => words(kind), isMain: true },
    { name: 'provider', head: 'Provider', of: ({ provider }) => provider },
    { name: 'subject', head: 'Subject', of: ({ subject }) => subject },
    {
      name: 'user',
      fields: ['user.id', 'user.username'],
      head: 'Player',
      of: ({ user }) => <UserLink of={user} />,
    },
    { name: 'status', head: 'Status', of: ({ status }) => <Status of={status} />, isMain: true },
    { name: 'createdAt', head: 'Found', of: ({ createdAt }) => <When at={createdAt} />, sort: 'createdAt' },
    { name: 'reason', head: 'Reason', of: ({ reason }) => reason, wide: true, isExtra: true },
    {
      name: 'decidedBy',
      fields: ['decidedBy.username'],
      head: 'Decided by',
      of: ({ decidedBy }) => <UserLink of={decidedBy} />,
      isExtra: true,
    },
    { name: 'facts', head: 'Details', of: ({ facts }) => <FactsOf of={facts} />, isExtra: true },
  ],
  empty: 'No open alerts',
  art: 'queue-clear',
});
