import type { z } from 'zod';
import { type Db, transaction } from '../../../../platform/db.ts';
import { hashToken } from '../../../../platform/encryption.ts';
import { commonErrors } from '../../../../platform/errors.ts';
import { getUser } from '../../../base/users/service.ts';
import type { MfaPayload, SignInCompletion } from '../complete-sign-in.ts';
import type { KnownDevices } from '../known-devices.ts';
import { peekToken, takeToken } from '../one-time.ts';
import type { Device } from '../open-session.ts';
import type { SessionTokens } from '../token-signer.ts';
import type { Factor } from './factor.ts';
import type { NotifyOwner } from './notice.ts';
import type { VerifyMfa } from './schemas.ts';

type Input = z.output<typeof VerifyMfa>;

/**
 * The second step of a sign-in. The token counts once, when the code was right; until then it has five tries of the app's codes and ten
 * of others. Throws 401
 * UNAUTHORIZED when the token is unknown, over or of another sign-in, or the account is banned: the way back is to sign in
 * again; 401 AUTH_INVALID_CREDENTIALS when that happens, or the password changes, meanwhile. 400 MFA_INVALID, 429 RATE_LIMITED.
 */
export function createVerify({
  db,
  factor,
  signInCompletion,
  devices,
  notifyOwner,
}: {
  db: Db;
  factor: Factor;
  signInCompletion: SignInCompletion;
  devices: KnownDevices;
  notifyOwner: NotifyOwner;
}) {
  return async ({ token, mfaCode, ...expected }: Input, device: Device): Promise<SessionTokens> => {
    const challenge = await peekToken<MfaPayload>(db, 'MFA', token);
    if (!challenge?.userId || !isOf(challenge.payload, expected)) throw commonErrors.UNAUTHORIZED();
    const { userId, payload } = challenge;
    const known = devices.find(device.knownAs, await getUser(db, userId));
    const guess = { userId, at: { token: hashToken(token), device: known }, code: mfaCode };
    await factor.countTry(guess);
    return transaction(db, async (tx) => {
      const user = await getUser(tx, userId);
      if (user.banned_at) throw commonErrors.UNAUTHORIZED();
      const mfaMethod = await factor.redeem(tx, guess, ['TOTP', 'RECOVERY']);
      if (!(await takeToken(tx, 'MFA', token))) throw commonErrors.UNAUTHORIZED();
      if (mfaMethod === 'RECOVERY') await notifyOwner(tx, user, 'recovery-code-used');
      return signInCompletion.openSession(tx, user, device, { provider: payload.provider, mfaMethod });
    });
  };
}

const isOf = (challenge: MfaPayload, { provider, state }: Pick<Input, 'provider' | 'state'>): boolean =>
  (provider ?? challenge.provider) === challenge.provider && (state ?? challenge.state) === challenge.state;
