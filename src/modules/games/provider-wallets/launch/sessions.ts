import { randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import type { Tx } from '../../../../platform/db.ts';
import { hashToken } from '../../../../platform/encryption.ts';
import { openWallet } from '../../../money/ledger/balances.ts';

export type NewSession = {
  userId: number;
  providerId: number;
  gameId: number;
  currencyId: string;
  country: string | null;
  device: 'DESKTOP' | 'MOBILE';
  /** The sign-in that it is made in. */
  sessionId: string;
};

export const LIVES_HOURS = 8;
const MOST_LIVE = 5;

/**
 * A launch: its token is known to the provider alone. One of the same game ends, and of more than five the oldest. The player must be
 * locked. Their wallet in the currency comes into being, so that whatever the provider books finds it.
 */
export async function createSession(
  tx: Tx,
  session: NewSession,
): Promise<{ token: string; expiresAt: Date }> {
  const { userId, providerId, gameId, currencyId, country, device, sessionId } = session;
  await openWallet(tx, userId, currencyId);
  await sql`update provider_sessions set ended_at = now() where ended_at is null and id in (
    select id from (
      select id, game_id, row_number() over (order by id desc) as place from provider_sessions
      where user_id = ${userId} and ended_at is null and expires_at > now()) live
    where game_id = ${gameId} or place >= ${MOST_LIVE})`.execute(tx);
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
      device,
      session_id: sessionId,
      expires_at: sql<Date>`now() + interval '1 hour' * ${LIVES_HOURS}`,
    })
    .returning('expires_at')
    .executeTakeFirstOrThrow();
  return { token, expiresAt };
}

/** Ends a launch that the provider did not take. */
export async function endSession(tx: Tx, token: string): Promise<void> {
  await tx
    .updateTable('provider_sessions')
    .set({ ended_at: sql<Date>`now()` })
    .where('token_hash', '=', hashToken(token))
    .execute();
}
