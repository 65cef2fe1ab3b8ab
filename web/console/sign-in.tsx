import { useState } from 'react';
import { call } from '../kit/api.ts';
import { Other, Submit, useCaptcha, useSubmit, useWork } from '../kit/entry.tsx';
import { Page, Refusal } from '../kit/page.tsx';
import { askForPasskey, hasPasskeys } from '../kit/passkey.ts';
import { refresh } from '../kit/query.ts';

/** Lets the user sign in with a password, and then with the second factor if the account has one. A passkey replaces both. */
export function SignIn() {
  const [token, setToken] = useState<string>();
  return (
    <div className="entry">
      <Page title={token === undefined ? 'Sign in' : 'Second factor'}>
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
    submit,
  } = useSubmit(async (data) => {
    const body = { email: String(data.get('email')), password: String(data.get('password')) };
    const answer = await call('POST /auth/sign-in', { body }, { captcha: captcha.take() });
    if (answer.requireMfa && answer.token) onCode(answer.token);
    else await done();
  });
  return (
    <form className="form card" onSubmit={submit}>
      {refused && <Refusal of={refused} />}
      <label className="field">
        <span>E-mail</span>
        <input name="email" type="email" required autoComplete="username" />
      </label>
      <label className="field">
        <span>Password</span>
        <input name="password" type="password" required autoComplete="current-password" />
      </label>
      <div ref={captcha.place} />
      <div className="actions">
        {hasPasskeys && <Other work={passkey}>Sign in with a passkey</Other>}
        <Submit isBusy={isBusy}>Sign in</Submit>
      </div>
    </form>
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
    submit,
  } = useSubmit(async (data) => {
    const mfaCode = String(data.get('code')).replace(/\s/g, '');
    await call('POST /auth/verify-2fa', { body: { token, mfaCode } });
    await done();
  });
  return (
    <form className="form card" onSubmit={submit}>
      {refused && <Refusal of={refused} />}
      <label className="field">
        <span>Code of your authenticator app, or a recovery code</span>
        <input name="code" required autoComplete="one-time-code" />
      </label>
      <div className="actions">
        {hasPasskeys && <Other work={passkey}>Use a passkey</Other>}
        <Submit isBusy={isBusy}>Sign in</Submit>
      </div>
    </form>
  );
}
