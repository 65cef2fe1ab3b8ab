import type { DepositReview } from '../../../../client/call.ts';
import { Amount, When } from '../../../kit/amount.tsx';
import { Card, Copy, Facts, Status, words } from '../../../kit/page.tsx';
import { type Step, Trail } from '../../review/trail.tsx';
import { UserLink } from '../../user-link.tsx';
import { proposalOf } from './shared.ts';

type Proposed = DepositReview['proposals'][number];

/** The open proposal, and the second approval that it needs. */
export function Proposal({ of: deposit }: { of: DepositReview }) {
  const open = proposalOf(deposit);
  const steps: Step[] = open
    ? [
        {
          name: `${open.proposedBy?.username ?? 'Staff'} proposed: ${words(open.action)}`,
          by: open.proposedBy,
          about: <ProposalFacts of={open} in={deposit.currencyId} />,
        },
        {
          name: 'Second approval',
          about: (
            <>
              Open until <When at={open.expiresAt} />
            </>
          ),
        },
      ]
    : [{ name: 'Decision', about: 'Large amounts and unusual decisions need two people.' }];
  return <Trail of={steps} />;
}

function ProposalFacts({ of: p, in: currencyId }: { of: Proposed; in: string }) {
  return (
    <Facts
      isRows
      of={{
        Proposed: <When at={p.createdAt} />,
        ...(p.amount && { Amount: <Amount of={p.amount} in={currencyId} /> }),
        ...(p.userId !== null && { Player: <UserLink of={{ id: p.userId }} /> }),
        ...(p.address && { To: <Copy text={p.address} /> }),
        ...(p.memo && { Memo: p.memo }),
        Reason: p.reason,
      }}
    />
  );
}

/** Earlier proposals and decisions, and the payment that returned the deposit, if any. */
export function Past({ of: { proposals, returned, currencyId } }: { of: DepositReview }) {
  const past = proposals.filter(({ state }) => state !== 'PROPOSED');
  return (
    <>
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
      {past.length > 0 && (
        <Trail
          title="Earlier decisions"
          of={past.map((p) => ({
            name: `${words(p.action)}: ${words(p.state).toLowerCase()}`,
            by: p.decidedBy ?? p.proposedBy,
            about: <ProposalFacts of={p} in={currencyId} />,
          }))}
        />
      )}
    </>
  );
}
