import { type ReactNode, useEffect, useRef, useState } from 'react';
import { Link } from 'wouter';
import { call } from '../../kit/api.ts';
import { Other, Submit, useCaptcha, useSubmit, useWork } from '../../kit/entry.tsx';
import { Page, Refusal } from '../../kit/page.tsx';
import { refresh } from '../../kit/query.ts';
import { createStore } from '../../kit/store.ts';
import { PASSWORD } from '../fields.ts';
import { useFragment } from '../fragment.ts';
import { words } from '../words.ts';

/** A page that is opened from a mail or by a provider. */
export const Narrow = ({ title, children }: { title: string; children: ReactNode }) => (
  <div className="entry">
    <Page title={title}>{children}</Page>
  </div>
);

const Said = ({ children }: { children: ReactNode }) => (
  <section className="card" role="status">
    {children}
  </section>
);

const ToSignIn = () => (
  <p>
    <Link href="/sign-in">{words.entry.signIn}</Link>
  </p>
);

/** Requests the password reset mail. The response is the same whether or not the account exists. */
export function ForgotPassword() {
  const { forgot } = words.account;
  const captcha = useCaptcha();
  const [isSent, setSent] = useState(false);
  const { refused, isBusy, submit } = useSubmit(async (data) => {
    const body = { email: String(data.get('email')).trim() };
    await call('POST /user/forgot-password', { body }, { captcha: captcha.take() });
    setSent(true);
  });
  return (
    <Narrow title={forgot.title}>
      {isSent ? (
        <Said>
          <p>{forgot.sent}</p>
          <ToSignIn />
        </Said>
      ) : (
        <form className="form card" onSubmit={submit}>
          {refused && <Refusal of={refused} />}
          <p>{forgot.hint}</p>
          <label className="field">
            <span>{words.entry.email}</span>
            <input name="email" type="email" required autoComplete="username" />
          </label>
          <div ref={captcha.place} />
          <div className="actions">
            <Submit isBusy={isBusy}>{forgot.send}</Submit>
          </div>
          <ToSignIn />
        </form>
      )}
    </Narrow>
  );
}

/** The target of the link in the reset mail. */
export function ResetPassword() {
  const { reset } = words.account;
  const { token = '' } = useFragment();
  const [isDone, setDone] = useState<boolean>();
  const { refused, isBusy, submit } = useSubmit(async (data) => {
    const body = { token, newPassword: String(data.get('newPassword')) };
    setDone((await call('PATCH /user/confirm-password-reset', { body })).result);
  });
  if (isDone !== undefined || !token)
    return (
      <Narrow title={reset.title}>
        <Said>
          <p>{isDone ? reset.done : words.account.brokenLink}</p>
          {isDone ? (
            <ToSignIn />
          ) : (
            <p>
              <Link href="/forgot-password">{words.account.forgot.title}</Link>
            </p>
          )}
        </Said>
      </Narrow>
    );
  return (
    <Narrow title={reset.title}>
      <form className="form card" onSubmit={submit}>
        {refused && <Refusal of={refused} fields={refused.fields} />}
        <label className="field">
          <span>{words.entry.newPassword}</span>
          <input name="newPassword" type="password" required {...PASSWORD} />
        </label>
        <p className="dim">{reset.hint}</p>
        <div className="actions">
          <Submit isBusy={isBusy}>{reset.send}</Submit>
        </div>
      </form>
    </Narrow>
  );
}

/** Runs `work` once, when the page is opened. */
export function useAtOnce(work: () => Promise<unknown>) {
  const state = useWork(work);
  const begin = useRef<(() => void) | undefined>(state.run);
  useEffect(() => {
    begin.current?.();
    begin.current = undefined;
  }, []);
  return state;
}

/** The result of a mail link. It is stored outside the page, because the page is remounted if the session ends. */
const outcome = createStore('');

type LinkPageProps = { title: string; send: (token: string) => Promise<string> };

/** Performs the action of a mail link when the link is opened. After an error the user can retry. */
function LinkPage({ title, send }: LinkPageProps) {
  const { token = '' } = useFragment();
  const said = outcome.use();
  const work = useAtOnce(async () => {
    if (token) outcome.set(await send(token));
    else if (!outcome.get()) outcome.set(words.account.brokenLink);
    await refresh('GET /user/me', 'GET /user/email/change');
  });
  return (
    <Narrow title={title}>
      <section className="card">
        <p role="status">{said || (work.isBusy ? words.kit.loading : '')}</p>
        {work.refused && (
          <>
            <Refusal of={work.refused} />
            <p className="actions">
              <Other work={work}>{words.kit.again}</Other>
              <Link href="/sign-in">{words.entry.signIn}</Link>
            </p>
          </>
        )}
        <p>
          <Link href="/profile">{words.account.profile.title}</Link>
        </p>
      </section>
    </Narrow>
  );
}

/** The target of the link in the verification mail. */
export const VerifyEmail = () => (
  <LinkPage
    title={words.account.verify.title}
    send={async (token) => {
      const { result } = await call('GET /user/verify-email', { query: { token } });
      return result ? words.account.verify.done : words.account.brokenLink;
    }}
  />
);

/** The target of the links in the mails about a new email address. Both addresses must confirm. */
export const ConfirmEmail = () => (
  <LinkPage
    title={words.account.confirmEmail.title}
    send={async (token) => {
      const { result, isChanged } = await call('POST /user/email/confirm', { body: { token } });
      if (!result) return words.account.brokenLink;
      return isChanged ? words.account.confirmEmail.done : words.account.confirmEmail.half;
    }}
  />
);
