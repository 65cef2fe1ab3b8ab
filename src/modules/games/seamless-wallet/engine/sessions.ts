import { randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import type { CountrySet } from '../../../../platform/countries/rules.ts';
import type { Tx } from '../../../../platform/database/db.ts';
import { DAY_SECONDS } from '../../../../platform/jobs/purge.ts';
import { hashToken } from '../../../../platform/secrets/encryption.ts';
import { openWallet } from '../../../money/ledger/balances.ts';

export type NewSession = {
  userId: number;
  providerId: number;
  gameId: number;
  currencyId: string;
  /** The country of the request's IP address. */
  country: string | null;
  /** The countries whose rules apply to the session's bets. */
  countries: CountrySet;
  device: 'DESKTOP' | 'MOBILE';
  /** The player's sign-in session. */
  sessionId: string;
};

export const LIFETIME_HOURS = 8;
/** Sessions are deleted 30 days after they expire. All sessions have the same lifetime, so they expire in id order. */
export const SESSION_EXPIRY = {
  table: 'provider_sessions',
  after: 'expires_at',
  keepSeconds: 30 * DAY_SECONDS,
  by: 'id',
};
const MAX_LIVE = 5;

/**
 * Creates the session of a launch and returns its token, which only the provider receives. Ends the player's session of the same game, and
 * the oldest session if there are more than five. Opens the player's wallet in the currency, so that it exists when the provider calls. The
 * player must be locked.
 */
export async function createSession(
  tx: Tx,
  session: NewSession,
): Promise<{ token: string; expiresAt: Date }> {
  const { userId, providerId, gameId, currencyId, country, countries, device, sessionId } = session;
  await openWallet(tx, userId, currencyId);
  await sql`update provider_sessions set ended_at = now() where ended_at is null and id in (
    select id from (
      select id, game_id, row_number() over (order by id desc) as place from provider_sessions
      where user_id = ${userId} and ended_at is null and expires_at > now()) live
    where game_id = ${gameId} or place >= ${MAX_LIVE})`.execute(tx);
  const token = randomBytes(32).toString('base64url');
  const { expires_at: expiresAt } = await tx
    .insertInto('provider_sessions')
    .values({
      token_hash: hashToken(token),
      user_id: userId,
      provider_id: providerId,
      game_id: gameId,
      currency_id: currencyId,
      country,
      countries,
      device,
      session_id: sessionId,
      expires_at: sql<Date>`now() + interval '1 hour' * ${LIFETIME_HOURS}`,
    })
    .returning('expires_at')
    .executeTakeFirstOrThrow();
  return { token, expiresAt };
}

/** Ends the session of a launch whose request to the provider has failed. */
export async function endSession(tx: Tx, token: string): Promise<void> {
  await tx
    .updateTable('provider_sessions')
    .set({ ended_at: sql<Date>`now()` })
    .where('token_hash', '=', hashToken(token))
    .execute();
}
