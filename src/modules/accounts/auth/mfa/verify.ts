import type { z } from 'zod';
import { type Db, transaction } from '../../../../platform/db.ts';
import { hashToken } from '../../../../platform/encryption.ts';
import { commonErrors } from '../../../../platform/errors.ts';
import { getUser } from '../../../base/users/service.ts';
import type { AuthDeps } from '../deps.ts';
import type { KnownDevices } from '../known-devices.ts';
import { peekToken, takeToken } from '../one-time.ts';
import type { Device, SessionTokens } from '../sessions.ts';
import type { MfaPayload, SignIns } from '../sign-in.ts';
import { notifyOwner } from './change.ts';
import { type Factor, tryOf } from './factor.ts';
import type { VerifyMfa } from './schemas.ts';

type Deps = AuthDeps & { factor: Factor; signIns: SignIns; devices: KnownDevices };
type Input = z.output<typeof VerifyMfa>;

/**
 * The second step of a sign-in. The token is used up when the code is right; until then it has five tries of the app's codes and ten
 * of recovery codes. Throws 401 UNAUTHORIZED when the token is unknown, expired or of another sign-in, or the account is banned, so
 * that the user has to sign in again; 401 AUTH_INVALID_CREDENTIALS when the account is banned or its password changes meanwhile; 400
 * MFA_INVALID, 429 RATE_LIMITED.
 */
export async function verify(deps: Deps, input: Input, device: Device): Promise<SessionTokens> {
  const { db, factor, signIns, devices, mail } = deps;
  const { token, mfaCode } = input;
  const { userId, payload } = await findHalfSignedIn(db, input);
  const known = devices.find(device.knownAs, await getUser(db, userId));
  const guess = { userId, at: { token: hashToken(token), device: known }, code: mfaCode };
  await factor.countTry(tryOf(guess));
  return transaction(db, async (tx) => {
    const user = await getUser(tx, userId);
    if (user.banned_at) throw commonErrors.UNAUTHORIZED();
    const mfaMethod = await factor.redeem(tx, guess, ['TOTP', 'RECOVERY']);
    if (!(await takeToken(tx, 'MFA', token))) throw commonErrors.UNAUTHORIZED();
    if (mfaMethod === 'RECOVERY') await notifyOwner(mail, tx, user, { change: 'recovery-code-used' });
    return signIns.openSession(tx, user, device, { provider: payload.provider, mfaMethod });
  });
}

type HalfSignedIn = Pick<Input, 'token' | 'provider' | 'state'>;

/** The sign-in that waits for its second factor. Throws 401 UNAUTHORIZED when the token is unknown, used, expired or of another sign-in. */
export async function findHalfSignedIn(
  db: Db,
  { token, provider, state }: HalfSignedIn,
): Promise<{ userId: number; payload: MfaPayload }> {
  const found = await peekToken<MfaPayload>(db, 'MFA', token);
  const isOther =
    (provider ?? found?.payload.provider) !== found?.payload.provider ||
    (state ?? found?.payload.state) !== found?.payload.state;
  if (!found?.userId || isOther) throw commonErrors.UNAUTHORIZED();
  return { userId: found.userId, payload: found.payload };
}
