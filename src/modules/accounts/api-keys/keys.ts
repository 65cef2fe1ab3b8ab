import { randomBytes, randomUUID } from 'node:crypto';
import type { Selectable } from 'kysely';
import { z } from 'zod';
import type { StaffCall } from '../../../http/access.ts';
import { operation } from '../../../http/operation.ts';
import { object, Timestamp } from '../../../http/schemas.ts';
import { iso } from '../../../platform/clock.ts';
import { type Db, type Tx, transaction } from '../../../platform/database/db.ts';
import type { ApiKeys as ApiKeysTable } from '../../../platform/database/tables.ts';
import { commonErrors, errors } from '../../../platform/errors.ts';
import { hashToken } from '../../../platform/secrets/encryption.ts';
import { assertMayManage } from '../../base/access/rules.ts';
import { freshActor } from '../../base/access/service.ts';
import { recordAudit } from '../../base/audit/service.ts';
import { UserId, userErrors } from '../../base/users/schemas.ts';
import { assertNoBot } from '../../base/users/service.ts';
import { revokeKey } from './service.ts';

const { API_KEY_NOT_FOUND } = errors({
  API_KEY_NOT_FOUND: [404, 'This user has no API key. Create one with POST /admin/api-keys.'],
});

/** `key` is the whole key only in the response to its creation. Later responses contain only its first characters. */
const ApiKey = object('ApiKey', {
  id: z.string(),
  key: z.string().meta({ example: 'ck_Xy4P…' }),
  userId: z.number().int(),
  createdAt: Timestamp,
  updatedAt: Timestamp,
});

type Deps = { db: Db };
type Row = Selectable<ApiKeysTable>;

const PREFIX = 'ck_';
/** `ck_` and four characters, which are enough to tell a user's keys apart but do not help anyone guess the rest of a key. */
const SHOWN_LENGTH = 7;

const tag = 'Admin Key';
const params = z.object({ userId: UserId });
const changing = { tag, access: { permission: 'apikey.write' }, gate: 'none', stepUp: true } as const;

export const createKey = operation({
  ...changing,
  method: 'POST',
  path: '/admin/api-keys',
  summary: "Create or replace a user's API key",
  description: 'Only this response contains the complete key, because only its hash is stored.',
  body: z.strictObject({ userId: UserId }),
  response: ApiKey,
  errors: [userErrors.USER_NOT_FOUND, userErrors.BOT_ACCOUNT, commonErrors.OWN_ACCOUNT],
  handler: ({ db }: Deps, { by, body: { userId } }) =>
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
});

export const getKey = operation({
  method: 'GET',
  path: '/admin/api-keys/{userId}',
  tag,
  access: { permission: 'apikey.read' },
  summary: "Get a user's masked API key",
  params,
  response: ApiKey,
  errors: [API_KEY_NOT_FOUND],
  handler: async ({ db }: Deps, { params: { userId } }) => {
    const row = await db
      .selectFrom('api_keys')
      .selectAll()
      .where('user_id', '=', userId)
      .where('revoked_at', 'is', null)
      .executeTakeFirst();
    if (!row) throw API_KEY_NOT_FOUND();
    return toApiKey(row);
  },
});

export const deleteKey = operation({
  ...changing,
  method: 'DELETE',
  path: '/admin/api-keys/{userId}',
  summary: "Revoke a user's API key",
  params,
  status: 204,
  errors: [API_KEY_NOT_FOUND, commonErrors.OWN_ACCOUNT],
  handler: ({ db }: Deps, { by, params: { userId } }) =>
    transaction(db, async (tx) => {
      await lockOwner(tx, by, userId, API_KEY_NOT_FOUND);
      const row = await revokeKey(tx, userId);
      if (!row) throw API_KEY_NOT_FOUND();
      await recordAudit(tx, by, { before: facts(row) });
    }),
});

/** Locks the owner, so that changes to a user's key run one at a time and only the latest key is valid. */
async function lockOwner(tx: Tx, by: StaffCall, userId: number, notFound = userErrors.USER_NOT_FOUND) {
  const owner = await tx
    .selectFrom('users')
    .select(['id', 'roles', 'is_bot'])
    .where('id', '=', userId)
    .forNoKeyUpdate()
    .executeTakeFirst();
  if (!owner) throw notFound();
  assertMayManage(await freshActor(tx, by), owner);
  return owner;
}

function toApiKey(row: Row): z.input<typeof ApiKey> {
  return {
    id: row.id,
    key: `${row.prefix}…`,
    userId: row.user_id,
    createdAt: iso(row.created_at),
    updatedAt: iso(row.updated_at),
  };
}

/** The fields of a key that are stored in the audit log. They never include the key itself. */
const facts = ({ id, user_id, prefix, created_at }: Row) => ({
  id,
  userId: user_id,
  startsWith: prefix,
  createdAt: created_at,
});
