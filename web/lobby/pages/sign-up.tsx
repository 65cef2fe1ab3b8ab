import './account.css';
import { Link } from 'wouter';
import { call } from '../../kit/api.ts';
import { Button } from '../../kit/button.tsx';
import { useCaptcha, useWork } from '../../kit/entry.tsx';
import { Check } from '../../kit/form/choice.tsx';
import { Field } from '../../kit/form/field.tsx';
import { Fields } from '../../kit/form/form.tsx';
import type { Filled } from '../../kit/form/read.ts';
import { Note } from '../../kit/note.tsx';
import { useRead } from '../../kit/query.ts';
import { say } from '../../kit/toast.tsx';
import { kit } from '../../kit/words.ts';
import { drawClientSeed } from '../client-seed.ts';
import { USERNAME } from '../fields.ts';
import { useOverlayLink } from '../frame/overlay.ts';
import { forgetReferral, keptReferral } from '../referral.ts';
import { useSite } from '../site.ts';
import { languageNow, words } from '../words.ts';
import { Consent } from './consent.tsx';
import { NewPassword } from './new-password.tsx';
import { Providers } from './providers.tsx';
import { useDone } from './sign-in.tsx';

/** The server does not say whether the email or the username is taken, so both are marked. */
export const FIELDS_OF = { AUTH_USER_EXISTS: 'email username' };

/** Creates an account. */
export function SignUpForm() {
  const captcha = useCaptcha();
  const link = useOverlayLink();
  const { refused, isBusy, run } = useSignUp(captcha.take);
  return (
    <div className="form">
      <Closed />
      <Providers text={words.entry.byEmail} isFirst />
      <Fields refused={refused} fieldOf={FIELDS_OF} onSend={run}>
        <Field
          name="email"
          label={words.entry.email}
          type="email"
          icon="mail"
          required
          autoComplete="email"
        />
        <UsernameField />
        <NewPassword label={words.entry.password} />
        <ReferralField />
        <Consent />
        <Check name="mails" label={words.account.entry.mails} />
        <div ref={captcha.place} />
        <Button type="submit" kind="main" size="lg" isWide isBusy={isBusy}>
          {words.entry.create}
        </Button>
      </Fields>
      <p className="sm dim center">
        {words.entry.haveAccount}{' '}
        <Link href={link('account', 'sign-in')} className="link">
          {words.entry.signIn}
        </Link>
      </p>
    </div>
  );
}

/** Sends the form, and then shows the page behind it as a signed-in player. */
function useSignUp(takeCaptcha: () => string) {
  const done = useDone();
  return useWork(async (filled: Filled) => {
    const { text } = filled;
    const affiliateCode = text('affiliateCode');
    const body = {
      username: text('username'),
      email: text('email'),
      password: filled.exact('password'),
      isEmailNotificationsEnabled: filled.flag('mails'),
      language: languageNow(),
      clientSeed: drawClientSeed(),
      ...(affiliateCode ? { affiliateCode } : {}),
    };
    await call('POST /auth/sign-up', { body }, { captcha: takeCaptcha() });
    forgetReferral();
    await done();
    say(words.account.entry.welcome(body.username, body.email));
  });
}

/** A name that other players see. */
export const UsernameField = () => (
  <Field
    name="username"
    label={words.entry.username}
    icon="user"
    required
    {...USERNAME}
    data-format={words.entry.usernameHint}
    hint={words.entry.usernameHint}
    autoComplete="nickname"
  />
);

/** A referral code. It is open if the visitor followed a referral link. */
export function ReferralField() {
  const referral = keptReferral();
  return (
    <details open={referral !== undefined} className="stack tight">
      <summary className="link sm">{words.account.entry.hasReferral}</summary>
      <Field
        name="affiliateCode"
        label={words.account.entry.affiliate}
        maxLength={64}
        autoComplete="off"
        defaultValue={referral}
      />
    </details>
  );
}

/** Tells visitors beforehand that they cannot open an account: from their country, or at the moment. */
function Closed() {
  const geo = useRead('GET /geo', {}, { staleMs: Number.POSITIVE_INFINITY });
  const site = useSite();
  if (geo.data?.isBlocked)
    return <Note kind="bad">{kit.refusal({ code: 'AUTH_GEO_BLOCKED', message: '', details: {} })}</Note>;
  return site?.isRegistrationOpen === false ? <Note kind="warn">{words.account.entry.closed}</Note> : null;
}
