import type { ProviderFinding } from '../../../client/call.ts';
import { When } from '../../kit/amount.tsx';
import { type FilterField, Filters, useFilters } from '../../kit/filters.tsx';
import { ActButton } from '../../kit/form/act-button.tsx';
import { TextArea } from '../../kit/form/field.tsx';
import { Form } from '../../kit/form/form.tsx';
import { List } from '../../kit/list.tsx';
import { Card, Json, Page, Status, words } from '../../kit/page.tsx';
import { useAct, useRead } from '../../kit/query.ts';
import type { Columns } from '../../kit/table.tsx';
import { Export } from '../export.tsx';
import { UserLink } from '../user-link.tsx';
import { Waiting } from '../waiting.tsx';

const LIST = 'GET /admin/casino/findings';
const STATES = ['OPEN', 'APPLIED', 'CLOSED'] as const;

const FILTERS: readonly FilterField[] = [
  { name: 'provider', label: 'Provider' },
  { name: 'userId', label: 'User id', type: 'number' },
  { name: 'status', label: 'State', of: STATES },
];

const COLUMNS: Columns<ProviderFinding> = [
  { head: 'Found', of: ({ createdAt }) => <When at={createdAt} /> },
  { head: 'Provider', of: ({ provider }) => provider },
  { head: 'What', of: ({ kind }) => words(kind) },
  { head: 'About', of: ({ subject }) => subject },
  { head: 'Player', of: ({ user }) => <UserLink of={user} /> },
  { head: 'State', of: ({ status }) => <Status of={status} /> },
  { head: 'More', of: (finding) => <More of={finding} /> },
];

/** Differences between a provider's books and the platform's books. Nothing is corrected automatically. Staff decide on each one. */
export function Findings() {
  const filters = useFilters({ status: 'OPEN' });
  const { text, number, page } = filters;
  const query = {
    provider: text('provider'),
    userId: number('userId'),
    status: text<(typeof STATES)[number]>('status'),
  };
  const list = useRead(LIST, { query: { ...query, page, take: 50 } });
  return (
    <Page
      title="Findings about providers"
      filters={<Filters of={FILTERS} in={filters} />}
      actions={<Export op={LIST} input={{ query }} name="findings" />}
    >
      <Waiting of={['finding.apply']} />
      <List
        of={list}
        columns={COLUMNS}
        caption="Findings about providers"
        keyOf={({ id }) => id}
        onPage={filters.toPage}
        empty="Both books agree."
      />
    </Page>
  );
}

function More({ of: { id, facts, status, reason, decidedBy } }: { of: ProviderFinding }) {
  const apply = useAct('POST /admin/casino/findings/{id}/apply', { stale: [LIST], said: 'Booked' });
  const close = useAct('POST /admin/casino/findings/{id}/close', { stale: [LIST], said: 'Closed' });
  return (
    <details>
      <summary>facts</summary>
      <Json of={facts} />
      {status === 'OPEN' ? (
        <Card>
          <ActButton act={apply} input={{ path: { id } }} confirm="Book what the provider says?">
            Book it
          </ActButton>
          <Form
            act={close}
            input={(f) => ({ path: { id }, body: { reason: f.text('reason') } })}
            submit="Close without booking"
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
