import { useState } from 'react';
import { Button } from '../../../kit/button.tsx';
import { Dialog } from '../../../kit/dialog.tsx';
import { CodeField, PasswordField } from '../../../kit/form/field.tsx';
import { Form } from '../../../kit/form/form.tsx';
import { useAct } from '../../../kit/query.ts';
import { useMe } from '../../../kit/session.tsx';
import { words } from '../../words.ts';
import { NewPassword } from '../new-password.tsx';
import { Setting } from './setting.tsx';

/** The password, and a dialog that changes it. */
export function Password() {
  const { password } = words.account;
  const [isOpen, setOpen] = useState(false);
  return (
    <Setting
      icon="key-round"
      title={password.title}
      actions={<Button onClick={() => setOpen(true)}>{password.change}</Button>}
      dialog={isOpen && <ChangePassword onClose={() => setOpen(false)} />}
    >
      {password.about}
    </Setting>
  );
}

function ChangePassword({ onClose }: { onClose: () => void }) {
  const { password } = words.account;
  const { mfaEnabled } = useMe();
  const change = useAct('PATCH /user/change-password', { stale: ['GET /session'], said: password.changed });
  return (
    <Dialog title={password.change} onClose={onClose}>
      <Form
        act={change}
        input={(f) => ({
          body: {
            currentPassword: f.exact('currentPassword'),
            newPassword: f.exact('newPassword'),
            mfaCode: f.optional('mfaCode'),
          },
        })}
        submit={password.change}
        onDone={onClose}
      >
        <PasswordField
          name="currentPassword"
          label={password.current}
          hint={password.none}
          autoComplete="current-password"
        />
        <NewPassword name="newPassword" label={words.entry.newPassword} />
        {mfaEnabled && <CodeField label={words.entry.code} />}
        <p className="sm dim">{password.hint}</p>
      </Form>
    </Dialog>
  );
}
