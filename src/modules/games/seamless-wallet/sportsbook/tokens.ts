import { randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import { z } from 'zod';
import { type Db, transaction } from '../../../../platform/database/db.ts';
import { commonErrors } from '../../../../platform/errors.ts';
import { hashToken } from '../../../../platform/secrets/encryption.ts';

export const TOKEN_SECONDS = 3600;
/** The previous token stays valid, so that the sportsbook can replace it without a gap. */
const MAX_TOKENS = 2;
export const TOKEN_EXPIRY = { table: 'sportsbook_tokens', after: 'expires_at', keepSeconds: 0 };

/** Issues a token and ends older ones beyond two. Only hashes of tokens are stored. */
export const issueToken = (db: Db, providerId: number): Promise<string> =>
  transaction(db, async (tx) => {
    await sql`select from game_providers where id = ${providerId} for no key update`.execute(tx);
    const token = randomBytes(32).toString('base64url');
    // Uses the clock instead of the start of the transaction: the order of locks decides which token is newer.
    await sql`insert into sportsbook_tokens (token_hash, provider_id, created_at, expires_at) values (${hashToken(token)}, ${providerId},
      clock_timestamp(), clock_timestamp() + make_interval(secs => ${TOKEN_SECONDS}))`.execute(tx);
    await sql`delete from sportsbook_tokens where token_hash in (
      select token_hash from sportsbook_tokens where provider_id = ${providerId} order by created_at desc offset ${MAX_TOKENS})`.execute(
      tx,
    );
    return token;
  });

/** The common part of the operations that the sportsbook calls with its token. Throws 401 API_KEY_INVALID for any other token. */
export const sportsbookCall = {
  tag: 'Sportsbook external',
  access: 'apikey',
  async keyCheck({ db }: { db: Db }, token: string | undefined): Promise<void> {
    if (token === undefined || token.length > 200) throw commonErrors.API_KEY_INVALID();
    const row = await db
      .selectFrom('sportsbook_tokens')
      .select('provider_id')
      .where('token_hash', '=', hashToken(token))
      .where('expires_at', '>', sql<Date>`now()`)
      .executeTakeFirst();
    if (!row) throw commonErrors.API_KEY_INVALID();
  },
  headers: z.object({
    'x-api-key': z.string().meta({ description: 'The token of POST /sportsbook/external/auth/login.' }),
  }),
} as const;
