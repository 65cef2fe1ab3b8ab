import { useState } from 'react';
import type { DepositReview } from '../../../client/call.ts';
import { Amount, Usd, When } from '../../kit/amount.tsx';
import { ActButton } from '../../kit/form/act-button.tsx';
import { Field, TextArea } from '../../kit/form/field.tsx';
import { Form } from '../../kit/form/form.tsx';
import { Select } from '../../kit/form/select.tsx';
import { Card, Copy, Facts, Page, Status, words } from '../../kit/page.tsx';
import { useAct, useRead } from '../../kit/query.ts';
import { May } from '../../kit/session.tsx';
import { listPage } from '../list/list-page.tsx';
import { player } from '../list/spec.ts';
import { UserLink } from '../user-link.tsx';

const LIST = 'GET /admin/payments/deposit/review';
const STALE = [LIST, 'GET /admin/payments/deposit', 'GET /admin/payments/deposit/{id}'] as const;
type Action = DepositReview['actions'][number];

const proposalOf = ({ proposals }: DepositReview) => proposals.find(({ state }) => state === 'PROPOSED');

/** Lists deposits that need a decision, and credited deposits with a finding. */
export const DepositReviews = listPage({
  list: 'deposit-reviews',
  title: 'Deposits under review',
  op: LIST,
  file: 'deposits-under-review',
  input: ({ number }) => ({ query: { userId: number('userId') } }),
  keyOf: ({ id }) => id,
  to: ({ id }) => `/deposit-reviews/${id}`,
  filters: [player()],
  columns: [
    {
      name: 'amount',
      fields: ['amount', 'currencyId'],
      head: 'Amount',
      of: (d) => <Amount of={d.amount} in={d.currencyId} />,
      isMain: true,
    },
    { name: 'usdAmount', head: 'Value', of: (d) => <Usd of={d.usdAmount} />, end: true },
    {
      name: 'user',
      fields: ['userId', 'user.username'],
      head: 'Player',
      of: (d) => (d.user ? <UserLink of={d.user} /> : 'No owner'),
    },
    { name: 'status', head: 'Status', of: (d) => <Status of={d.status} />, isMain: true },
    { name: 'reasons', head: 'Reasons', of: (d) => d.reasons.map(words).join(', '), wide: true },
    { name: 'proposals', head: 'Proposal', of: (d) => proposalOf(d) && words(proposalOf(d)!.action) },
    { name: 'createdAt', head: 'Arrived', of: (d) => <When at={d.createdAt} /> },
    { name: 'networkId', head: 'Network', of: (d) => d.networkId, isExtra: true },
    { name: 'txHash', head: 'Transaction', of: (d) => d.txHash, isExtra: true },
  ],
  empty: 'No deposits need a decision',
  art: 'queue-clear',
});

export function DepositReviewPage({ params: { id = '' } }: { params: { id?: string } }) {
  const one = useRead(LIST, { query: { id, page: 1, take: 1 } });
  return (
    <Page title="Deposit under review" of={one}>
      {({ data: [deposit] }) =>
        deposit ? (
          <div className="stack">
            <Coins of={deposit} />
            <div className="cards">
              <Decide of={deposit} />
              <Proposal of={deposit} />
            </div>
            <Past of={deposit} />
          </div>
        ) : (
          <p>No deposit with this id.</p>
        )
      }
    </Page>
  );
}

function Coins({ of: d }: { of: DepositReview }) {
  return (
    <Card title="Coins">
      <Facts
        of={{
          Player: d.user ? <UserLink of={d.user} /> : 'No owner',
          Status: <Status of={d.status} />,
          Reasons: d.reasons.map(words).join(', '),
          Amount: <Amount of={d.amount} in={d.currencyId} />,
          Value: <Usd of={d.usdAmount} />,
          Confirmed: d.confirmedAt ? <When at={d.confirmedAt} /> : 'Not yet',
          'In suspense': <Amount of={d.suspended} in={d.currencyId} />,
          'Reported coin': d.reportedCurrency,
          'Reported amount': d.reportedAmount,
          'Converted by the provider': d.outcomeAmount && (
            <Amount of={d.outcomeAmount} in={d.outcomeCurrencyId ?? ''} />
          ),
          Network: d.networkId,
          'Paid to': d.payAddress && <Copy text={d.payAddress} />,
          Memo: d.payMemo && <Copy text={d.payMemo} />,
          Transaction: d.txHash && <Copy text={d.txHash} />,
          'Provider id': d.externalId && <Copy text={d.externalId} />,
          'Possible owners':
            d.candidates.length === 0
              ? null
              : d.candidates.map((user) => <UserLink key={user.id} of={user} />),
          Arrived: <When at={d.createdAt} />,
        }}
      />
      {d.report && <pre>{d.report}</pre>}
    </Card>
  );
}

const EFFECTS: Readonly<Record<Action, string>> = {
  CREDIT:
    'Credits the player. Large credits, and amounts other than the reported one, need a second approver.',
  ASSIGN: 'Credits the deposit to a player you choose. Needs a second approver.',
  RETURN: 'Pays the coins out to an address, minus the network fee. Needs a second approver.',
  WRITE_OFF: 'Books the coins to the fees account. Needs a second approver.',
  ACKNOWLEDGE: 'Closes the finding. No money moves.',
};

function Decide({ of: { id, actions } }: { of: DepositReview }) {
  const [chosen, choose] = useState<Action>();
  const act = useAct('POST /admin/payments/deposit/{id}/review', { stale: [...STALE], said: 'Done' });
  const action = chosen && actions.includes(chosen) ? chosen : actions[0];
  if (!action) return null;
  return (
    <May op={act.op}>
      <Card title="Decide">
        <p className="dim">{EFFECTS[action]}</p>
        <Form
          key={action}
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
          confirm={`${words(action)} this deposit?`}
          isEmptied
        >
          <Select
            name="action"
            label="Action"
            of={actions}
            value={action}
            onChange={(action) => choose(action as Action)}
          />
          {action === 'ASSIGN' && <Field name="userId" label="Owner (user ID)" type="number" required />}
          {action === 'RETURN' && <Field name="address" label="Return address" required />}
          {action === 'RETURN' && <Field name="memo" label="Memo" />}
          {(action === 'CREDIT' || action === 'ASSIGN') && (
            <Field name="amount" label="Amount, if different from the reported one" />
          )}
          <TextArea name="reason" label="Reason" required maxLength={500} />
        </Form>
      </Card>
    </May>
  );
}

/** Shows the open proposal, for a second person to approve or reject. */
function Proposal({ of: deposit }: { of: DepositReview }) {
  const { id } = deposit;
  const approve = useAct('POST /admin/payments/deposit/{id}/review/approve', {
    stale: [...STALE],
    said: 'Approved',
  });
  const reject = useAct('POST /admin/payments/deposit/{id}/review/reject', {
    stale: [...STALE],
    said: 'Rejected',
  });
  const open = proposalOf(deposit);
  if (!open) return null;
  return (
    <Card title="Proposal">
      <ProposalFacts of={open} in={deposit.currencyId} />
      <May op={approve.op}>
        <ActButton
          act={approve}
          input={{ path: { id }, body: { proposalId: open.id } }}
          kind="main"
          confirm={`Approve: ${words(open.action)}?`}
        >
          Approve
        </ActButton>
        <Form
          act={reject}
          input={(f) => ({ path: { id }, body: { proposalId: open.id, reason: f.text('rejection') } })}
          submit="Reject"
          kind="danger"
        >
          <TextArea name="rejection" label="Reason for rejecting" required maxLength={500} />
        </Form>
      </May>
    </Card>
  );
}

function ProposalFacts({ of: p, in: currencyId }: { of: DepositReview['proposals'][number]; in: string }) {
  return (
    <Facts
      of={{
        Action: words(p.action),
        Status: <Status of={p.state} />,
        Amount: p.amount && <Amount of={p.amount} in={currencyId} />,
        'User ID': p.userId,
        To: p.address && <Copy text={p.address} />,
        Memo: p.memo,
        Reason: p.reason,
        'Proposed by': <UserLink of={p.proposedBy} />,
        'Decided by': <UserLink of={p.decidedBy} />,
        Proposed: <When at={p.createdAt} />,
        'Open until': p.state === 'PROPOSED' && <When at={p.expiresAt} />,
      }}
    />
  );
}

/** Shows earlier proposals and decisions, and the payment that returned the deposit, if any. */
function Past({ of: { proposals, returned, currencyId } }: { of: DepositReview }) {
  const past = proposals.filter(({ state }) => state !== 'PROPOSED');
  return (
    <div className="cards">
      {returned && (
        <Card title="Return payout">
          <Facts
            of={{
              Status: <Status of={returned.status} />,
              Amount: <Amount of={returned.amount} in={currencyId} />,
              Fee: <Amount of={returned.fee} in={currencyId} />,
              To: <Copy text={returned.address} />,
              Memo: returned.memo,
              Transaction: returned.txHash && <Copy text={returned.txHash} />,
              'Failure reason': returned.failedReason,
            }}
          />
        </Card>
      )}
      {past.map((proposal) => (
        <Card key={proposal.id} title="Earlier decision">
          <ProposalFacts of={proposal} in={currencyId} />
        </Card>
      ))}
    </div>
  );
}
