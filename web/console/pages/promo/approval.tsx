import { Link } from 'wouter';
import type { PromoAdmin } from '../../../../client/call.ts';
import { moment } from '../../../kit/intl.ts';
import { Note } from '../../../kit/note.tsx';
import { useMe, useMissing } from '../../../kit/session.tsx';
import { approversText } from '../../review/approvers.ts';
import { APPROVALS, WaitingCard } from '../../waiting.tsx';
import { type Draft, isBounded, isLimited } from './cost.ts';

/** Granting needs the same permission as starting a promotion. */
export const PAYS = 'POST /admin/promo/{id}/grant';

type Start = Pick<PromoAdmin, 'startApproval' | 'startRequest'>;

/** Names those who can approve the start. Only superadmins approve a cost without an upper bound. */
const approversFor = (promo: PromoAdmin): string =>
  isBounded(promo)
    ? approversText('promo.pay')
    : 'Only a superadmin can approve, because its cost has no upper limit.';

/** True if a start by this account only asks a second person. */
export const isRequestOnly = ({ startApproval }: Start): boolean => startApproval === 'SECOND_PERSON';

/** The open request by this account to start a promotion, if a second person is still needed. */
export function useOwnRequest(start: Start): NonNullable<Start['startRequest']> | undefined {
  const me = useMe();
  const { startRequest } = start;
  return isRequestOnly(start) && startRequest?.by?.id === me.id ? startRequest : undefined;
}

/** Shown in place of a start that this account has requested. */
export const requestedText = ({ createdAt }: { createdAt: string }): string =>
  `Requested by you at ${moment(createdAt)}.`;

const TermsLink = ({ id, children }: { id: string; children: string }) => (
  <Link href={`/promo/${id}/terms`}>{children}</Link>
);

/** Says that nothing limits the cost. `id`: links to the terms of this promotion. */
const NoLimit = ({ id }: { id?: string | undefined }) => (
  <Note kind="warn">
    Nothing limits the number of grants. Set a grant limit or a budget to limit the cost. Otherwise a
    superadmin has to approve the promotion as a second person.
    {id !== undefined && (
      <>
        {' '}
        <TermsLink id={id}>Set a limit</TermsLink>
      </>
    )}
  </Note>
);

/** Says before a start whether it is enough. */
export function StartNote({ of }: { of: PromoAdmin }) {
  const { id, status, budget, startApproval, startRequest } = of;
  const me = useMe();
  const own = useOwnRequest(of);
  const isOwn = startRequest?.by?.id === me.id;
  if (startApproval === 'SUPERADMIN' && !isLimited(budget)) return <NoLimit id={id} />;
  if (startApproval === 'SUPERADMIN')
    return (
      <Note kind="warn">
        Only a superadmin can start it: it can cost more than you may move in 24 hours.{' '}
        <TermsLink id={id}>Change the limits</TermsLink>
      </Note>
    );
  if (own)
    return (
      <Note kind="warn">
        {requestedText(own)} It waits for a second person until {moment(own.expiresAt)}. {approversFor(of)}
      </Note>
    );
  if (startApproval === 'SECOND_PERSON')
    return (
      <Note kind="warn">
        A second person has to approve the start within 24 hours. Nothing starts until then.{' '}
        {approversFor(of)}
      </Note>
    );
  if (startApproval === 'SECOND_PERSON_LATER')
    return (
      <Note kind="warn">
        It starts now, and staff can grant it. Codes and partners can grant it only after a second person has
        approved its cost, because nothing limits it. {approversFor(of)}
      </Note>
    );
  if (startRequest && !isOwn) {
    const name = startRequest.by?.username ?? 'Another person';
    return (
      <Note>
        {status === 'ACTIVE'
          ? `${name} has asked for approval of its cost. Codes and partners can grant it as soon as you approve.`
          : `${name} has asked for this start. You approve it by starting it.`}
      </Note>
    );
  }
  return <Note>Players can get it as soon as it starts.</Note>;
}

/** Shows that a start waits for a second person. Staff who may list all waiting actions see it there. */
export function WaitingStart({ of }: { of: PromoAdmin }) {
  const { startRequest } = of;
  const isListed = useMissing(APPROVALS) === undefined;
  if (!startRequest || isListed) return null;
  return (
    <WaitingCard of={{ ...startRequest, operation: 'promo.start', proposedBy: startRequest.by }}>
      Another person approves it by starting the promotion, too. {approversFor(of)}
    </WaitingCard>
  );
}

/** Says that codes and partners cannot grant an active promotion, because no second person has approved its cost. */
export function ClosedNote({ of }: { of: PromoAdmin }) {
  const { status, isApproved } = of;
  if (status !== 'ACTIVE' || isApproved !== false) return null;
  return (
    <Note kind="warn">
      Staff can grant it. Codes and partners can grant it only after a second person has approved its cost.{' '}
      {approversFor(of)}
    </Note>
  );
}

/** Next to the cost: who has to approve a start. A person who is not a superadmin may not start alone what they have set up. */
export function WhoApproves({ of: draft }: { of: Draft | PromoAdmin }) {
  const isSuperAdmin = useMe().roles.includes('SUPERADMIN');
  const promo = 'id' in draft ? draft : undefined;
  // A promotion that is active or approved has been started before.
  if (promo && (promo.isApproved || promo.status === 'ACTIVE' || promo.status === 'ARCHIVED')) return null;
  if (!isLimited(draft.budget)) return <NoLimit id={promo?.id} />;
  if (promo) return promo.startApproval && promo.startApproval !== 'NONE' ? <StartNote of={promo} /> : null;
  if (isSuperAdmin) return null;
  return <p className="dim sm">A second person has to approve the start, because you set the terms.</p>;
}
