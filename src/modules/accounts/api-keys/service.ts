import type { Selectable } from 'kysely';
import type { ApiClient } from '../../../http/access.ts';
import type { Db, Tx } from '../../../platform/database/db.ts';
import type { ApiKeys as ApiKeysTable } from '../../../platform/database/tables.ts';
import { commonErrors } from '../../../platform/errors.ts';
import { hashToken } from '../../../platform/secrets/encryption.ts';

/** API keys that partners' programs use to call the API on behalf of a user. Each user has at most one key, and only its hash is stored. */
export const createApiKeys = (db: Db) => ({
  authenticate: (key: string | undefined) => authenticate(db, key),
});

/**
 * Returns the user to whom a key belongs. Throws 401 API_KEY_INVALID for an unknown or revoked key, and for keys of banned users and bots.
 */
async function authenticate(db: Db, key: string | undefined): Promise<ApiClient> {
  if (key === undefined || key.length > 200) throw commonErrors.API_KEY_INVALID();
  const row = await db
    .selectFrom('api_keys')
    .innerJoin('users', 'users.id', 'api_keys.user_id')
    .select(['api_keys.id as keyId', 'api_keys.user_id as userId'])
    .where('api_keys.hash', '=', hashToken(key))
    .where('api_keys.revoked_at', 'is', null)
    .where('users.banned_at', 'is', null)
    .where('users.is_bot', '=', false)
    .executeTakeFirst();
  if (!row) throw commonErrors.API_KEY_INVALID();
  return row;
}

/** Revokes a user's active key. Returns the key, or undefined if there is none. */
export async function revokeKey(tx: Tx, userId: number): Promise<Selectable<ApiKeysTable> | undefined> {
  const now = new Date();
  return tx
    .updateTable('api_keys')
    .set({ revoked_at: now, updated_at: now })
    .where('user_id', '=', userId)
    .where('revoked_at', 'is', null)
    .returningAll()
    .executeTakeFirst();
}
