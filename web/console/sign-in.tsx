import { useEffect, useRef, useState } from 'react';
import type { Refused } from '../../client/call.ts';
import { call, settings } from '../kit/api.ts';
import { Page, Refusal } from '../kit/page.tsx';
import { askForPasskey, hasPasskeys } from '../kit/passkey.ts';
import { asRefused, refresh, useRead } from '../kit/query.ts';

/** Password, then the second factor of whoever has one; a passkey is both. */
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
        <Plain isBusy={isBusy}>Sign in</Plain>
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
        <Plain isBusy={isBusy}>Sign in</Plain>
      </div>
    </form>
  );
}

const Plain = ({ isBusy, children }: { isBusy: boolean; children: string }) => (
  <button type="submit" className="main" disabled={isBusy} aria-busy={isBusy}>
    {children}
  </button>
);

function Other({ work, children }: { work: ReturnType<typeof useWork>; children: string }) {
  return (
    <button type="button" aria-busy={work.isBusy} disabled={work.isBusy} onClick={() => work.run()}>
      {children}
    </button>
  );
}

/** Before anybody is signed in there are no rights to look at: forms and buttons by themselves. */
function useWork<T extends unknown[]>(work: (...args: T) => Promise<unknown>) {
  const [refused, setRefused] = useState<Refused>();
  const [isBusy, setBusy] = useState(false);
  const run = (...args: T) => {
    setBusy(true);
    setRefused(undefined);
    void work(...args)
      .catch((error: unknown) => setRefused(asRefused(error)))
      .finally(() => setBusy(false));
  };
  return { refused, isBusy, run };
}

function useSubmit(send: (data: FormData) => Promise<unknown>) {
  const { run, ...work } = useWork(send);
  const submit = (event: { preventDefault(): void; currentTarget: HTMLFormElement }) => {
    event.preventDefault();
    run(new FormData(event.currentTarget));
  };
  return { ...work, submit };
}

type Widget = {
  render(place: HTMLElement, how: { sitekey: string; callback: (token: string) => void }): unknown;
};
const VERIFIERS = ['hcaptcha', 'turnstile', 'grecaptcha'] as const;
const LOCAL_TOKEN = 'local-captcha';
const LOOK_EVERY_MS = 200;

/** The widget of the captcha's verifier, where one is configured: hCaptcha, Turnstile and reCAPTCHA are rendered in the same way. */
function useCaptcha() {
  const place = useRef<HTMLDivElement>(null);
  const token = useRef(LOCAL_TOKEN);
  const site = useRead('GET /config/{code}', { path: { code: 'USER' } }, { isEnabled: settings.hasCaptcha });
  const sitekey = site.data?.captchaSiteKey as string | undefined;
  useEffect(() => {
    if (!sitekey) return;
    const timer = setInterval(() => {
      const found = VERIFIERS.map((name) => (window as never as Record<string, Widget>)[name]).find(Boolean);
      if (!found || !place.current) return;
      clearInterval(timer);
      found.render(place.current, {
        sitekey,
        callback: (solved) => {
          token.current = solved;
        },
      });
    }, LOOK_EVERY_MS);
    return () => clearInterval(timer);
  }, [sitekey]);
  return { place, take: () => token.current };
}
