import type { DepositReview, Input } from '../../../../client/call.ts';
import { ActButton } from '../../../kit/form/act-button.tsx';
import { Field, TextArea } from '../../../kit/form/field.tsx';
import { Form } from '../../../kit/form/form.tsx';
import { words } from '../../../kit/page.tsx';
import { useAct } from '../../../kit/query.ts';
import { isZero } from '../../balance-facts.tsx';
import { FormButton } from '../../form-button.tsx';
import { MoneyFacts } from '../../money-facts.tsx';
import type { DecisionProps } from '../../review/spec.ts';
import { APPROVE, proposalOf, REVIEW, STALE } from './shared.ts';

type Action = DepositReview['actions'][number];
type Proposed = DepositReview['proposals'][number];

const REJECT = 'POST /admin/payments/deposit/{id}/review/reject';

const EFFECTS: Readonly<Record<Action, string>> = {
  CREDIT:
    'Credits the player. Large credits, and amounts other than the reported one, need a second approver.',
  ASSIGN: 'Credits the deposit to a player you choose. Needs a second approver.',
  RETURN: 'Pays the coins out to an address, minus the network fee. Needs a second approver.',
  WRITE_OFF: 'Books the coins to the fees account. Needs a second approver.',
  ACKNOWLEDGE: 'Closes the finding. No money moves.',
};
/** The action that the key A opens, if no proposal is open. */
const MAIN: readonly Action[] = ['CREDIT', 'ACKNOWLEDGE', 'ASSIGN'];

type Props = DecisionProps<DepositReview>;

export function Decision({ of: deposit, onDone }: Props) {
  const { id, actions } = deposit;
  const open = proposalOf(deposit);
  const main = open ? undefined : MAIN.find((action) => actions.includes(action));
  const others = actions.filter((action) => action !== main);
  if (actions.length === 0 && !open)
    return (
      <span className="dim">
        Nothing to decide. {deposit.status === 'ON_HOLD' && 'The hold ends when the ban is lifted.'}
      </span>
    );
  return (
    <>
      {open && <RejectProposal id={id} proposalId={open.id} onDone={onDone} />}
      {others.map((action) => (
        <Decide key={action} of={deposit} action={action} onDone={onDone} />
      ))}
      <span className="grow" />
      {main && <Decide of={deposit} action={main} onDone={onDone} isMain />}
      {open && <ApproveProposal of={deposit} proposal={open} onDone={onDone} />}
    </>
  );
}

type DecideProps = Props & { action: Action; isMain?: boolean };

const Decide = ({ of, action, onDone, isMain = false }: DecideProps) => (
  <FormButton
    op={REVIEW}
    label={`${words(action)}…`}
    title={`${words(action)} this deposit?`}
    onDone={onDone}
    {...(isMain && { kind: 'main', icon: 'check', hotkey: 'a' })}
  >
    {(close) => <DecideForm of={of} action={action} onDone={close} />}
  </FormButton>
);

type Decided = Partial<Pick<Proposed, 'userId' | 'amount' | 'address' | 'memo'>>;

/** The money that an action moves: whose, how much and where to. */
function MovedMoney({ of: deposit, action, is }: { of: DepositReview; action: Action; is: Decided }) {
  const isSuspended = (action === 'RETURN' || action === 'WRITE_OFF') && !isZero(deposit.suspended);
  return (
    <MoneyFacts
      player={is.userId ?? deposit.user?.username ?? 'No owner'}
      amount={is.amount ?? (isSuspended ? deposit.suspended : deposit.amount)}
      currencyId={deposit.currencyId}
      of={{
        ...(is.address && { To: <code>{is.address}</code> }),
        ...(is.memo && { Memo: <code>{is.memo}</code> }),
      }}
    />
  );
}

function DecideForm({ of, action, onDone }: DecideProps) {
  const { id } = of;
  const act = useAct(REVIEW, { stale: STALE, said: 'Done', onDone });
  return (
    <Form
      act={act}
      input={(f) => ({
        path: { id },
        body: {
          action,
          userId: f.optionalNumber('userId'),
          amount: f.optional('amount'),
          address: f.optional('address'),
          memo: f.optional('memo'),
          reason: f.text('reason'),
        },
      })}
      submit={words(action)}
      {...(action !== 'ACKNOWLEDGE' && {
        confirm: `${words(action)} this deposit?`,
        tells: ({ body }: Input<typeof REVIEW>) => <MovedMoney of={of} action={action} is={body} />,
      })}
    >
      <p className="dim">
        {EFFECTS[action]} {of.status === 'ON_HOLD' && 'The deposit stays on hold until the ban is lifted.'}
      </p>
      {action === 'ASSIGN' && <Field name="userId" label="Owner (user ID)" type="number" required />}
      {action === 'RETURN' && <Field name="address" label="Return address" required />}
      {action === 'RETURN' && <Field name="memo" label="Memo" />}
      {(action === 'CREDIT' || action === 'ASSIGN') && (
        <Field name="amount" label="Amount, if different from the reported one" />
      )}
      <TextArea name="reason" label="Reason" required maxLength={500} />
    </Form>
  );
}

type ProposalProps = { id: string; proposalId: string; onDone: () => void };

function ApproveProposal({ of, proposal, onDone }: Props & { proposal: Proposed }) {
  const { id } = of;
  const { action } = proposal;
  const approve = useAct(APPROVE, {
    stale: STALE,
    said: 'Approved',
    onDone,
  });
  return (
    <ActButton
      act={approve}
      input={{ path: { id }, body: { proposalId: proposal.id } }}
      kind="main"
      icon="check"
      hotkey="a"
      confirm={`Approve: ${words(action)}?`}
      tells={<MovedMoney of={of} action={action} is={proposal} />}
    >
      Approve
    </ActButton>
  );
}

const RejectProposal = ({ onDone, ...of }: ProposalProps) => (
  <FormButton
    op={REJECT}
    label="Reject…"
    title="Reject the proposal?"
    kind="danger"
    icon="x"
    hotkey="r"
    onDone={onDone}
  >
    {(close) => <RejectForm {...of} onDone={close} />}
  </FormButton>
);

function RejectForm({ id, proposalId, onDone }: ProposalProps) {
  const reject = useAct(REJECT, { stale: STALE, said: 'Rejected', onDone });
  return (
    <Form
      act={reject}
      input={(f) => ({ path: { id }, body: { proposalId, reason: f.text('rejection') } })}
      submit="Reject"
      kind="danger"
    >
      <TextArea name="rejection" label="Reason for rejecting" required maxLength={500} />
    </Form>
  );
}
