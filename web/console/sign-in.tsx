import { useEffect, useRef, useState } from 'react';
import type { Refused } from '../../client/call.ts';
import { call, settings } from '../kit/api.ts';
import { Page, Refusal } from '../kit/page.tsx';
import { asRefused, refresh, useRead } from '../kit/query.ts';

/** Password, then the second factor of whoever has one. */
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
  const { refused, isBusy, submit } = useSubmit(async (data) => {
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
        <Plain isBusy={isBusy}>Sign in</Plain>
      </div>
    </form>
  );
}

function Code({ token }: { token: string }) {
  const { refused, isBusy, submit } = useSubmit(async (data) => {
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

/** Before anybody is signed in there are no rights to look at: a form by itself. */
function useSubmit(work: (data: FormData) => Promise<unknown>) {
  const [refused, setRefused] = useState<Refused>();
  const [isBusy, setBusy] = useState(false);
  const submit = (event: { preventDefault(): void; currentTarget: HTMLFormElement }) => {
    event.preventDefault();
    setBusy(true);
    setRefused(undefined);
    work(new FormData(event.currentTarget))
      .catch((error: unknown) => setRefused(asRefused(error)))
      .finally(() => setBusy(false));
  };
  return { refused, isBusy, submit };
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
