import { randomBytes, randomUUID } from 'node:crypto';
import type { Selectable } from 'kysely';
import type { z } from 'zod';
import type { ApiClient, StaffCall } from '../../../http/access.ts';
import { iso } from '../../../platform/clock.ts';
import type { ApiKeys as ApiKeysTable } from '../../../platform/database.ts';
import { type Db, type Tx, transaction } from '../../../platform/db.ts';
import { hashToken } from '../../../platform/encryption.ts';
import { commonErrors } from '../../../platform/errors.ts';
import { assertMayManage } from '../../base/access/rules.ts';
import { freshActor } from '../../base/access/service.ts';
import { recordAudit } from '../../base/audit/service.ts';
import { userErrors } from '../../base/users/errors.ts';
import { assertNoBot } from '../../base/users/service.ts';
import { apiKeyErrors } from './errors.ts';
import type { ApiKey } from './schemas.ts';

export type ApiKeys = ReturnType<typeof createApiKeys>;

type Row = Selectable<ApiKeysTable>;
type Shown = z.input<typeof ApiKey>;

const PREFIX = 'ck_';
/** `ck_` and four characters: enough to tell keys apart, far too little to guess the rest. */
const SHOWN_LENGTH = 7;

/** Keys with which partners' programs call on behalf of a user, one each. Only their hash is stored. */
export const createApiKeys = (db: Db) => ({
  /**
   * A new key, shown here and never again; it replaces the former one. Throws 404 USER_NOT_FOUND, 409 BOT_ACCOUNT, 403 OWN_ACCOUNT, and
   * 403 FORBIDDEN for a superadmin's unless a superadmin calls.
   */
  create: (by: StaffCall, userId: number): Promise<Shown> =>
    transaction(db, async (tx) => {
      assertNoBot(await lockOwner(tx, by, userId));
      const former = await revokeKey(tx, userId);
      const key = PREFIX + randomBytes(32).toString('base64url');
      const prefix = key.slice(0, SHOWN_LENGTH);
      const row = await tx
        .insertInto('api_keys')
        .values({ id: randomUUID(), user_id: userId, prefix, hash: hashToken(key) })
        .returningAll()
        .executeTakeFirstOrThrow();
      await recordAudit(tx, by, { ...(former ? { before: facts(former) } : {}), after: facts(row) });
      return { ...toApiKey(row), key };
    }),

  /** The key in force, masked. Throws 404 API_KEY_NOT_FOUND. */
  async get(userId: number): Promise<Shown> {
    const row = await db
      .selectFrom('api_keys')
      .selectAll()
      .where('user_id', '=', userId)
      .where('revoked_at', 'is', null)
      .executeTakeFirst();
    if (!row) throw apiKeyErrors.API_KEY_NOT_FOUND();
    return toApiKey(row);
  },

  /** Revokes the key in force. Throws 404 API_KEY_NOT_FOUND, 403 OWN_ACCOUNT, 403 FORBIDDEN. */
  revoke: (by: StaffCall, userId: number): Promise<void> =>
    transaction(db, async (tx) => {
      await lockOwner(tx, by, userId, apiKeyErrors.API_KEY_NOT_FOUND);
      const row = await revokeKey(tx, userId);
      if (!row) throw apiKeyErrors.API_KEY_NOT_FOUND();
      await recordAudit(tx, by, { before: facts(row) });
    }),

  authenticate: (key: string | undefined) => authenticate(db, key),
});

/** The user with this key. Throws 401 API_KEY_INVALID for a key that is unknown, revoked, or of a banned user or a bot. */
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

/** Locks the owner, so that changes of one user's keys follow each other and only the latest key is in force. */
async function lockOwner(tx: Tx, by: StaffCall, userId: number, absent = userErrors.USER_NOT_FOUND) {
  const owner = await tx
    .selectFrom('users')
    .select(['id', 'roles', 'is_bot'])
    .where('id', '=', userId)
    .forNoKeyUpdate()
    .executeTakeFirst();
  if (!owner) throw absent();
  assertMayManage(await freshActor(tx, by), owner);
  return owner;
}

/** Revokes a user's active key and returns it, if there is one. */
export async function revokeKey(tx: Tx, userId: number): Promise<Row | undefined> {
  const now = new Date();
  return tx
    .updateTable('api_keys')
    .set({ revoked_at: now, updated_at: now })
    .where('user_id', '=', userId)
    .where('revoked_at', 'is', null)
    .returningAll()
    .executeTakeFirst();
}

function toApiKey(row: Row): Shown {
  return {
    id: row.id,
    key: `${row.prefix}…`,
    userId: row.user_id,
    createdAt: iso(row.created_at),
    updatedAt: iso(row.updated_at),
  };
}

/** What the audit stores of a key: which one it is, never the key itself. */
const facts = ({ id, user_id, prefix, created_at }: Row) => ({
  id,
  userId: user_id,
  startsWith: prefix,
  createdAt: created_at,
});
