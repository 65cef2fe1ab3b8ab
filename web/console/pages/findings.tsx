import type { ProviderFinding } from '../../../client/call.ts';
import { When } from '../../kit/amount.tsx';
import { ActButton } from '../../kit/form/act-button.tsx';
import { TextArea } from '../../kit/form/field.tsx';
import { Form } from '../../kit/form/form.tsx';
import { Card, Json, Status, words } from '../../kit/page.tsx';
import { useAct } from '../../kit/query.ts';
import { listPage } from '../list/list-page.tsx';
import { choice, player } from '../list/spec.ts';
import { UserLink } from '../user-link.tsx';
import { Waiting } from '../waiting.tsx';
import { useProviderSlugs } from './choices.ts';

const LIST = 'GET /admin/casino/findings';
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
    { name: 'facts', head: 'Details', of: (finding) => <More of={finding} /> },
  ],
  empty: 'No open alerts',
  art: 'queue-clear',
});

function More({ of: { id, facts, status, reason, decidedBy } }: { of: ProviderFinding }) {
  const apply = useAct('POST /admin/casino/findings/{id}/apply', { stale: [LIST], said: 'Alert applied' });
  const close = useAct('POST /admin/casino/findings/{id}/close', { stale: [LIST], said: 'Alert closed' });
  return (
    <details>
      <summary>Details</summary>
      <Json of={facts} />
      {status === 'OPEN' ? (
        <Card>
          <ActButton act={apply} input={{ path: { id } }} confirm="Book the provider’s figures?">
            Apply alert
          </ActButton>
          <Form
            act={close}
            input={(f) => ({ path: { id }, body: { reason: f.text('reason') } })}
            submit="Close alert"
          >
            <TextArea name="reason" label="Reason" required maxLength={500} />
          </Form>
        </Card>
      ) : (
        <p>
          <UserLink of={decidedBy} /> {reason}
        </p>
      )}
    </details>
  );
}
