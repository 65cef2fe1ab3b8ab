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
import { apiKeyErrors } from './errors.ts';
import type { ApiKey } from './schemas.ts';

export type ApiKeys = ReturnType<typeof createApiKeys>;

type Row = Selectable<ApiKeysTable>;
type Shown = z.input<typeof ApiKey>;

const PREFIX = 'ck_';
/** `ck_` and four characters: enough to tell keys apart, far too little to guess the rest. */
const SHOWN_LENGTH = 7;

/** Keys with which programs of partners call in the name of a user, one each. Only their hash is kept. */
export function createApiKeys({ db }: { db: Db }) {
  return {
    /**
     * A new key, shown here and never again; the former one ends with it. Throws 404 USER_NOT_FOUND, 403 OWN_ACCOUNT, and
     * 403 FORBIDDEN for a superadmin's unless a superadmin calls.
     */
    create(by: StaffCall, userId: number): Promise<Shown> {
      const key = PREFIX + randomBytes(32).toString('base64url');
      return transaction(db, async (tx) => {
        await lockTarget(tx, by, userId);
        const former = await revokeKey(tx, userId);
        const row = await tx
          .insertInto('api_keys')
          .values({
            id: randomUUID(),
            user_id: userId,
            prefix: key.slice(0, SHOWN_LENGTH),
            hash: hashToken(key),
          })
          .returningAll()
          .executeTakeFirstOrThrow();
        await recordAudit(tx, by, { ...(former ? { before: facts(former) } : {}), after: facts(row) });
        return { ...toApiKey(row), key };
      });
    },

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

    /** Ends the key in force at once. Throws 404 API_KEY_NOT_FOUND, 403 OWN_ACCOUNT, 403 FORBIDDEN. */
    async revoke(by: StaffCall, userId: number): Promise<void> {
      await transaction(db, async (tx) => {
        await lockTarget(tx, by, userId, apiKeyErrors.API_KEY_NOT_FOUND);
        const row = await revokeKey(tx, userId);
        if (!row) throw apiKeyErrors.API_KEY_NOT_FOUND();
        await recordAudit(tx, by, { before: facts(row) });
      });
    },

    /** Whose key this is. Throws 401 API_KEY_INVALID for a key that is unknown, revoked or a banned user's. */
    async authenticate(key: string | undefined): Promise<ApiClient> {
      if (key === undefined || key.length > 200) throw commonErrors.API_KEY_INVALID();
      const row = await db
        .selectFrom('api_keys')
        .innerJoin('users', 'users.id', 'api_keys.user_id')
        .select(['api_keys.id', 'api_keys.user_id'])
        .where('api_keys.hash', '=', hashToken(key))
        .where('api_keys.revoked_at', 'is', null)
        .where('users.banned_at', 'is', null)
        .executeTakeFirst();
      if (!row) throw commonErrors.API_KEY_INVALID();
      return { userId: row.user_id, keyId: row.id };
    },
  };
}

/** Changes of one user's keys follow each other: two new keys at once leave the later one. */
async function lockTarget(tx: Tx, by: StaffCall, userId: number, absent = userErrors.USER_NOT_FOUND) {
  const target = await tx
    .selectFrom('users')
    .select(['id', 'roles'])
    .where('id', '=', userId)
    .forNoKeyUpdate()
    .executeTakeFirst();
  if (!target) throw absent();
  assertMayManage(await freshActor(tx, by), target);
}

/** Revokes a user's active key and answers it, if there is one. */
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

/** What the audit says of a key: which one, never what it is. */
const facts = ({ id, user_id, prefix, created_at }: Row) => ({
  id,
  userId: user_id,
  startsWith: prefix,
  createdAt: created_at,
});
