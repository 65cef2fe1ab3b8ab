import { randomBytes, randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import type { Tx } from '../../../platform/db.ts';
import { hashToken } from '../../../platform/encryption.ts';
import { parseUserAgent } from '../../../platform/user-agent.ts';
import { revokeSession } from './revoke-sessions.ts';
import type { SessionEnds } from './session-ends.ts';
import type { SessionTokens, TokenSigner } from './token-signer.ts';

/**
 * The device that signs in. `cookie` is the access token that came with the request, `knownAs` the cookie of a device that has signed
 * in before.
 */
export type Device = {
  ip: string;
  userAgent: string | undefined;
  cookie: string | undefined;
  knownAs?: string | undefined;
};
/** How the session was opened: `provider` is `password`, the segment of an identity provider, or `debug`. */
export type Opening = { provider: string; mfaMethod?: 'TOTP' | 'RECOVERY' };
type Deps = { ends: SessionEnds; signer: TokenSigner; countryOf: (ip: string) => string | null };

/** Opens a new session, whatever came with the request; a session presented in the cookie ends (session fixation). */
export async function openSession(
  { ends, signer, countryOf }: Deps,
  tx: Tx,
  { userId, device, opening }: { userId: number; device: Device; opening: Opening },
): Promise<SessionTokens> {
  const refreshToken = randomBytes(32).toString('base64url');
  const agent = parseUserAgent(device.userAgent);
  const session = {
    id: randomUUID(),
    user_id: userId,
    refresh_hash: hashToken(refreshToken),
    ip_address: device.ip,
    country_code: countryOf(device.ip),
    user_agent: device.userAgent ?? null,
    device: agent.device,
    device_type: agent.deviceType,
    browser: agent.browser,
    os: agent.os,
    provider: opening.provider,
    mfa_method: opening.mfaMethod ?? null,
    mfa_at: opening.mfaMethod ? sql<Date>`now()` : null,
    expires_at: signer.refreshExpiry(),
  };
  await tx.insertInto('sessions').values(session).execute();
  const { endsAt } = await tx
    .updateTable('users')
    .from('sessions')
    .set({ last_login_at: sql<Date>`now()` })
    .where('users.id', '=', userId)
    .where('sessions.id', '=', session.id)
    .returning(ends.atLatest.as('endsAt'))
    .executeTakeFirstOrThrow();
  const presented = device.cookie && (await signer.verify(device.cookie, 'access').catch(() => undefined));
  if (presented) await revokeSession(tx, presented.sessionId, 'SIGNED_IN_AGAIN');
  return signer.tokensOf({ userId, sessionId: session.id, endsAt }, refreshToken);
}
