import './account.css';
import { useState } from 'react';
import { Link, useLocation } from 'wouter';
import { call } from '../../kit/api.ts';
import { Button } from '../../kit/button.tsx';
import { useCaptcha, useWork } from '../../kit/entry.tsx';
import { Field, PasswordField } from '../../kit/form/field.tsx';
import { Fields } from '../../kit/form/form.tsx';
import type { Filled } from '../../kit/form/read.ts';
import { Note } from '../../kit/note.tsx';
import { Card, Page, takeFocus } from '../../kit/page.tsx';
import { askForPasskey, hasPasskeys } from '../../kit/passkey.ts';
import { refresh } from '../../kit/query.ts';
import { useOverlay, useOverlayLink } from '../frame/overlay.ts';
import { useHasEnded } from '../session-end.ts';
import { words } from '../words.ts';
import { Providers } from './providers.tsx';

/** A sign-in that waits for the second factor. `provider` and `state` are set if it started at an identity provider. */
export type Half = { token: string; provider?: string; state?: string };

/** Takes the place of a page that needs an account. The page appears after sign-in. */
export function SignIn() {
  const [half, setHalf] = useState<Half>();
  const hasEnded = useHasEnded();
  return (
    <div className="entry in-place">
      <Page title={half ? words.entry.factor : hasEnded ? words.entry.ended : words.page.signIn}>
        <Card>{half ? <CodeForm half={half} /> : <PasswordForm onCode={setHalf} />}</Card>
      </Page>
    </div>
  );
}

/** After sign-in, closes the dialog and stays on the page. Pages that only sign in lead to the games. */
export function useDone() {
  const [at, go] = useLocation();
  const { value, close } = useOverlay('account');
  return async () => {
    await refresh('GET /user/me');
    if (/^\/(sign-|auth|reset)/.test(at)) go('/games', { replace: true });
    else if (value !== undefined) close();
  };
}

/** Email and password, or a passkey, which replaces both and the second factor. */
export function PasswordForm({ onCode }: { onCode: (half: Half) => void }) {
  const captcha = useCaptcha();
  const done = useDone();
  const link = useOverlayLink();
  const hasEnded = useHasEnded();
  const passkey = useWork(async () => {
    const { attempt, options } = await call('POST /user/passkeys/sign-in/options', {});
    const body = { attempt, response: await askForPasskey(options) };
    await call('POST /user/passkeys/sign-in', { body }, { captcha: captcha.take() });
    await done();
  });
  const { refused, isBusy, run } = useWork(async (filled: Filled) => {
    const body = { email: filled.text('email'), password: filled.exact('password') };
    const answer = await call('POST /auth/sign-in', { body }, { captcha: captcha.take() });
    const { requireMfa, token, provider, state } = answer;
    if (requireMfa && token) onCode({ token, provider, state });
    else await done();
  });
  return (
    <div className="form">
      {hasEnded && <Note>{words.entry.endedHint}</Note>}
      <Fields refused={refused ?? passkey.refused} onSend={run}>
        <Field
          name="email"
          label={words.entry.email}
          type="email"
          icon="mail"
          required
          autoComplete="username"
        />
        <PasswordField
          name="password"
          label={words.entry.password}
          required
          autoComplete="current-password"
        />
        <p className="sm">
          <Link href={link('account', 'forgot')}>{words.entry.forgot}</Link>
        </p>
        <div ref={captcha.place} />
        <Button type="submit" kind="main" size="lg" isWide isBusy={isBusy}>
          {words.entry.signIn}
        </Button>
      </Fields>
      <Providers text={words.entry.by} />
      {hasPasskeys && (
        <Button icon="fingerprint-pattern" isWide isBusy={passkey.isBusy} onClick={() => passkey.run()}>
          {words.entry.passkey}
        </Button>
      )}
      <p className="sm dim center">
        {words.entry.noAccount}{' '}
        <Link href={link('account', 'sign-up')} className="link">
          {words.entry.createTitle}
        </Link>
      </p>
    </div>
  );
}

/** The second factor: a code, or a passkey. */
export function CodeForm({ half }: { half: Half }) {
  const done = useDone();
  const passkey = useWork(async () => {
    const options = await call('POST /user/passkeys/second-factor/options', { body: half });
    const response = await askForPasskey(options);
    await call('POST /user/passkeys/second-factor', { body: { ...half, response } });
    await done();
  });
  const { refused, isBusy, run } = useWork(async (filled: Filled) => {
    const mfaCode = filled.text('code').replace(/\s/g, '');
    await call('POST /auth/verify-2fa', { body: { ...half, mfaCode } });
    await done();
  });
  return (
    <Fields refused={refused ?? passkey.refused} onSend={run}>
      <Field name="code" label={words.entry.code} icon="shield-check" required autoComplete="one-time-code" />
      <Button type="submit" kind="main" size="lg" isWide isBusy={isBusy}>
        {words.entry.signIn}
      </Button>
      {hasPasskeys && (
        <Button icon="fingerprint-pattern" isWide isBusy={passkey.isBusy} onClick={() => passkey.run()}>
          {words.entry.usePasskey}
        </Button>
      )}
    </Fields>
  );
}

/** Requests the mail with which a visitor sets a new password. The response is the same whether or not the account exists. */
export function ForgotForm() {
  const captcha = useCaptcha();
  const link = useOverlayLink();
  const [isSent, setSent] = useState(false);
  const { refused, isBusy, run } = useWork(async (filled: Filled) => {
    const body = { email: filled.text('email') };
    await call('POST /user/forgot-password', { body }, { captcha: captcha.take() });
    setSent(true);
  });
  const back = (
    <p className="sm center">
      <Link href={link('account', 'sign-in')}>{words.account.entry.backToSignIn}</Link>
    </p>
  );
  if (isSent)
    return (
      <div className="form">
        <div role="status">
          <Note kind="good">
            <strong ref={takeFocus} tabIndex={-1}>
              {words.account.entry.checkInbox}
            </strong>
            <p>{words.account.entry.linkSent}</p>
          </Note>
        </div>
        {back}
      </div>
    );
  return (
    <Fields refused={refused} onSend={run}>
      <p className="dim">{words.account.entry.forgotHint}</p>
      <Field
        name="email"
        label={words.entry.email}
        type="email"
        icon="mail"
        required
        autoComplete="username"
      />
      <div ref={captcha.place} />
      <Button type="submit" kind="main" size="lg" isWide isBusy={isBusy}>
        {words.account.entry.sendLink}
      </Button>
      {back}
    </Fields>
  );
}
