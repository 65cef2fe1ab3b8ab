import type { KycAdminDetail, Op } from '../../../../client/call.ts';
import { Check } from '../../../kit/form/choice.tsx';
import { TextArea } from '../../../kit/form/field.tsx';
import { Form } from '../../../kit/form/form.tsx';
import { Select } from '../../../kit/form/select.tsx';
import type { IconName } from '../../../kit/icon.tsx';
import { useAct } from '../../../kit/query.ts';
import { FormButton } from '../../form-button.tsx';
import type { DecisionProps } from '../../review/spec.ts';
import { STALE as STALE_USER } from '../user/shared.ts';
import { LIST, likelyTier, ONE, TIERS } from './shared.ts';

export const DECIDE = 'PATCH /admin/kyc/{userId}';
const STALE: readonly Op[] = [LIST, ONE, ...STALE_USER];

type Action = 'APPROVE' | 'REJECT' | 'REQUEST_RESUBMIT' | 'RESET';
type Choice = {
  action: Action;
  label: string;
  title: string;
  submit: string;
  about: string;
  kind?: 'main' | 'danger';
  icon?: IconName;
  hotkey?: string;
};

const REJECT: Choice = {
  action: 'REJECT',
  label: 'Reject…',
  title: 'Reject this tier?',
  submit: 'Reject',
  about: 'The player can submit new documents, unless the rejection is final.',
  kind: 'danger',
  icon: 'x',
  hotkey: 'r',
};
const RESUBMIT: Choice = {
  action: 'REQUEST_RESUBMIT',
  label: 'Request documents…',
  title: 'Request new documents?',
  submit: 'Request documents',
  about: 'The player is asked to submit documents again.',
};
const RESET: Choice = {
  action: 'RESET',
  label: 'Reset…',
  title: 'Reset this tier?',
  submit: 'Reset',
  about: 'The tier starts over, as if nothing had been submitted.',
};
const APPROVE: Choice = {
  action: 'APPROVE',
  label: 'Approve…',
  title: 'Approve this tier?',
  submit: 'Approve',
  about: 'The player counts as verified for this tier immediately.',
  kind: 'main',
  icon: 'check',
  hotkey: 'a',
};

type Props = DecisionProps<KycAdminDetail>;

export const Decision = (props: Props) => (
  <>
    <Decide {...props} choice={REJECT} />
    <Decide {...props} choice={RESUBMIT} />
    <Decide {...props} choice={RESET} />
    <span className="grow" />
    <Decide {...props} choice={APPROVE} />
  </>
);

type DecideProps = Props & { choice: Choice };

const Decide = ({ of, choice, onDone }: DecideProps) => {
  const { label, title, kind, icon, hotkey } = choice;
  return (
    <FormButton
      op={DECIDE}
      label={label}
      title={title}
      onDone={onDone}
      {...(kind && { kind })}
      {...(icon && { icon })}
      {...(hotkey && { hotkey })}
    >
      {(close) => <DecideForm of={of} choice={choice} onDone={close} />}
    </FormButton>
  );
};

function DecideForm({ of, choice, onDone }: DecideProps) {
  const { userId } = of;
  const { action, submit, about, kind } = choice;
  const decide = useAct(DECIDE, { stale: STALE, said: 'Decision saved', onDone });
  return (
    <Form
      act={decide}
      input={(f) => ({
        path: { userId },
        body: {
          tier: f.text('tier') as (typeof TIERS)[number],
          action,
          reason: f.text('reason'),
          rejectType: action === 'REJECT' ? rejectionOf(f.flag('isFinal')) : undefined,
        },
      })}
      submit={submit}
      {...(kind && { kind })}
    >
      <p className="dim">{about}</p>
      <Select
        name="tier"
        label="Tier"
        of={TIERS}
        none="Choose a tier"
        defaultValue={likelyTier(of, action === 'APPROVE')}
        required
      />
      <TextArea name="reason" label="Reason" required maxLength={500} />
      {action === 'REJECT' && (
        <Check name="isFinal" label="Final rejection: no new documents can be submitted" />
      )}
    </Form>
  );
}

const rejectionOf = (isFinal: boolean) => (isFinal ? ('FINAL' as const) : ('RETRY' as const));
