import type { KycAdminDetail } from '../../../client/call.ts';
import { When } from '../../kit/amount.tsx';
import { Check } from '../../kit/form/choice.tsx';
import { TextArea } from '../../kit/form/field.tsx';
import { Form } from '../../kit/form/form.tsx';
import { Select } from '../../kit/form/select.tsx';
import { Card, Facts, Json, Page, Status, words } from '../../kit/page.tsx';
import { useAct, useRead } from '../../kit/query.ts';
import { May } from '../../kit/session.tsx';
import { type Columns, Table } from '../../kit/table.tsx';
import { listPage } from '../list/list-page.tsx';
import { choice, player } from '../list/spec.ts';
import { UserLink } from '../user-link.tsx';

const LIST = 'GET /admin/kyc';
const ONE = 'GET /admin/kyc/{userId}';
const TIERS = ['BASIC', 'IDENTITY', 'ADDRESS', 'SOURCE_OF_FUNDS'] as const;
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
const ACTIONS = ['APPROVE', 'REJECT', 'REQUEST_RESUBMIT', 'RESET'] as const;

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
  to: ({ userId }) => `/kyc/${userId}`,
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

type Tier = KycAdminDetail['tiers'][number];
type Finding = KycAdminDetail['checks'][number];
type Step = KycAdminDetail['history'][number];

export function KycCase({ params }: { params: { userId?: string } }) {
  const userId = Number(params.userId);
  const one = useRead(ONE, { path: { userId } });
  return (
    <Page title="Verification" of={one}>
      {(found) => (
        <div className="stack">
          <Card title="Player">
            <Facts
              of={{
                Player: <UserLink of={found.user} />,
                Level: found.level,
                'Provider reference': found.providerReference,
                'Comment from the player': found.clientComment,
              }}
            />
          </Card>
          <Card title="Tiers">
            <Table rows={found.tiers} columns={tierColumns} caption="Tiers" />
          </Card>
          <div className="cards">
            <Decide userId={userId} />
            <Card title="Risk">
              {found.riskSignals.length > 0 ? (
                <Json of={found.riskSignals} />
              ) : (
                <p className="dim">No known risk</p>
              )}
            </Card>
          </div>
          <Card title="Checks and documents">
            <Table
              rows={found.checks}
              columns={checkColumns}
              caption="Checks and documents"
              empty="No checks yet"
            />
          </Card>
          <Card title="History">
            <Table rows={found.history} columns={historyColumns} caption="History" empty="No history yet" />
          </Card>
        </div>
      )}
    </Page>
  );
}

const tierColumns: Columns<Tier> = [
  { head: 'Tier', of: ({ tier }) => words(tier) },
  { head: 'Status', of: ({ status }) => <Status of={status} /> },
  { head: 'Submitted', of: ({ submittedAt }) => <When at={submittedAt} /> },
  { head: 'Decided', of: ({ decidedAt }) => <When at={decidedAt} /> },
  { head: 'By', of: ({ decidedBy }) => <UserLink of={decidedBy} /> },
  { head: 'Valid until', of: ({ expiresAt }) => <When at={expiresAt} /> },
  {
    head: 'Reason',
    of: ({ moderationComment, rejectLabels }) => moderationComment ?? rejectLabels.join(', '),
  },
];

const checkColumns: Columns<Finding> = [
  { head: 'Check', of: ({ name }) => words(name) },
  { head: 'Result', of: ({ result }) => <Status of={result} /> },
  { head: 'Detail', of: ({ detail }) => detail },
  { head: 'Time', of: ({ at }) => <When at={at} /> },
];

const historyColumns: Columns<Step> = [
  { head: 'Time', of: ({ at }) => <When at={at} /> },
  { head: 'Tier', of: ({ tier }) => words(tier) },
  { head: 'From', of: ({ fromStatus }) => words(fromStatus) },
  { head: 'To', of: ({ toStatus }) => <Status of={toStatus} /> },
  { head: 'By', of: ({ actor }) => <UserLink of={actor} /> },
  { head: 'Reason', of: ({ reason }) => reason },
];

function Decide({ userId }: { userId: number }) {
  const decide = useAct('PATCH /admin/kyc/{userId}', { stale: [ONE, LIST], said: 'Decision saved' });
  return (
    <May op={decide.op}>
      <Card title="Decide">
        <Form
          act={decide}
          input={(f) => ({
            path: { userId },
            body: {
              tier: f.text('tier') as (typeof TIERS)[number],
              action: f.text('action') as (typeof ACTIONS)[number],
              reason: f.text('reason'),
              rejectType: f.text('action') === 'REJECT' ? rejectionOf(f.flag('isFinal')) : undefined,
            },
          })}
          submit="Save decision"
          confirm="Save this decision?"
          isEmptied
        >
          <Select name="tier" label="Tier" of={TIERS} defaultValue="IDENTITY" />
          <Select name="action" label="Decision" of={ACTIONS} />
          <TextArea name="reason" label="Reason" required maxLength={500} />
          <Check name="isFinal" label="Final rejection: no new documents can be submitted" />
        </Form>
      </Card>
    </May>
  );
}

const rejectionOf = (isFinal: boolean) => (isFinal ? ('FINAL' as const) : ('RETRY' as const));
