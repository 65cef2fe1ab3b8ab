import './account.css';
import { Refused } from '../../../client/call.ts';
import { call } from '../../kit/api.ts';
import { Button, ButtonLink } from '../../kit/button.tsx';
import { useWork } from '../../kit/entry.tsx';
import { Field } from '../../kit/form/field.tsx';
import { Fields } from '../../kit/form/form.tsx';
import type { Filled } from '../../kit/form/read.ts';
import { Refusal } from '../../kit/note.tsx';
import { Loading } from '../../kit/page.tsx';
import { drawClientSeed } from '../client-seed.ts';
import { useFragment } from '../fragment.ts';
import { useOverlayLink } from '../frame/overlay.ts';
import { forgetReferral } from '../referral.ts';
import { forgetNonce, proveSetup } from '../setup-nonce.ts';
import { languageNow, words } from '../words.ts';
import { Consent } from './consent.tsx';
import { Narrow, useAtOnce } from './mails.tsx';
import { CodeForm, useDone } from './sign-in.tsx';
import { FIELDS_OF, ReferralField, UsernameField } from './sign-up.tsx';

/**
 * The page to which identity providers redirect. The user is signed in, has to create an account, has to enter the second factor, or was
 * rejected.
 */
export function Landing() {
  const { landing } = words.account;
  const { signedIn, setupUsernameToken, mfaToken, provider, state, error, email } = useFragment();
  const link = useOverlayLink();
  if (error)
    return (
      <Narrow title={landing.failed}>
        <div className="stack">
          <Refusal of={new Refused(401, { code: error, message: landing.failedHint })} />
          <ButtonLink to={link('account', 'sign-in')} kind="main" isWide>
            {words.account.entry.backToSignIn}
          </ButtonLink>
        </div>
      </Narrow>
    );
  if (setupUsernameToken)
    return (
      <Narrow title={landing.welcome}>
        <Setup token={setupUsernameToken} email={email ?? ''} />
      </Narrow>
    );
  if (mfaToken)
    return (
      <Narrow title={words.entry.factor}>
        <CodeForm half={{ token: mfaToken, ...(provider && { provider }), ...(state && { state }) }} />
      </Narrow>
    );
  return (
    <Narrow title={words.entry.signIn}>
      {signedIn ? (
        <GoIn />
      ) : (
        <ButtonLink to="/games" kind="main" isWide>
          {words.page.browse}
        </ButtonLink>
      )}
    </Narrow>
  );
}

function GoIn() {
  useAtOnce(useDone());
  return (
    <div role="status">
      <p>{words.account.landing.signingIn}</p>
      <Loading />
    </div>
  );
}

/** Asks a new player for a username. */
function Setup({ token, email }: { token: string; email: string }) {
  const done = useDone();
  const { refused, isBusy, run } = useWork(async (filled: Filled) => {
    const { text } = filled;
    const affiliateCode = text('affiliateCode');
    const body = {
      username: text('username'),
      email: text('email'),
      language: languageNow(),
      clientSeed: drawClientSeed(),
      ...(affiliateCode ? { affiliateCode } : {}),
    };
    await call('POST /auth/setup-username', { query: { setupUsernameToken: proveSetup(token) }, body });
    forgetReferral();
    forgetNonce();
    await done();
  });
  return (
    <Fields refused={refused} fieldOf={FIELDS_OF} onSend={run}>
      <p className="dim">{words.account.landing.welcomeHint}</p>
      <UsernameField />
      <Field
        name="email"
        label={words.entry.email}
        type="email"
        icon="mail"
        required
        autoComplete="email"
        defaultValue={email}
      />
      <ReferralField />
      <Consent />
      <Button type="submit" kind="main" size="lg" isWide isBusy={isBusy}>
        {words.entry.create}
      </Button>
    </Fields>
  );
}
