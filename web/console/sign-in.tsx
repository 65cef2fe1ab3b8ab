import { useState } from 'react';
import { call } from '../kit/api.ts';
import { Button } from '../kit/button.tsx';
import { useCaptcha, useWork } from '../kit/entry.tsx';
import { Field, PasswordField } from '../kit/form/field.tsx';
import { Fields } from '../kit/form/form.tsx';
import type { Filled } from '../kit/form/read.ts';
import { Page } from '../kit/page.tsx';
import { askForPasskey, hasPasskeys } from '../kit/passkey.ts';
import { refresh } from '../kit/query.ts';

/** Lets the user sign in with a password, and then with the second factor if the account has one. A passkey replaces both. */
export function SignIn() {
  const [token, setToken] = useState<string>();
  return (
    <div className="sign-in">
      <Page title={token === undefined ? 'Sign in' : 'Two-step verification'}>
        {token === undefined ? <Password onCode={setToken} /> : <Code token={token} />}
      </Page>
    </div>
  );
}

const done = () => refresh('GET /user/me');

function Password({ onCode }: { onCode: (token: string) => void }) {
  const captcha = useCaptcha();
  const passkey = useWork(async () => {
    const { attempt, options } = await call('POST /user/passkeys/sign-in/options', {});
    const body = { attempt, response: await askForPasskey(options) };
    await call('POST /user/passkeys/sign-in', { body }, { captcha: captcha.take() });
    await done();
  });
  const {
    refused = passkey.refused,
    isBusy,
    run,
  } = useWork(async (filled: Filled) => {
    const body = { email: filled.text('email'), password: filled.exact('password') };
    const answer = await call('POST /auth/sign-in', { body }, { captcha: captcha.take() });
    if (answer.requireMfa && answer.token) onCode(answer.token);
    else await done();
  });
  return (
    <Fields className="form card" refused={refused} onSend={run}>
      <Field name="email" label="Email" type="email" required autoComplete="username" />
      <PasswordField name="password" label="Password" required autoComplete="current-password" />
      <div ref={captcha.place} />
      <div className="actions">
        {hasPasskeys && (
          <Button isBusy={passkey.isBusy} onClick={() => passkey.run()}>
            Sign in with a passkey
          </Button>
        )}
        <Button type="submit" kind="main" isBusy={isBusy}>
          Sign in
        </Button>
      </div>
    </Fields>
  );
}

function Code({ token }: { token: string }) {
  const passkey = useWork(async () => {
    const options = await call('POST /user/passkeys/second-factor/options', { body: { token } });
    const response = await askForPasskey(options);
    await call('POST /user/passkeys/second-factor', { body: { token, response } });
    await done();
  });
  const {
    refused = passkey.refused,
    isBusy,
    run,
  } = useWork(async (filled: Filled) => {
    const mfaCode = filled.text('code').replace(/\s/g, '');
    await call('POST /auth/verify-2fa', { body: { token, mfaCode } });
    await done();
  });
  return (
    <Fields className="form card" refused={refused} onSend={run}>
      <Field name="code" label="Authenticator or recovery code" required autoComplete="one-time-code" />
      <div className="actions">
        {hasPasskeys && (
          <Button isBusy={passkey.isBusy} onClick={() => passkey.run()}>
            Use a passkey
          </Button>
        )}
        <Button type="submit" kind="main" isBusy={isBusy}>
          Sign in
        </Button>
      </div>
    </Fields>
  );
}
