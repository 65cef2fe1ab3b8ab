import './account.css';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { call } from '../../kit/api.ts';
import { Button, ButtonLink } from '../../kit/button.tsx';
import { useWork } from '../../kit/entry.tsx';
import { Fields } from '../../kit/form/form.tsx';
import type { Filled } from '../../kit/form/read.ts';
import { Icon, type IconName } from '../../kit/icon.tsx';
import { Refusal } from '../../kit/note.tsx';
import { Loading, Page, takeFocus } from '../../kit/page.tsx';
import { refresh } from '../../kit/query.ts';
import { createStore } from '../../kit/store.ts';
import { useFragment } from '../fragment.ts';
import { useOverlayLink } from '../frame/overlay.ts';
import { words } from '../words.ts';
import { NewPassword } from './new-password.tsx';

/** A page that is opened from a mail or by a provider. */
export const Narrow = ({ title, children }: { title: string; children: ReactNode }) => (
  <div className="entry">
    <Page title={title}>
      <section className="card">{children}</section>
    </Page>
  </div>
);

type OutcomeProps = { tone: 'good' | 'bad'; title: string; children?: ReactNode; action: ReactNode };
const ICONS = { good: 'circle-check', bad: 'link-2-off' } as const satisfies Record<string, IconName>;

/** Shows the result of a link, and a button that leads on. */
const Outcome = ({ tone, title, children, action }: OutcomeProps) => (
  <div className="outcome">
    <Icon name={ICONS[tone]} size={40} />
    <div role="status">
      <h2 ref={takeFocus} tabIndex={-1}>
        {title}
      </h2>
      {children && <p className="dim">{children}</p>}
    </div>
    <div className="actions">{action}</div>
  </div>
);

const ToSignIn = () => {
  const link = useOverlayLink();
  return (
    <ButtonLink to={link('account', 'sign-in')} kind="main">
      {words.entry.signIn}
    </ButtonLink>
  );
};

/** The target of the link in the mail about a forgotten password. */
export function ResetPassword() {
  const { reset, broken, brokenLink, newLink } = words.account;
  const { token = '' } = useFragment();
  const link = useOverlayLink();
  const [isDone, setDone] = useState<boolean>();
  const { refused, isBusy, run } = useWork(async (filled: Filled) => {
    const body = { token, newPassword: filled.exact('newPassword') };
    setDone((await call('PATCH /user/confirm-password-reset', { body })).result);
  });
  if (isDone)
    return (
      <Narrow title={reset.title}>
        <Outcome tone="good" title={reset.done} action={<ToSignIn />}>
          {reset.doneHint}
        </Outcome>
      </Narrow>
    );
  if (isDone === false || !token)
    return (
      <Narrow title={reset.title}>
        <Outcome
          tone="bad"
          title={broken}
          action={
            <ButtonLink to={link('account', 'forgot')} kind="main">
              {newLink}
            </ButtonLink>
          }
        >
          {brokenLink}
        </Outcome>
      </Narrow>
    );
  return (
    <Narrow title={reset.title}>
      <Fields refused={refused} onSend={run}>
        <p className="dim">{reset.hint}</p>
        <NewPassword name="newPassword" label={words.entry.newPassword} />
        <Button type="submit" kind="main" size="lg" isWide isBusy={isBusy}>
          {reset.send}
        </Button>
      </Fields>
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

/** The result of a mail link: a text, or `broken`. It is stored outside the page, because the page is remounted if the session ends. */
const outcome = createStore<string | undefined>(undefined);
const BROKEN = 'broken';
/** A link that could not be used yet, because the visitor has to sign in first. It is sent again when the page is mounted after that. */
let pending: { title: string; token: string } | undefined;

type LinkPageProps = { title: string; send: (token: string) => Promise<string> };

/** Performs the action of a mail link when the link is opened. After an error the user can retry. */
function LinkPage({ title, send }: LinkPageProps) {
  const { broken, brokenLink, toAccount } = words.account;
  const { token = pending?.title === title ? pending.token : '' } = useFragment();
  const said = outcome.use();
  const work = useAtOnce(async () => {
    if (token) {
      pending = { title, token };
      outcome.set(await send(token));
      pending = undefined;
    } else if (outcome.get() === undefined) outcome.set(BROKEN);
    await refresh('GET /user/me', 'GET /user/email/change');
  });
  const action = (
    <ButtonLink to="/profile/security" kind="main">
      {toAccount}
    </ButtonLink>
  );
  if (work.refused)
    return (
      <Narrow title={title}>
        <div className="stack">
          <Refusal of={work.refused} onRetry={() => work.run()} />
          <div className="actions">
            <ToSignIn />
          </div>
        </div>
      </Narrow>
    );
  return (
    <Narrow title={title}>
      {said === undefined ? (
        <Loading />
      ) : said === BROKEN ? (
        <Outcome tone="bad" title={broken} action={action}>
          {brokenLink}
        </Outcome>
      ) : (
        <Outcome
          tone="good"
          title={said}
          action={
            <>
              <ButtonLink to="/games" kind="main">
                {words.page.browse}
              </ButtonLink>
              <ButtonLink to="/profile/security">{toAccount}</ButtonLink>
            </>
          }
        />
      )}
    </Narrow>
  );
}

/** The target of the link in the verification mail. */
export const VerifyEmail = () => (
  <LinkPage
    title={words.account.verify.title}
    send={async (token) => {
      const { result } = await call('GET /user/verify-email', { query: { token } });
      return result ? words.account.verify.done : BROKEN;
    }}
  />
);

/** The target of the links in the mails about a new email address. Both addresses must confirm. */
export const ConfirmEmail = () => (
  <LinkPage
    title={words.account.confirmEmail.title}
    send={async (token) => {
      const { result, isChanged } = await call('POST /user/email/confirm', { body: { token } });
      if (!result) return BROKEN;
      return isChanged ? words.account.confirmEmail.done : words.account.confirmEmail.half;
    }}
  />
);
