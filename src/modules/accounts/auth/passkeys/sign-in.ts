import { randomBytes } from 'node:crypto';
import type { z } from 'zod';
import { networkOf } from '../../../../platform/address.ts';
import { transaction } from '../../../../platform/db.ts';
import { hashToken } from '../../../../platform/encryption.ts';
import { commonErrors } from '../../../../platform/errors.ts';
import { getUser } from '../../../base/users/service.ts';
import { assertTry, giveBack } from '../attempts.ts';
import type { KnownDevices } from '../known-devices.ts';
import { findHalfSignedIn } from '../mfa/verify.ts';
import { takeToken } from '../one-time.ts';
import type { Device, SessionTokens } from '../sessions.ts';
import type { SignIns } from '../sign-in.ts';
import { issueChallenge } from './challenge.ts';
import { passkeyErrors } from './errors.ts';
import type { PasskeyDeps } from './manage.ts';
import { proofOptions, requestOf } from './prove.ts';
import { findByCredential } from './queries.ts';
import type { PasskeySignIn, SecondFactor, SecondFactorOptions } from './schemas.ts';
import { use, type Verified, verify } from './verify.ts';

type Deps = PasskeyDeps & { signIns: SignIns; devices: KnownDevices };

/** Refused sign-ins of one network within SIGN_IN_WINDOW_MINUTES. Nobody guesses a signature: they are counted for what verifying costs. */
const TRIES = 20;

/** What a browser needs to offer its passkeys for this site, the same for everybody: nobody is named. */
export async function signInOptions({ db, config }: Deps) {
  const attempt = randomBytes(32).toString('base64url');
  const challenge = await issueChallenge(db, config, {
    ceremony: 'PASSKEY_SIGN_IN',
    userId: null,
    holder: { token: attempt },
  });
  return { attempt, options: requestOf(config, challenge) };
}

/**
 * A passkey that has verified its user is both factors: it opens a session. Throws 403 AUTH_GEO_BLOCKED, 400 PASSKEY_CHALLENGE_INVALID, 429
 * RATE_LIMITED, and 401 PASSKEY_REFUSED for whatever else is wrong, so that nobody learns whose passkeys there are.
 */
export async function signIn(
  deps: Deps,
  { attempt, response }: z.output<typeof PasskeySignIn>,
  device: Device,
): Promise<SessionTokens> {
  const { db, config, countries, metrics, log } = deps;
  countries.assertAllowed(device.ip);
  const key = `passkey-sign-in:${await placeOf(deps, response.id, device)}`;
  await assertTry(db, { key, tries: TRIES, windowSeconds: config.SIGN_IN_WINDOW_MINUTES * 60 });
  const holder = { token: attempt };
  const verified = await verify(deps, { ceremony: 'PASSKEY_SIGN_IN', holder, response });
  const tokens = verified && (await open(deps, verified, { device, provider: 'passkey' }));
  if (!tokens) {
    metrics.signInFailures.inc({ reason: 'passkey' });
    log.warn({ reason: 'passkey', network: networkOf(device.ip) }, 'sign-in failed');
    throw passkeyErrors.PASSKEY_REFUSED();
  }
  await giveBack(db, [key], 'one');
  return tokens;
}

/** A device that the owner has signed in on counts by itself: strangers in its network use up nothing of it. */
async function placeOf(
  { db, devices }: Deps,
  credentialId: string,
  { ip, knownAs }: Device,
): Promise<string> {
  const passkey = await findByCredential(db, Buffer.from(credentialId, 'base64url'));
  const known = passkey && devices.find(knownAs, await getUser(db, passkey.user_id));
  return known ? `device:${known}` : networkOf(ip);
}

/** For the second step of a sign-in. Throws 401 UNAUTHORIZED, 409 NO_PASSKEY. */
export async function secondFactorOptions(deps: Deps, input: z.output<typeof SecondFactorOptions>) {
  const { userId } = await findHalfSignedIn(deps.db, input);
  return proofOptions(deps, { userId, holder: { token: input.token } });
}

/**
 * The second step of a sign-in, with a passkey instead of a code. The token is used up when it is right. Throws as `verify` of mfa; 400
 * PASSKEY_CHALLENGE_INVALID, 400 PASSKEY_INVALID.
 */
export async function completeWithPasskey(
  deps: Deps,
  input: z.output<typeof SecondFactor>,
  device: Device,
): Promise<SessionTokens> {
  const { db, factor } = deps;
  const { token, response } = input;
  const { userId, payload } = await findHalfSignedIn(db, input);
  const attempt = { userId, at: { token: hashToken(token), device: undefined }, kind: 'PASSKEY' } as const;
  await factor.countTry(attempt);
  const verified = await verify(deps, { ceremony: 'PASSKEY_PROVE', holder: { token }, response });
  const tokens = verified && (await open(deps, verified, { device, provider: payload.provider, token }));
  if (!tokens) throw passkeyErrors.PASSKEY_INVALID();
  await factor.returnTry(attempt);
  return tokens;
}

type Opening = { device: Device; provider: string; token?: string };

/** Opens the session; undefined when the passkey is a copy, or its user is banned. */
const open = (deps: Deps, verified: Verified, { device, provider, token }: Opening) =>
  transaction(deps.db, async (tx) => {
    const user = await getUser(tx, verified.passkey.user_id);
    if (user.banned_at || !(await use(deps, tx, verified))) return undefined;
    if (token !== undefined && !(await takeToken(tx, 'MFA', token))) throw commonErrors.UNAUTHORIZED();
    return deps.signIns.openSession(tx, user, device, { provider, mfaMethod: 'PASSKEY' });
  });
