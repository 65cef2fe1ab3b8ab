import { useState } from 'react';
import { Link, useLocation } from 'wouter';
import { call } from '../../kit/api.ts';
import { Other, Submit, useCaptcha, useSubmit, useWork } from '../../kit/entry.tsx';
import { Page, Refusal } from '../../kit/page.tsx';
import { askForPasskey, hasPasskeys } from '../../kit/passkey.ts';
import { refresh, useRead } from '../../kit/query.ts';
import { kit } from '../../kit/words.ts';
import { drawClientSeed } from '../client-seed.ts';
import { PASSWORD, USERNAME } from '../fields.ts';
import { forgetReferral, keptReferral } from '../referral.ts';
import { withNonce } from '../setup-nonce.ts';
import { useSite } from '../site.ts';
import { languageNow, words } from '../words.ts';

/** A sign-in that waits for the second factor. `provider` and `state` are set if it started at an identity provider. */
export type Half = { token: string; provider?: string; state?: string };

/** Lets the player sign in with a password, and then with the second factor if the account has one. A passkey replaces both. */
export function SignIn() {
  const [half, setHalf] = useState<Half>();
  return (
    <div className="entry">
      <Page title={half ? words.entry.factor : words.entry.signIn}>
        {half ? <Code half={half} /> : <Password onCode={setHalf} />}
      </Page>
    </div>
  );
}

/** After sign-in, opens the games if the current page is a sign-in page. Otherwise stays on the current page. */
export function useDone() {
  const [at, go] = useLocation();
  return async () => {
    await refresh('GET /user/me');
    if (at.startsWith('/sign-') || at.startsWith('/auth')) go('/games', { replace: true });
  };
}

function Password({ onCode }: { onCode: (half: Half) => void }) {
  const captcha = useCaptcha();
  const done = useDone();
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
    const { requireMfa, token, provider, state } = answer;
    if (requireMfa && token) onCode({ token, provider, state });
    else await done();
  });
  return (
    <form className="form card" onSubmit={submit}>
      {refused && <Refusal of={refused} />}
      <label className="field">
        <span>{words.entry.email}</span>
        <input name="email" type="email" required autoComplete="username" />
      </label>
      <label className="field">
        <span>{words.entry.password}</span>
        <input name="password" type="password" required autoComplete="current-password" />
      </label>
      <div ref={captcha.place} />
      <div className="actions">
        <Submit isBusy={isBusy}>{words.entry.signIn}</Submit>
        {hasPasskeys && <Other work={passkey}>{words.entry.passkey}</Other>}
      </div>
      <Providers />
      <p className="actions">
        <Link href="/forgot-password">{words.entry.forgot}</Link>
        <Link href="/sign-up">{words.entry.signUp}</Link>
      </p>
    </form>
  );
}

/** Links to the identity providers, which redirect to the landing page afterwards. */
function Providers() {
  const all = useSite()?.identityProviders ?? [];
  if (all.length === 0) return null;
  const names: Readonly<Record<string, string>> = words.entry.provider;
  return (
    <p className="actions">
      <span className="dim">{words.entry.by}</span>
      {all.map(({ name, path }) => (
        <a key={name} href={withNonce(path)} className="button">
          {names[name] ?? name}
        </a>
      ))}
    </p>
  );
}

export function Code({ half }: { half: Half }) {
  const done = useDone();
  const passkey = useWork(async () => {
    const options = await call('POST /user/passkeys/second-factor/options', { body: half });
    const response = await askForPasskey(options);
    await call('POST /user/passkeys/second-factor', { body: { ...half, response } });
    await done();
  });
  const {
    refused = passkey.refused,
    isBusy,
    submit,
  } = useSubmit(async (data) => {
    const mfaCode = String(data.get('code')).replace(/\s/g, '');
    await call('POST /auth/verify-2fa', { body: { ...half, mfaCode } });
    await done();
  });
  return (
    <form className="form card" onSubmit={submit}>
      {refused && <Refusal of={refused} />}
      <label className="field">
        <span>{words.entry.code}</span>
        <input name="code" required autoComplete="one-time-code" />
      </label>
      <div className="actions">
        <Submit isBusy={isBusy}>{words.entry.signIn}</Submit>
        {hasPasskeys && <Other work={passkey}>{words.entry.usePasskey}</Other>}
      </div>
    </form>
  );
}

export function SignUp() {
  const captcha = useCaptcha();
  const geo = useRead('GET /geo', {}, { staleMs: Number.POSITIVE_INFINITY });
  const done = useDone();
  const { refused, isBusy, submit } = useSubmit(async (data) => {
    const text = (name: string) => String(data.get(name) ?? '').trim();
    const affiliateCode = text('affiliateCode');
    const body = {
      username: text('username'),
      email: text('email'),
      password: String(data.get('password')),
      isEmailNotificationsEnabled: data.get('mails') !== null,
      language: languageNow(),
      clientSeed: drawClientSeed(),
      ...(affiliateCode ? { affiliateCode } : {}),
    };
    await call('POST /auth/sign-up', { body }, { captcha: captcha.take() });
    forgetReferral();
    await done();
  });
  const fields = refused?.fields ?? [];
  return (
    <div className="entry">
      <Page title={words.entry.signUp}>
        <form className="form card" onSubmit={submit}>
          {geo.data?.isBlocked && (
            <p className="refusal">{kit.refusal({ code: 'AUTH_GEO_BLOCKED', message: '', details: {} })}</p>
          )}
          {refused && <Refusal of={refused} fields={fields} />}
          <label className="field">
            <span>{words.entry.username}</span>
            <input name="username" required {...USERNAME} autoComplete="nickname" />
          </label>
          <label className="field">
            <span>{words.entry.email}</span>
            <input name="email" type="email" required autoComplete="email" />
          </label>
          <label className="field">
            <span>{words.entry.newPassword}</span>
            <input name="password" type="password" required {...PASSWORD} />
          </label>
          <label className="field">
            <span>{words.entry.affiliate}</span>
            <input name="affiliateCode" maxLength={64} autoComplete="off" defaultValue={keptReferral()} />
          </label>
          <label className="check">
            <input type="checkbox" name="mails" /> {words.entry.mails}
          </label>
          <div ref={captcha.place} />
          <p className="dim">{words.entry.adult}</p>
          <div className="actions">
            <Submit isBusy={isBusy}>{words.entry.signUp}</Submit>
          </div>
          <Providers />
        </form>
      </Page>
    </div>
  );
}
