import { useEffect, useState } from 'react';
import { useLocation } from 'wouter';
import type { PromoAdmin, Refused } from '../../../../client/call.ts';
import { Button } from '../../../kit/button.tsx';
import { Dialog } from '../../../kit/dialog.tsx';
import { ActButton } from '../../../kit/form/act-button.tsx';
import { TextArea } from '../../../kit/form/field.tsx';
import { Form } from '../../../kit/form/form.tsx';
import { moment } from '../../../kit/intl.ts';
import { Note } from '../../../kit/note.tsx';
import { Card } from '../../../kit/page.tsx';
import { refresh, useAct } from '../../../kit/query.ts';
import { May, useMe, useMissing } from '../../../kit/session.tsx';
import { useAsked } from '../../asked.ts';
import { isRequestOnly, PAYS, requestedText, useOwnRequest } from './approval.tsx';
import { StatusEffect } from './status-effect.tsx';

const ONE = 'GET /admin/promo/{id}';
const LIST = 'GET /admin/promo';
const STATUS = 'POST /admin/promo/{id}/status';

type Target = Exclude<PromoAdmin['status'], 'DRAFT'>;
type Step = { to: Target; label: string; title: (name: string) => string; submit: string; said: string };

const START: Step = {
  to: 'ACTIVE',
  label: 'Start',
  title: (name) => `Start “${name}” now?`,
  submit: 'Start promotion',
  said: 'Promotion started',
};
/** Approves the cost of a promotion that another person has started. */
const APPROVE: Step = {
  to: 'ACTIVE',
  label: 'Approve start',
  title: (name) => `Approve the start of “${name}”?`,
  submit: 'Approve start',
  said: 'Start approved',
};
const PAUSE: Step = {
  to: 'PAUSED',
  label: 'Pause',
  title: (name) => `Pause “${name}”?`,
  submit: 'Pause promotion',
  said: 'Promotion paused',
};
const ARCHIVE: Step = {
  to: 'ARCHIVED',
  label: 'Archive for good',
  title: (name) => `Archive “${name}”?`,
  submit: 'Archive promotion',
  said: 'Promotion archived',
};
const NEXT: Readonly<Record<PromoAdmin['status'], readonly Step[]>> = {
  DRAFT: [START],
  ACTIVE: [PAUSE],
  PAUSED: [START, ARCHIVE],
  ARCHIVED: [],
};

/** Offers to start a draft if the address asks for it. Closing the dialog keeps the draft. */
export function AskToStart({ of: promo }: { of: PromoAdmin }) {
  const [isOpen, setOpen] = useAsked('start');
  const mayStart = useMissing(PAYS) === undefined;
  // The dialog stays open after a start was requested, so that it can say so.
  if (!isOpen || promo.status !== 'DRAFT' || !mayStart) return null;
  return (
    <May op={STATUS}>
      <ChangeStatus of={promo} step={START} onClose={() => setOpen(false)} />
    </May>
  );
}

/** The steps that this account may take. A colleague approves the cost of an active promotion by starting it again. */
function useSteps(promo: PromoAdmin): readonly Step[] {
  const { status, isApproved, startRequest } = promo;
  const me = useMe();
  const isRequested = useOwnRequest(promo) !== undefined;
  const mayStart = useMissing(PAYS) === undefined;
  const isForMe = isApproved === false && startRequest != null && startRequest.by?.id !== me.id;
  const steps = status === 'ACTIVE' && isForMe ? [APPROVE, ...NEXT.ACTIVE] : NEXT[status];
  return steps.filter(({ to }) => to !== 'ACTIVE' || (mayStart && !isRequested));
}

/** The next steps of a promotion. */
export function StatusCard({ of: promo }: { of: PromoAdmin }) {
  const { id, name, status } = promo;
  const [, goTo] = useLocation();
  const [chosen, setChosen] = useState<Step>();
  const steps = useSteps(promo);
  const own = useOwnRequest(promo);
  const remove = useAct('DELETE /admin/promo/{id}', {
    stale: [LIST],
    said: 'Promotion deleted',
    onDone: () => goTo('/promo', { replace: true }),
  });
  return (
    <May op={STATUS}>
      <Card
        title="Status"
        actions={
          <ActButton act={remove} input={{ path: { id } }} kind="danger" confirm={`Delete “${name}”?`}>
            Delete
          </ActButton>
        }
      >
        {status === 'ARCHIVED' && <p className="dim">It is archived, which is final.</p>}
        {own && <p className="dim">{requestedText(own)}</p>}
        {steps.length > 0 && (
          <div className="actions">
            {steps.map((step) => (
              <Button
                key={step.label}
                {...(step.to === 'ACTIVE' && { kind: 'main' })}
                onClick={() => setChosen(step)}
              >
                {step.label}
              </Button>
            ))}
          </div>
        )}
        {chosen && <ChangeStatus of={promo} step={chosen} onClose={() => setChosen(undefined)} />}
      </Card>
    </May>
  );
}

/** The end of a request that waits for a second person, or undefined. */
const askedUntil = (refused: Refused | undefined): string | undefined =>
  refused?.code === 'APPROVAL_NEEDED' ? String(refused.details?.expiresAt) : undefined;

type ChangeProps = { of: PromoAdmin; step: Step; onClose: () => void };

/** The dialog that changes the status. It shows the effect first, and whether a second person has to approve it. */
function ChangeStatus({ of: promo, step, onClose }: ChangeProps) {
  const { id, name } = promo;
  const { to, title, submit, said } = step;
  const change = useAct(STATUS, { stale: [ONE, LIST], said, onDone: onClose });
  const until = askedUntil(change.refused);
  const isRequested = useOwnRequest(promo) !== undefined;
  useEffect(() => {
    // A rejected request refreshes nothing itself, but it has made a request.
    if (until !== undefined) void refresh(ONE, LIST);
  }, [until]);
  if (until !== undefined)
    return (
      <Dialog title="Start requested" onClose={onClose} foot={<Button onClick={onClose}>Close</Button>}>
        <Note kind="good">
          “{name}” starts when a second person starts it, too. Your request waits until {moment(until)}.
        </Note>
      </Dialog>
    );
  const effect = <StatusEffect of={promo} to={to} />;
  return (
    <Dialog title={title(name)} onClose={onClose} hasCancel>
      {to === 'ACTIVE' && (isRequested || promo.startApproval === 'SUPERADMIN') ? (
        effect
      ) : (
        <Form
          act={change}
          input={(f) => ({ path: { id }, body: { status: to, reason: f.text('reason') } })}
          submit={to === 'ACTIVE' && isRequestOnly(promo) ? 'Request start' : submit}
          kind={to === 'ARCHIVED' ? 'danger' : 'main'}
        >
          {effect}
          <TextArea name="reason" label="Reason" required maxLength={500} rows={2} />
        </Form>
      )}
    </Dialog>
  );
}
