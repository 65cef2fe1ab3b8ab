import type { PromoAdmin } from '../../../../client/call.ts';
import { When } from '../../../kit/amount.tsx';
import { moment } from '../../../kit/intl.ts';
import { Note } from '../../../kit/note.tsx';
import { Card, Facts, Status } from '../../../kit/page.tsx';
import { useMe, useMissing } from '../../../kit/session.tsx';
import { UserLink } from '../../user-link.tsx';
import type { Draft } from './cost.ts';

const APPROVALS = 'GET /admin/approvals';

/** Granting needs the same permission as starting a promotion. */
export const PAYS = 'POST /admin/promo/{id}/grant';

type Start = Pick<PromoAdmin, 'startApproval' | 'startRequest'>;

/** True if a start by this account only asks a second person. */
export const isRequestOnly = ({ startApproval }: Start): boolean => startApproval === 'SECOND_PERSON';

/** Says before a start whether it is enough. */
export function StartNote({ of: { startApproval, startRequest } }: { of: Start }) {
  const me = useMe();
  const isOwn = startRequest?.by?.id === me.id;
  if (startApproval === 'SUPERADMIN')
    return (
      <Note kind="warn">Only a superadmin can start it: it can cost more than you may move in 24 hours.</Note>
    );
  if (startApproval === 'SECOND_PERSON' && startRequest && isOwn)
    return (
      <Note kind="warn">
        You have asked for this start. It waits for a second person until {moment(startRequest.expiresAt)}.
      </Note>
    );
  if (startApproval === 'SECOND_PERSON')
    return (
      <Note kind="warn">
        A second person has to approve the start within 24 hours. Nothing starts until then.
      </Note>
    );
  if (startApproval === 'SECOND_PERSON_LATER')
    return (
      <Note kind="warn">
        It starts now, and staff can grant it. Codes and partners can grant it only after a second person has
        approved its cost, because nothing limits it.
      </Note>
    );
  if (startRequest && !isOwn)
    return (
      <Note>
        {startRequest.by?.username ?? 'Another person'} has asked for this start. You approve it by starting
        it.
      </Note>
    );
  return <Note>Players can get it as soon as it starts.</Note>;
}

/** Shows that a start waits for a second person. Staff who may list all waiting actions see it there. */
export function WaitingStart({ of: { startRequest } }: { of: PromoAdmin }) {
  const isListed = useMissing(APPROVALS) === undefined;
  if (!startRequest || isListed) return null;
  const { by, createdAt, expiresAt, reason } = startRequest;
  return (
    <Card title="Waiting for a second approver" actions={<Status of="WAITING" />}>
      <Facts
        of={{
          Action: 'Start the promotion',
          'Requested by': <UserLink of={by} />,
          Requested: <When at={createdAt} />,
          Expires: <When at={expiresAt} />,
          Reason: reason,
        }}
      />
      <p className="dim">Another person approves it by starting the promotion, too.</p>
    </Card>
  );
}

/** Says that codes and partners cannot grant an active promotion, because no second person has approved its cost. */
export function ClosedNote({ of: { status, isApproved } }: { of: PromoAdmin }) {
  if (status !== 'ACTIVE' || isApproved !== false) return null;
  return (
    <Note kind="warn">
      Staff can grant it. Codes and partners can grant it only after a second person has approved its cost.
    </Note>
  );
}

/** Next to the cost: who has to approve a start. A person who is not a superadmin may not start alone what they have set up. */
export function WhoApproves({ of: draft, isLimited }: { of: Draft | PromoAdmin; isLimited: boolean }) {
  const isSuperAdmin = useMe().roles.includes('SUPERADMIN');
  const promo = 'id' in draft ? draft : undefined;
  // A promotion that is active or approved has been started before.
  if (promo && (promo.isApproved || promo.status === 'ACTIVE' || promo.status === 'ARCHIVED')) return null;
  if (!isLimited)
    return (
      <Note kind="warn">
        Nothing limits the number of grants. Set a grant limit or a budget to bound the cost. Otherwise a
        superadmin has to approve the promotion as a second person.
      </Note>
    );
  if (promo) return promo.startApproval && promo.startApproval !== 'NONE' ? <StartNote of={promo} /> : null;
  if (isSuperAdmin) return null;
  return <p className="dim sm">A second person has to approve the start, because you set the terms.</p>;
}
