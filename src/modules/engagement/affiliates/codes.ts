import type { z } from 'zod';
import type { StaffCall } from '../../../http/access.ts';
import { type Db, type DbOrTx, type Tx, transaction } from '../../../platform/db.ts';
import { invalidField } from '../../../platform/errors.ts';
import { assertMayManage } from '../../base/access/rules.ts';
import { freshActor } from '../../base/access/service.ts';
import { recordAudit } from '../../base/audit/service.ts';
import { notify } from '../../base/notifications/notify.ts';
import { lockPlayers } from '../../base/players/service.ts';
import type { SiteConfig } from '../../base/site-config/service.ts';
import { assertNoBot, getUser } from '../../base/users/service.ts';
import { affiliateErrors } from './errors.ts';
import { keyOf } from './rules.ts';
import type { AffiliateCode } from './schemas.ts';

type Shown = z.input<typeof AffiliateCode>;
type CodeDeps = { db: Db; siteConfig: SiteConfig };
type NewCode = { id: string; userId: number };

/** Codes by which affiliates send people here. */
export const createCodes = (deps: CodeDeps) => ({
  /** Those of a user that are in force, oldest first. */
  of: async (userId: number): Promise<Shown[]> => (await codesOf(deps.db, [userId])).get(userId) ?? [],

  /** Throws 409 AFFILIATES_DISABLED, AFFILIATE_CODES_FULL, AFFILIATE_CODE_TAKEN, 400 VALIDATION_FAILED for a code of another length. */
  create: (userId: number, { id }: { id: string }): Promise<Shown> =>
    transaction(deps.db, (tx) => create(tx, deps, { id, userId })),

  /** The same by staff for a player. Throws 404 USER_NOT_FOUND, 409 BOT_ACCOUNT, 403 OWN_ACCOUNT, and as `create` and freshActor do. */
  give: (by: StaffCall, input: NewCode): Promise<Shown> =>
    transaction(deps.db, async (tx) => {
      await lockPlayers(tx, [by.user.id, input.userId]);
      const user = await getUser(tx, input.userId);
      assertMayManage(await freshActor(tx, by), user);
      assertNoBot(user);
      const code = await create(tx, deps, input);
      await recordAudit(tx, by, { after: { code: code.id, userId: input.userId } });
      return code;
    }),

  /**
   * Ends a code for good; whoever came with it stays a referral. Throws 404 AFFILIATE_CODE_NOT_FOUND, 403 OWN_ACCOUNT, and as
   * freshActor does.
   */
  delete: (by: StaffCall, { id }: { id: string }): Promise<void> =>
    transaction(deps.db, async (tx) => {
      const row = await lockCode(tx, id);
      const actor = await freshActor(tx, by);
      if (!row) throw affiliateErrors.AFFILIATE_CODE_NOT_FOUND({ id });
      assertMayManage(actor, await getUser(tx, row.user_id));
      await tx
        .updateTable('affiliate_codes')
        .set({ deleted_at: new Date() })
        .where('key', '=', row.key)
        .execute();
      await notify(tx, row.user_id, 'affiliate.code-deleted', { code: row.code });
      const { code, user_id: userId, users_count: usersCount } = row;
      await recordAudit(tx, by, { before: { code, userId, usersCount } });
    }),
});

async function create(tx: Tx, { siteConfig }: CodeDeps, { id, userId }: NewCode): Promise<Shown> {
  const { isEnabled, codeMinLength, codeMaxLength, maxCodesPerUser: most } = siteConfig.get('AFFILIATES');
  if (!isEnabled) throw affiliateErrors.AFFILIATES_DISABLED();
  if (id.length < codeMinLength || id.length > codeMaxLength)
    throw invalidField('id', `needs ${codeMinLength} to ${codeMaxLength} characters`);
  // Under the player's lock two codes at once are counted one after the other.
  await lockPlayers(tx, [userId]);
  const own = (await codesOf(tx, [userId])).get(userId) ?? [];
  if (own.length >= most) throw affiliateErrors.AFFILIATE_CODES_FULL({ most });
  await tx
    .insertInto('affiliates')
    .values({ user_id: userId })
    .onConflict((oc) => oc.doNothing())
    .execute();
  // A deleted code keeps its row: it is taken too.
  const row = await tx
    .insertInto('affiliate_codes')
    .values({ key: keyOf(id)!, code: id, user_id: userId })
    .onConflict((oc) => oc.doNothing())
    .returningAll()
    .executeTakeFirst();
  if (!row) throw affiliateErrors.AFFILIATE_CODE_TAKEN({ id });
  return { id: row.code, usersCount: row.users_count };
}

/** Codes in force of many users, oldest first. */
export async function codesOf(db: DbOrTx, userIds: readonly number[]): Promise<Map<number, Shown[]>> {
  if (userIds.length === 0) return new Map();
  const rows = await db
    .selectFrom('affiliate_codes')
    .select(['user_id', 'code', 'users_count'])
    .where('user_id', 'in', userIds)
    .where('deleted_at', 'is', null)
    .orderBy('user_id')
    .orderBy('created_at')
    .orderBy('key')
    .execute();
  return rows.reduce((all, { user_id, code, users_count }) => {
    const shown = { id: code, usersCount: users_count };
    return all.set(user_id, [...(all.get(user_id) ?? []), shown]);
  }, new Map<number, Shown[]>());
}

/** A code in force, locked: whoever signs up with it or deletes it meanwhile waits. */
export async function lockCode(tx: Tx, code: string) {
  const key = keyOf(code);
  if (key === undefined) return undefined;
  return tx
    .selectFrom('affiliate_codes')
    .selectAll()
    .where('key', '=', key)
    .where('deleted_at', 'is', null)
    .forUpdate()
    .executeTakeFirst();
}

/** Whose code it is or was; undefined: nobody's. */
export async function findOwner(db: DbOrTx, code: string): Promise<number | undefined> {
  const row = await db
    .selectFrom('affiliate_codes')
    .select('user_id')
    .where('key', '=', keyOf(code) ?? '')
    .executeTakeFirst();
  return row?.user_id;
}
