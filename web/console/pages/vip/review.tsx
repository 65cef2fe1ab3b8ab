import type { Input, Op, VipApplicationAdmin } from '../../../../client/call.ts';
import { ActButton } from '../../../kit/form/act-button.tsx';
import { Field, TextArea } from '../../../kit/form/field.tsx';
import { Form } from '../../../kit/form/form.tsx';
import { Card, Facts, words } from '../../../kit/page.tsx';
import { useAct } from '../../../kit/query.ts';
import { May } from '../../../kit/session.tsx';
import { FormButton } from '../../form-button.tsx';
import type { DecisionProps } from '../../review/spec.ts';
import { PromotionFacts } from '../promo/promotion-facts.tsx';
import { GRANTS, STALE as STALE_USER } from '../user/shared.ts';
import { APPLICATIONS } from './applications.tsx';

export const CHANGE = 'PATCH /admin/vip-application/{id}';
const STALE: readonly Op[] = [APPLICATIONS, 'GET /admin/vip-application/{id}'];

/** The staff member who reviews the application, and staff notes. */
export function Review({ of: { id, tag, staffNote, assignee } }: { of: VipApplicationAdmin }) {
  const change = useAct(CHANGE, { stale: STALE, said: 'Review saved' });
  return (
    <May op={CHANGE}>
      <Card title="Review">
        <Form
          act={change}
          input={(f) => ({
            path: { id },
            body: {
              tag: f.text('tag'),
              note: f.text('note'),
              assigneeId: f.optionalNumber('assigneeId') ?? null,
            },
          })}
        >
          <Field
            name="assigneeId"
            label="Assignee (user ID)"
            hint={assignee ? `Current: ${assignee.username}. Leave empty for none.` : 'None'}
            type="number"
            min={1}
            defaultValue={assignee?.id ?? ''}
          />
          <Field name="tag" label="Tag" defaultValue={tag ?? ''} maxLength={50} />
          <TextArea name="note" label="Note (for staff)" defaultValue={staffNote ?? ''} maxLength={2000} />
        </Form>
      </Card>
    </May>
  );
}

export const DECIDE = 'POST /admin/vip-application/{id}/decision';

type Props = DecisionProps<VipApplicationAdmin>;

export const isOpen = ({ status }: VipApplicationAdmin): boolean =>
  status === 'NEW' || status === 'IN_REVIEW';

export function Decision({ of, onDone }: Props) {
  const { id, status } = of;
  const take = useAct(CHANGE, { stale: STALE, said: 'In review' });
  if (!isOpen(of)) return <span className="dim">{words(status)}. Nothing to decide.</span>;
  return (
    <>
      <FormButton
        op={DECIDE}
        label="Reject…"
        title="Reject this application?"
        kind="danger"
        icon="x"
        hotkey="r"
        onDone={onDone}
      >
        {(close) => <DecideForm of={of} isApproval={false} onDone={close} />}
      </FormButton>
      {status === 'NEW' && (
        <ActButton act={take} input={{ path: { id }, body: { status: 'IN_REVIEW' } }}>
          Start review
        </ActButton>
      )}
      <span className="grow" />
      <FormButton
        op={DECIDE}
        label="Approve…"
        title="Approve this application?"
        kind="main"
        icon="check"
        hotkey="a"
        onDone={onDone}
      >
        {(close) => <DecideForm of={of} isApproval onDone={close} />}
      </FormButton>
    </>
  );
}

function DecideForm({ of: { id, user }, isApproval, onDone }: Props & { isApproval: boolean }) {
  const decide = useAct(DECIDE, {
    stale: [...STALE, ...STALE_USER, GRANTS],
    said: ({ status }) => words(status),
    onDone,
  });
  return (
    <Form
      act={decide}
      input={(f) => ({
        path: { id },
        body: {
          approve: isApproval,
          reason: f.text('reason'),
          vipLevel: f.optionalNumber('vipLevel'),
          promoId: f.optional('promoId'),
          publicComment: f.optional('publicComment'),
        },
      })}
      submit={isApproval ? 'Approve' : 'Reject'}
      kind={isApproval ? 'main' : 'danger'}
      {...(isApproval && {
        confirm: `Approve ${user.username}?`,
        tells: ({ body: { vipLevel, promoId } }: Input<typeof DECIDE>) => (
          <>
            <Facts isRows of={{ Player: user.username, 'VIP level': vipLevel }} />
            {promoId && <PromotionFacts id={promoId} />}
          </>
        ),
      })}
    >
      {isApproval && (
        <>
          <p className="dim">{user.username} keeps the level.</p>
          <Field
            name="vipLevel"
            label="VIP level"
            hint={`Current level: ${user.vipLevel}`}
            type="number"
            min={user.vipLevel}
            max={32_767}
            required
          />
          <Field
            name="promoId"
            label="Promotion to grant (ID)"
            hint="Leave empty for none"
            pattern="[1-9][0-9]{0,17}"
          />
        </>
      )}
      <TextArea name="reason" label="Reason (for staff)" required maxLength={500} rows={2} />
      <TextArea name="publicComment" label="Comment (shown to player)" maxLength={500} rows={2} />
    </Form>
  );
}
