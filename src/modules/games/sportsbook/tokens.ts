import { randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import { networkOf } from '../../../platform/address.ts';
import type { Config } from '../../../platform/config.ts';
import { type Db, transaction } from '../../../platform/db.ts';
import { hashToken, isSameSecret } from '../../../platform/encryption.ts';
import { commonErrors } from '../../../platform/errors.ts';
import { assertTry, giveBack } from '../../accounts/auth/attempts.ts';
import { authErrors } from '../../accounts/auth/errors.ts';

type Deps = { db: Db; config: Config; providerId: () => number };
type Credentials = { login: string; password: string };

const LIVES_SECONDS = 3600;
/** The one before stays good, so that the sportsbook can change over without a gap. */
const MOST_IN_FORCE = 2;

/** The tokens that the sportsbook calls us with. Only their hashes are stored. */
export function createSportsbookTokens({ db, config, providerId }: Deps) {
  return {
    /** Throws 401 AUTH_INVALID_CREDENTIALS, 429 RATE_LIMITED. */
    async logIn(given: Credentials, ip: string): Promise<{ token: string; expiresIn: number }> {
      const key = `sportsbook-login:${networkOf(ip)}`;
      const windowSeconds = config.SIGN_IN_WINDOW_MINUTES * 60;
      await assertTry(db, { key, tries: config.SIGN_IN_TRIES, windowSeconds });
      if (!isRight(given, config)) throw authErrors.AUTH_INVALID_CREDENTIALS();
      await giveBack(db, [key], 'all');
      return { token: await issue(db, providerId()), expiresIn: LIVES_SECONDS };
    },

    /** Throws 401 API_KEY_INVALID for what is no token in force. */
    async check(token: string | undefined): Promise<void> {
      if (token === undefined || token.length > 200) throw commonErrors.API_KEY_INVALID();
      const row = await db
        .selectFrom('sportsbook_tokens')
        .select('provider_id')
        .where('token_hash', '=', hashToken(token))
        .where('expires_at', '>', sql<Date>`now()`)
        .executeTakeFirst();
      if (!row) throw commonErrors.API_KEY_INVALID();
    },

    async purge(): Promise<void> {
      await db.deleteFrom('sportsbook_tokens').where('expires_at', '<', sql<Date>`now()`).execute();
    },
  };
}

/** Both are compared, whatever the first comparison says. */
function isRight({ login, password }: Credentials, config: Config): boolean {
  const isLogin = isSameSecret(login, config.SPORTSBOOK_LOGIN ?? '');
  const isPassword = isSameSecret(password, config.SPORTSBOOK_PASSWORD);
  return config.SPORTSBOOK_LOGIN !== undefined && isLogin && isPassword;
}

/** A new token; of more than two in force the older ones end. */
const issue = (db: Db, providerId: number): Promise<string> =>
  transaction(db, async (tx) => {
    await sql`select from game_providers where id = ${providerId} for no key update`.execute(tx);
    const token = randomBytes(32).toString('base64url');
    // By the clock, not by the beginning of the transaction: whoever got the lock later is newer.
    await sql`insert into sportsbook_tokens (token_hash, provider_id, created_at, expires_at) values (${hashToken(token)}, ${providerId},
      clock_timestamp(), clock_timestamp() + make_interval(secs => ${LIVES_SECONDS}))`.execute(tx);
    await sql`delete from sportsbook_tokens where token_hash in (
      select token_hash from sportsbook_tokens where provider_id = ${providerId} order by created_at desc offset ${MOST_IN_FORCE})`.execute(
      tx,
    );
    return token;
  });
