import { useState } from 'react';
import { Refused } from '../../client/call.ts';
import { call } from './api.ts';
import { Button } from './button.tsx';
import type { Question } from './code.tsx';
import { Dialog } from './dialog.tsx';
import { Field, PasswordField } from './form/field.tsx';
import { Fields } from './form/form.tsx';
import { Note, Refusal } from './note.tsx';
import { hasPasskeys, provePasskey } from './passkey.ts';
import { kit } from './words.ts';

export const Prompt = ({ asked }: { asked: Question }) =>
  asked.kind === 'password' ? <PasswordPrompt asked={asked} /> : <FactorPrompt asked={asked} />;

function FactorPrompt({ asked }: { asked: Question }) {
  const [refused, setRefused] = useState<Refused>();
  const close = (code?: string) => {
    setRefused(undefined);
    asked.answer(code);
  };
  return (
    <Dialog title={kit.factor} onClose={close}>
      {refused && <Refusal of={refused} />}
      <Fields refused={undefined} onSend={({ text }) => close(text('code').replace(/\s/g, ''))}>
        {asked.wasWrong && <Note kind="bad">{kit.wrongCode}</Note>}
        <Field
          name="code"
          label={kit.code}
          inputMode="numeric"
          autoComplete="one-time-code"
          required
          minLength={6}
        />
        <div className="actions">
          <Button onClick={() => close()}>{kit.cancel}</Button>
          {hasPasskeys && (
            <Button icon="fingerprint-pattern" onClick={() => void provePasskey().then(close, setRefused)}>
              {kit.usePasskey}
            </Button>
          )}
          <Button type="submit" kind="main">
            {kit.confirm}
          </Button>
        </div>
      </Fields>
    </Dialog>
  );
}

/** Confirms the password of this session in place. Accounts without a password sign in again, and return to the page. */
function PasswordPrompt({ asked: { answer } }: { asked: Question }) {
  const [refused, setRefused] = useState<Refused>();
  const [isBusy, setBusy] = useState(false);
  const send = async (work: () => Promise<unknown>) => {
    setBusy(true);
    setRefused(undefined);
    try {
      await work();
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      setRefused(error);
    } finally {
      setBusy(false);
    }
  };
  const confirm = async (password: string) => {
    await call('POST /session/confirm', { body: { password } });
    answer('confirmed');
  };
  const signInAgain = async () => {
    await call('DELETE /session/log-out/current', {});
    window.location.reload();
  };
  return (
    <Dialog title={kit.reauth.title} onClose={() => answer(undefined)}>
      <Fields refused={refused} onSend={({ exact }) => void send(() => confirm(exact('confirmedPassword')))}>
        <p className="dim">{kit.reauth.hint}</p>
        <PasswordField
          name="confirmedPassword"
          label={kit.reauth.password}
          autoComplete="current-password"
          required
        />
        <div className="actions">
          <Button onClick={() => answer(undefined)}>{kit.cancel}</Button>
          <Button type="submit" kind="main" isBusy={isBusy}>
            {kit.confirm}
          </Button>
        </div>
      </Fields>
      <p className="sm dim">
        {kit.reauth.noPassword}{' '}
        <button type="button" className="link" disabled={isBusy} onClick={() => void send(signInAgain)}>
          {kit.reauth.again}
        </button>
      </p>
    </Dialog>
  );
}
