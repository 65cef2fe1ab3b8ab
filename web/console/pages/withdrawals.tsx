import type { Withdrawal } from '../../../client/call.ts';
import { Amount, Usd, When } from '../../kit/amount.tsx';
import { ActButton } from '../../kit/form/act-button.tsx';
import { TextArea } from '../../kit/form/field.tsx';
import { Form } from '../../kit/form/form.tsx';
import { Card, Copy, Facts, Page, Status, words } from '../../kit/page.tsx';
import { useAct, useRead } from '../../kit/query.ts';
import { May } from '../../kit/session.tsx';
import { listPage } from '../list/list-page.tsx';
import { choice, player } from '../list/spec.ts';
import { RiskScore } from '../risk.tsx';
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

const view = (name: string, status: State, isCounted = false) => ({ name, query: { status }, isCounted });

export const Withdrawals = listPage({
  list: 'withdrawals',
  title: 'Withdrawals',
  op: LIST,
  file: 'withdrawals',
  input: ({ text, number }) => ({
    query: {
      status: text<State>('status'),
      username: text('username'),
      userId: number('userId'),
      sortBy: text<'createdAt' | 'usdAmount'>('sortBy'),
      sortOrder: text<'asc' | 'desc'>('sortOrder'),
    },
  }),
  keyOf: ({ id }) => id,
  to: ({ id }) => `/withdrawals/${id}`,
  sorted: { by: 'createdAt', order: 'desc' },
  search: { name: 'username', label: 'Username' },
  filters: [player(), choice('status', 'Status', STATES)],
  views: [
    view('Pending approval', 'WAITING_FOR_APPROVAL', true),
    view('On hold', 'ON_HOLD', true),
    view('Unknown outcome', 'UNKNOWN_OUTCOME', true),
    view('Sending', 'PROCESSING'),
    view('Completed', 'COMPLETED'),
    view('Rejected', 'REJECTED'),
    view('Failed', 'FAILED'),
    { name: 'All', query: {} },
  ],
  columns: [
    {
      name: 'amount',
      fields: ['amount', 'currencyId'],
      head: 'Amount',
      of: (w) => <Amount of={w.amount} in={w.currencyId} />,
      isMain: true,
    },
    {
      name: 'usdAmount',
      head: 'Value',
      of: (w) => <Usd of={w.usdAmount} />,
      end: true,
      sort: 'usdAmount',
    },
    {
      name: 'user',
      fields: ['user.id', 'user.username'],
      head: 'Player',
      of: (w) => <UserLink of={w.user} />,
    },
    { name: 'status', head: 'Status', of: (w) => <Status of={w.status} />, isMain: true },
    { name: 'riskScore', head: 'Risk', of: (w) => <RiskScore of={w.riskScore} /> },
    {
      name: 'riskReasons',
      head: 'Reasons',
      of: (w) => reasonsOf(w),
      wide: true,
    },
    { name: 'createdAt', head: 'Requested', of: (w) => <When at={w.createdAt} />, sort: 'createdAt' },
    { name: 'networkId', head: 'Network', of: (w) => w.networkId, isExtra: true },
    { name: 'recipientAddress', head: 'Address', of: (w) => w.recipientAddress, isExtra: true },
    { name: 'txHash', head: 'Transaction', of: (w) => w.txHash, isExtra: true },
    {
      name: 'confirmedByUser',
      fields: ['confirmedByUser.username'],
      head: 'Decided by',
      of: (w) => <UserLink of={w.confirmedByUser} />,
      isExtra: true,
    },
  ],
  empty: 'No withdrawals wait for approval',
  art: 'queue-clear',
});

const reasonsOf = ({ holdReason, riskReasons }: Withdrawal): string =>
  [...(holdReason ? [holdReason] : []), ...riskReasons]
    .filter((reason, at, all) => all.indexOf(reason) === at)
    .map((reason) => RISKS[reason] ?? words(reason))
    .join(', ');

/** Labels for the reasons behind a risk score or a hold. */
const RISKS: Readonly<Record<string, string>> = {
  NOTE_HIGH: 'High-severity staff note',
  NOTE_MEDIUM: 'Medium-severity staff note',
  NO_SECOND_FACTOR: 'No two-step verification',
  NEW_ADDRESS: 'New address',
  FIRST_WITHDRAWAL: 'First withdrawal',
  OTHER_COUNTRY: 'Requested from another country',
  OPEN_CLAIM: 'Owes money',
  TURNOVER_WAIVED: 'Turnover waived by self-exclusion',
  SECOND_FACTOR_RESET: 'Two-step verification was reset',
  UNPRICED: 'No exchange rate',
  RISK: 'High risk',
};

export function WithdrawalPage({ params: { id = '' } }: { params: { id?: string } }) {
  const one = useRead(ONE, { path: { id } });
  const retry = useAct('POST /admin/payments/withdraw/retry', {
    stale: [ONE, LIST],
    said: 'Sending again',
  });
  return (
    <Page title="Withdrawal" of={one}>
      {(w) => (
        <div className="stack">
          <Card title="Request">
            <Facts
              of={{
                Player: <UserLink of={w.user} />,
                Status: <Status of={w.status} />,
                Amount: <Amount of={w.amount} in={w.currencyId} />,
                Value: <Usd of={w.usdAmount} />,
                Network: w.networkId,
                To: <Copy text={w.recipientAddress} />,
                Memo: w.recipientMemo && <Copy text={w.recipientMemo} />,
                Requested: <When at={w.createdAt} />,
                Decided: <When at={w.confirmedAt} />,
                'Decided by': <UserLink of={w.confirmedByUser} />,
                Transaction: w.txHash && <Copy text={w.txHash} />,
                Confirmations: w.confirmations,
                'Reason (shown to player)': w.rejectReason,
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
            <Card title="Recovery">
              <div className="actions">
                <ActButton act={retry} input={{ body: { id } }} confirm="Send this withdrawal again?">
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
      w.status === 'WAITING_FOR_APPROVAL' ? 'Approved. A second person must approve it, too.' : 'Approved',
  });
  return (
    <May op={approve.op}>
      <Card title="Approve">
        <p className="dim">Sends immediately. Large withdrawals need a second approver.</p>
        <ActButton
          act={approve}
          input={{ body: { id } }}
          kind="main"
          hotkey="a"
          confirm="Approve this withdrawal?"
        >
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
          confirm="Reject this withdrawal? The money returns to the player."
        >
          <TextArea
            name="rejectReason"
            data-key="r"
            label="Reason (shown to player)"
            required
            maxLength={500}
          />
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
    said: 'Status refreshed',
  });
  return (
    <ActButton act={look} input={{ path: { id } }}>
      Refresh status
    </ActButton>
  );
}
