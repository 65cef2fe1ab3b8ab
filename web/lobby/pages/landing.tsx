import { Link } from 'wouter';
import { Refused } from '../../../client/call.ts';
import { call } from '../../kit/api.ts';
import { Submit, useSubmit } from '../../kit/entry.tsx';
import { Refusal } from '../../kit/page.tsx';
import { drawClientSeed } from '../client-seed.ts';
import { USERNAME } from '../fields.ts';
import { useFragment } from '../fragment.ts';
import { forgetReferral, keptReferral } from '../referral.ts';
import { forgetNonce, proveSetup } from '../setup-nonce.ts';
import { languageNow, words } from '../words.ts';
import { Code, useDone } from './entrance.tsx';
import { Narrow, useAtOnce } from './mails.tsx';

/**
 * The page to which identity providers redirect. The user is signed in, has to create an account, has to enter the second factor, or was
 * rejected.
 */
export function Landing() {
  const { landing } = words.account;
  const { signedIn, setupUsernameToken, mfaToken, provider, state, error, email } = useFragment();
  if (error)
    return (
      <Narrow title={landing.failed}>
        <Refusal of={new Refused(401, { code: error, message: landing.failedHint })} />
        <p>
          <Link href="/sign-in">{words.entry.signIn}</Link>
        </p>
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
        <Code half={{ token: mfaToken, ...(provider && { provider }), ...(state && { state }) }} />
      </Narrow>
    );
  return (
    <Narrow title={words.entry.signIn}>
      {signedIn ? (
        <GoIn />
      ) : (
        <p>
          <Link href="/games">{words.menu.games}</Link>
        </p>
      )}
    </Narrow>
  );
}

function GoIn() {
  useAtOnce(useDone());
  return <p role="status">{words.kit.loading}</p>;
}

/** Asks a new player for a username. */
function Setup({ token, email }: { token: string; email: string }) {
  const done = useDone();
  const { refused, isBusy, submit } = useSubmit(async (data) => {
    const text = (name: string) => String(data.get(name) ?? '').trim();
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
    <form className="form card" onSubmit={submit}>
      {refused && <Refusal of={refused} fields={refused.fields} />}
      <p>{words.account.landing.welcomeHint}</p>
      <label className="field">
        <span>{words.entry.username}</span>
        <input name="username" required {...USERNAME} autoComplete="nickname" />
      </label>
      <label className="field">
        <span>{words.entry.email}</span>
        <input name="email" type="email" required autoComplete="email" defaultValue={email} />
      </label>
      <label className="field">
        <span>{words.entry.affiliate}</span>
        <input name="affiliateCode" maxLength={64} autoComplete="off" defaultValue={keptReferral()} />
      </label>
      <p className="dim">{words.entry.adult}</p>
      <div className="actions">
        <Submit isBusy={isBusy}>{words.entry.signUp}</Submit>
      </div>
    </form>
  );
}
