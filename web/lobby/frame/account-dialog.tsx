import { useState } from 'react';
import { Dialog } from '../../kit/dialog.tsx';
import { CodeForm, ForgotForm, type Half, PasswordForm } from '../pages/sign-in.tsx';
import { SignUpForm } from '../pages/sign-up.tsx';
import { words } from '../words.ts';
import type { Overlays } from './overlay.ts';

type AccountProps = { at: Overlays['account']; onClose: () => void };

/** Sign-in, sign-up and the forgotten password above the page that the visitor was on. */
export function AccountDialog({ at, onClose }: AccountProps) {
  const [half, setHalf] = useState<Half>();
  const { entry } = words;
  if (half)
    return (
      <Dialog title={entry.factor} onClose={onClose}>
        <CodeForm half={half} />
      </Dialog>
    );
  if (at === 'sign-up')
    return (
      <Dialog title={entry.createTitle} onClose={onClose}>
        <SignUpForm />
      </Dialog>
    );
  if (at === 'forgot')
    return (
      <Dialog title={words.account.entry.forgotTitle} onClose={onClose}>
        <ForgotForm />
      </Dialog>
    );
  return (
    <Dialog title={entry.signIn} onClose={onClose}>
      <PasswordForm onCode={setHalf} />
    </Dialog>
  );
}
