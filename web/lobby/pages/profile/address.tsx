import { useState } from 'react';
import { Button } from '../../../kit/button.tsx';
import { Dialog } from '../../../kit/dialog.tsx';
import { Badge } from '../../../kit/figures.tsx';
import { ActButton } from '../../../kit/form/act-button.tsx';
import { CodeField, Field, PasswordField } from '../../../kit/form/field.tsx';
import { Form } from '../../../kit/form/form.tsx';
import { moment } from '../../../kit/intl.ts';
import { Note } from '../../../kit/note.tsx';
import { Loaded } from '../../../kit/page.tsx';
import { useAct, useRead } from '../../../kit/query.ts';
import { useMe } from '../../../kit/session.tsx';
import { words } from '../../words.ts';
import { Setting } from './setting.tsx';

const CHANGES = 'GET /user/email/change';

/** The email address. To change it, the links in mails to the current and to the new address must be opened. */
export function Address() {
  const { address, profile } = words.account;
  const { email, emailVerified } = useMe();
  const [isOpen, setOpen] = useState(false);
  const state = useRead(CHANGES, {});
  const isFree = state.data?.change === null;
  return (
    <Setting
      icon="mail"
      title={address.title}
      state={
        email && (
          <Badge tone={emailVerified ? 'good' : 'warn'}>
            {emailVerified ? profile.verified : profile.unverified}
          </Badge>
        )
      }
      actions={isFree && <Button onClick={() => setOpen(true)}>{address.change}</Button>}
      dialog={isOpen && <ChangeAddress onClose={() => setOpen(false)} />}
    >
      <p className="clip" translate="no">
        {email ?? address.none}
      </p>
      <Loaded of={state}>{({ change }) => change && <Waiting change={change} />}</Loaded>
    </Setting>
  );
}

function ChangeAddress({ onClose }: { onClose: () => void }) {
  const { address, password } = words.account;
  const { mfaEnabled } = useMe();
  const ask = useAct('POST /user/email/change', { stale: [CHANGES], said: address.asked });
  return (
    <Dialog title={address.change} onClose={onClose}>
      <Form
        act={ask}
        input={(f) => ({
          body: {
            email: f.text('email'),
            currentPassword: f.exact('currentPassword'),
            mfaCode: f.optional('mfaCode'),
          },
        })}
        submit={address.change}
        onDone={onClose}
      >
        <p className="dim">{address.hint}</p>
        <Field name="email" label={address.another} type="email" icon="mail" autoComplete="email" required />
        <PasswordField
          name="currentPassword"
          label={password.current}
          hint={password.none}
          autoComplete="current-password"
        />
        {mfaEnabled && <CodeField label={words.entry.code} />}
      </Form>
    </Dialog>
  );
}

type Change = { email: string; waitsFor: readonly ('OLD' | 'NEW')[]; expiresAt: string };

function Waiting({ change: { email, waitsFor, expiresAt } }: { change: Change }) {
  const { address } = words.account;
  const cancel = useAct('DELETE /user/email/change', { stale: [CHANGES], said: address.cancelled });
  return (
    <div className="pending">
      <Note kind="warn" icon="clock">
        <p>{address.pending(email, moment(expiresAt))}</p>
        {waitsFor.map((which) => (
          <p key={which}>{address.waitsFor[which]}</p>
        ))}
        <p className="actions">
          <ActButton act={cancel} input={{}} size="sm">
            {address.cancel}
          </ActButton>
        </p>
      </Note>
    </div>
  );
}
