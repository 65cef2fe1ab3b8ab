import type { Op, Withdrawal } from '../../../../client/call.ts';
import { ActButton } from '../../../kit/form/act-button.tsx';
import { TextArea } from '../../../kit/form/field.tsx';
import { Form } from '../../../kit/form/form.tsx';
import { exactMoney } from '../../../kit/intl.ts';
import { Note } from '../../../kit/note.tsx';
import { Facts, words } from '../../../kit/page.tsx';
import { useAct } from '../../../kit/query.ts';
import { FormButton } from '../../form-button.tsx';
import { Network } from '../../network.tsx';
import type { DecisionProps } from '../../review/spec.ts';
import { UserLink } from '../../user-link.tsx';
import { MONEY, STALE as STALE_USER } from '../user/shared.ts';
import { useChecks } from './checks.ts';
import { foundFor, isUnchanged, retriedFor } from './outcomes.ts';
import { APPROVE, isOpen, LIST, ONE } from './reasons.ts';

const REJECT = 'POST /admin/payments/withdraw/reject';
const STALE: readonly Op[] = [
  LIST,
  ONE,
  'GET /admin/payments/withdraw/stats/{userId}',
  ...STALE_USER,
  ...MONEY,
];

type Props = DecisionProps<Withdrawal>;

/** The buttons that are possible in the status of a withdrawal. */
export function Decision({ of: w, onDone }: Props) {
  const input = { body: { id: w.id } };
  const retry = useAct('POST /admin/payments/withdraw/retry', {
    stale: STALE,
    said: (answer) => ({
      text: retriedFor(w, answer),
      isPlain: answer.status !== 'APPROVED' && answer.status !== 'COMPLETED',
    }),
    onDone,
  });
  // It runs only when staff press the button, because each call is logged as a staff action.
  const look = useAct('GET /admin/payments/withdraw/fetch/{id}', {
    stale: STALE,
    said: (answer) => ({ text: foundFor(w, answer), isPlain: isUnchanged(w, answer) }),
  });
  const isSent = ['PROCESSING', 'UNKNOWN_OUTCOME', 'SENT'].includes(w.status);
  const isLost = ['FAILED', 'UNKNOWN_OUTCOME'].includes(w.status);
  return (
    <>
      {isOpen(w) && <Reject of={w} onDone={onDone} />}
      {isSent && (
        <ActButton act={look} input={{ path: { id: w.id } }} icon="refresh-cw">
          Refresh status
        </ActButton>
      )}
      <span className="grow" />
      {isOpen(w) && <Approve of={w} onDone={onDone} />}
      {isLost && (
        <ActButton
          act={retry}
          input={input}
          icon="send"
          confirm="Send this withdrawal again?"
          tells={
            <>
              <p>The provider is asked first, so the player is not paid twice.</p>
              <PayoutFacts of={w} />
            </>
          }
        >
          Send again
        </ActButton>
      )}
      {!isOpen(w) && !isSent && !isLost && <span className="dim">{words(w.status)}. Nothing to decide.</span>}
    </>
  );
}

function Approve({ of: w, onDone }: Props) {
  const approve = useAct(APPROVE, {
    stale: STALE,
    said: (answer) => (isOpen(answer) ? 'Approved. A second person must approve it, too.' : 'Approved'),
    onDone,
  });
  return (
    <>
      <span className="faint xs wide-only">Sends immediately. This can’t be undone.</span>
      <ActButton
        act={approve}
        input={{ body: { id: w.id } }}
        kind="main"
        icon="check"
        hotkey="a"
        confirm="Approve this withdrawal?"
        tells={
          <>
            <FailedChecks of={w} />
            <PayoutFacts of={w} />
          </>
        }
      >
        Approve
      </ActButton>
    </>
  );
}

/** The failed checks, and a note if some checks could not be read. */
function FailedChecks({ of: w }: { of: Withdrawal }) {
  const { checks, failed } = useChecks(w);
  const names = checks.filter(({ kind }) => kind === 'bad').map(({ name }) => name);
  return (
    <>
      {names.length > 0 && (
        <Note kind="warn">
          <strong>Failed checks</strong>
          <ul>
            {names.map((name) => (
              <li key={name}>{name}</li>
            ))}
          </ul>
        </Note>
      )}
      {failed.length > 0 && <Note kind="warn">Not all checks could be read.</Note>}
    </>
  );
}

/** The payout that a confirmation is about. */
const PayoutFacts = ({ of: w }: { of: Withdrawal }) => (
  <Facts
    isRows
    of={{
      Player: w.user?.username,
      Amount: exactMoney(w.amount, w.currencyId),
      Network: <Network of={w.networkId} in={w.currencyId} />,
      To: <code>{w.recipientAddress}</code>,
      ...(w.recipientMemo && { Memo: <code>{w.recipientMemo}</code> }),
      ...(w.firstApprovedByUser && { 'Approved first by': <UserLink of={w.firstApprovedByUser} /> }),
    }}
  />
);

const Reject = ({ of: w, onDone }: Props) => (
  <FormButton
    op={REJECT}
    label="Reject…"
    title="Reject this withdrawal?"
    kind="danger"
    icon="x"
    hotkey="r"
    onDone={onDone}
  >
    {(close) => <RejectForm of={w} onDone={close} />}
  </FormButton>
);

function RejectForm({ of: { id, user, amount, currencyId }, onDone }: Props) {
  const reject = useAct(REJECT, { stale: STALE, said: 'Rejected', onDone });
  return (
    <Form
      act={reject}
      input={(f) => ({ body: { id, rejectReason: f.text('rejectReason') } })}
      submit="Reject"
      kind="danger"
    >
      <p className="dim">
        {exactMoney(amount, currencyId)} returns to {user?.username ?? 'the player'}.
      </p>
      <TextArea name="rejectReason" label="Reason (shown to player)" required maxLength={500} />
    </Form>
  );
}
