import type { DepositReview } from '../../../../client/call.ts';
import { Amount, When } from '../../../kit/amount.tsx';
import { Card, Copy, Facts, Status, words } from '../../../kit/page.tsx';
import { SecondPerson } from '../../review/second-person.tsx';
import { type Step, Trail } from '../../review/trail.tsx';
import { UserLink } from '../../user-link.tsx';
import { APPROVE, proposalOf } from './shared.ts';

type Proposed = DepositReview['proposals'][number];

/** The open proposal, and the second approval that it needs. */
export function Proposal({ of: deposit }: { of: DepositReview }) {
  const open = proposalOf(deposit);
  if (!open && deposit.actions.length === 0) return null;
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
              <SecondPerson
                op={APPROVE}
                right="deposit.approve"
                first={open.proposedBy}
                did="proposed"
                player={deposit.user}
              />{' '}
              Open until <When at={open.expiresAt} />
            </>
          ),
        },
      ]
    : [{ name: 'Decision', about: 'Large amounts and unusual decisions need two people.' }];
  return <Trail of={steps} />;
}

/** True if one person was enough, so that the decision was not proposed before. */
const isDecidedAlone = ({ state, proposedBy, decidedBy }: Proposed): boolean =>
  state === 'DONE' && proposedBy?.id === decidedBy?.id;

function ProposalFacts({ of: p, in: currencyId }: { of: Proposed; in: string }) {
  return (
    <Facts
      isRows
      of={{
        ...(!isDecidedAlone(p) && { Proposed: <When at={p.createdAt} /> }),
        ...(p.amount && { Amount: <Amount of={p.amount} in={currencyId} /> }),
        ...(p.userId !== null && { Player: <UserLink of={p.user ?? { id: p.userId }} /> }),
        ...(p.address && { To: <Copy text={p.address} /> }),
        ...(p.memo && { Memo: p.memo }),
        Reason: p.reason,
        ...(p.decidedBy && !isDecidedAlone(p) && { 'Proposed by': <UserLink of={p.proposedBy} /> }),
        ...(p.decidedAt && { [p.state === 'LAPSED' ? 'Expired' : 'Decided']: <When at={p.decidedAt} /> }),
        ...(p.decisionReason && { 'Rejection reason': p.decisionReason }),
      }}
    />
  );
}

const DONE = {
  CREDIT: 'Credited',
  ASSIGN: 'Assigned',
  RETURN: 'Returned',
  WRITE_OFF: 'Written off',
  ACKNOWLEDGE: 'Acknowledged',
} as const satisfies Record<Proposed['action'], string>;

/** Says what came of a proposal, and who proposed it if someone else decided. */
function nameOf({ action, state, proposedBy, decidedBy }: Proposed): string {
  const by = (who: Proposed['decidedBy']) => who?.username ?? 'staff';
  if (state === 'DONE') return `${DONE[action]} by ${by(decidedBy)}`;
  if (state === 'REJECTED') return `${words(action)} rejected by ${by(decidedBy)}`;
  return `${words(action)} proposed by ${by(proposedBy)}, expired`;
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
          title="Decisions"
          of={past.map((p) => ({
            name: nameOf(p),
            by: p.decidedBy ?? p.proposedBy,
            about: <ProposalFacts of={p} in={currencyId} />,
          }))}
        />
      )}
    </>
  );
}
