import type { Withdrawal } from '../../../client/call.ts';
import { Amount, Usd, When } from '../../kit/amount.tsx';
import { type FilterField, Filters, ORDER, useFilters } from '../../kit/filters.tsx';
import { ActButton } from '../../kit/form/act-button.tsx';
import type { Choice } from '../../kit/form/choice.tsx';
import { TextArea } from '../../kit/form/field.tsx';
import { Form } from '../../kit/form/form.tsx';
import { List } from '../../kit/list.tsx';
import { Card, Copy, Facts, Page, Status } from '../../kit/page.tsx';
import { useAct, useRead } from '../../kit/query.ts';
import { May } from '../../kit/session.tsx';
import type { Columns } from '../../kit/table.tsx';
import { Export } from '../export.tsx';
import { UserLink } from '../user-link.tsx';

const LIST = 'GET /admin/payments/withdraw';
const ONE = 'GET /admin/payments/withdraw/{id}';
const STATES = [
  'WAITING_FOR_APPROVAL',
  'ON_HOLD',
  'APPROVED',
  'PROCESSING',
  'UNKNOWN_OUTCOME',
  'SENT',
  'COMPLETED',
  'REJECTED',
  'CANCELLED',
  'FAILED',
] as const;
type State = (typeof STATES)[number];

const BY: readonly Choice[] = [{ value: 'usdAmount', label: 'amount' }];

const FILTERS: readonly FilterField[] = [
  { name: 'username', label: 'Username' },
  { name: 'userId', label: 'User id', type: 'number' },
  { name: 'status', label: 'State', of: STATES },
  { name: 'sortBy', label: 'By', of: BY, none: 'time' },
  ORDER,
];

const COLUMNS: Columns<Withdrawal> = [
  { head: 'Requested', of: (w) => <When at={w.createdAt} /> },
  { head: 'Player', of: (w) => <UserLink of={w.user} /> },
  { head: 'State', of: (w) => <Status of={w.status} /> },
  { head: 'Amount', of: (w) => <Amount of={w.amount} in={w.currencyId} />, end: true },
  { head: 'In USD', of: (w) => <Usd of={w.usdAmount} />, end: true },
  { head: 'Risk', of: (w) => w.riskScore, end: true },
];

export function Withdrawals() {
  const filters = useFilters({ status: 'WAITING_FOR_APPROVAL' });
  const { text, number, page } = filters;
  const query = {
    status: text<State>('status'),
    username: text('username'),
    userId: number('userId'),
    sortBy: text<'createdAt' | 'usdAmount'>('sortBy'),
    sortOrder: text<'asc' | 'desc'>('sortOrder'),
  };
  const list = useRead(LIST, { query: { ...query, page, take: 50 } });
  return (
    <Page
      title="Withdrawals"
      filters={<Filters of={FILTERS} in={filters} />}
      actions={<Export op={LIST} input={{ query }} name="withdrawals" />}
    >
      <Queues />
      <List
        of={list}
        columns={COLUMNS}
        caption="Withdrawals"
        keyOf={(w) => w.id}
        to={(w) => `/withdrawals/${w.id}`}
        onPage={filters.toPage}
        empty="No withdrawal is like this."
      />
    </Page>
  );
}

/** Labels for the reasons behind a risk score or a hold. */
const RISKS: Readonly<Record<string, string>> = {
  NOTE_HIGH: 'High-severity staff note',
  NOTE_MEDIUM: 'Medium-severity staff note',
  NO_SECOND_FACTOR: 'No second factor',
  NEW_ADDRESS: 'New address',
  FIRST_WITHDRAWAL: 'First withdrawal',
  OTHER_COUNTRY: 'Requested from another country',
  OPEN_CLAIM: 'Owes money',
  TURNOVER_WAIVED: 'Turnover waived by self-exclusion',
  SECOND_FACTOR_RESET: 'Second factor was reset',
  UNPRICED: 'No exchange rate',
  RISK: 'High risk',
};

const QUEUES = {
  waitingForApproval: 'waiting',
  approved: 'approved',
  rejected: 'rejected',
  failed: 'failed',
} as const;

/** The number of withdrawals in each state, updated live. */
function Queues() {
  const stats = useRead('GET /admin/payments/withdraw/stats', {});
  if (!stats.data) return null;
  const counted = stats.data;
  return (
    <div className="kpis">
      {Object.entries(QUEUES).map(([name, words]) => (
        <div key={name} className="tile">
          <small className="dim">{words}</small>
          <strong>{counted[name as keyof typeof QUEUES].toLocaleString('en')}</strong>
        </div>
      ))}
    </div>
  );
}

export function WithdrawalPage({ params: { id = '' } }: { params: { id?: string } }) {
  const one = useRead(ONE, { path: { id } });
  const retry = useAct('POST /admin/payments/withdraw/retry', {
    stale: [ONE, LIST],
    said: 'Held again, to be sent',
  });
  return (
    <Page title="Withdrawal" of={one}>
      {(w) => (
        <div className="stack">
          <Card title="Request">
            <Facts
              of={{
                Player: <UserLink of={w.user} />,
                State: <Status of={w.status} />,
                Amount: <Amount of={w.amount} in={w.currencyId} />,
                'In USD': <Usd of={w.usdAmount} />,
                Network: w.networkId,
                To: <Copy text={w.recipientAddress} />,
                Memo: w.recipientMemo && <Copy text={w.recipientMemo} />,
                Requested: <When at={w.createdAt} />,
                Decided: <When at={w.confirmedAt} />,
                'Decided by': <UserLink of={w.confirmedByUser} />,
                Transaction: w.txHash && <Copy text={w.txHash} />,
                Confirmations: w.confirmations,
                'Reason shown to the player': w.rejectReason,
                'Failure reason': w.failedReason,
                'Hold reason': w.holdReason && RISKS[w.holdReason],
                'Risk score': `${w.riskScore} / 100`,
                'Risk reasons': w.riskReasons.map((reason) => RISKS[reason] ?? reason).join(', ') || 'None',
              }}
            />
          </Card>
          <div className="cards">
            <Approve id={id} />
            <Reject id={id} />
            <Card title="When something went wrong">
              <div className="actions">
                <ActButton act={retry} input={{ body: { id } }} confirm="Hold the money again and send it?">
                  Send again
                </ActButton>
                <LookUp id={id} />
              </div>
            </Card>
          </div>
        </div>
      )}
    </Page>
  );
}

function Approve({ id }: { id: string }) {
  const approve = useAct('POST /admin/payments/withdraw/approve', {
    stale: [ONE, LIST],
    said: (w) =>
      w.status === 'WAITING_FOR_APPROVAL' ? 'Approved; a second person has to as well' : 'Approved',
  });
  return (
    <May op={approve.op}>
      <Card title="Approve">
        <p className="dim">It is sent at once. Large ones need two people.</p>
        <ActButton act={approve} input={{ body: { id } }} kind="main" confirm="Approve it?">
          Approve
        </ActButton>
      </Card>
    </May>
  );
}

function Reject({ id }: { id: string }) {
  const reject = useAct('POST /admin/payments/withdraw/reject', { stale: [ONE, LIST], said: 'Rejected' });
  return (
    <May op={reject.op}>
      <Card title="Reject">
        <Form
          act={reject}
          input={(f) => ({ body: { id, rejectReason: f.text('rejectReason') } })}
          submit="Reject"
          kind="danger"
          confirm="Reject it?"
        >
          <TextArea name="rejectReason" label="Reason, told to the player" required maxLength={500} />
        </Form>
      </Card>
    </May>
  );
}

/**
 * Reads the status of a withdrawal from the payment provider. It runs only when staff press the button, because each call is logged as a
 * staff action.
 */
function LookUp({ id }: { id: string }) {
  const look = useAct('GET /admin/payments/withdraw/fetch/{id}', {
    stale: [ONE, LIST],
    said: 'The provider was asked',
  });
  return (
    <ActButton act={look} input={{ path: { id } }}>
      Ask the provider
    </ActButton>
  );
}
