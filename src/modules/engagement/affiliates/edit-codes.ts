import { z } from 'zod';
import { operation } from '../../../http/operation.ts';
import { transaction } from '../../../platform/database/db.ts';
import { commonErrors } from '../../../platform/errors.ts';
import { assertMayDecide } from '../../base/access/connected.ts';
import { accessErrors } from '../../base/access/errors.ts';
import { freshActor } from '../../base/access/service.ts';
import { recordAudit } from '../../base/audit/service.ts';
import { notify } from '../../base/notifications/notify.ts';
import { lockPlayers } from '../../base/players/service.ts';
import { UserId, userErrors } from '../../base/users/schemas.ts';
import { assertNoBot, getUser } from '../../base/users/service.ts';
import type { AffiliateDeps } from './accounts.ts';
import { affiliateMessages } from './messages.ts';
import { AffiliateCode, affiliateErrors, CodeId } from './schemas.ts';
import { codesOf, insertCode, lockCode } from './view.ts';

export const listOwnCodes = operation({
  method: 'GET',
  path: '/affiliate/code',
  tag: 'Affiliate',
  access: 'auth',
  summary: 'List your affiliate codes',
  description: 'Oldest first.',
  response: z.array(AffiliateCode),
  handler: async ({ db }: AffiliateDeps, { user }) => (await codesOf(db, [user.id])).get(user.id) ?? [],
});

export const createCode = operation({
  method: 'POST',
  path: '/affiliate/code',
  tag: 'Affiliate',
  access: 'auth',
  gate: 'none',
  summary: 'Create an affiliate code',
  description:
    'A code may contain letters, digits, `-` and `_`. GET /config/AFFILIATES returns the permitted length and number of codes. ' +
    'Codes are not case-sensitive. A deleted code cannot be used again.',
  body: z.strictObject({ id: CodeId }),
  response: AffiliateCode,
  errors: [
    affiliateErrors.AFFILIATES_DISABLED,
    affiliateErrors.AFFILIATE_CODES_FULL,
    affiliateErrors.AFFILIATE_CODE_TAKEN,
  ],
  handler: (deps: AffiliateDeps, { user, body }) =>
    transaction(deps.db, (tx) => insertCode(tx, deps, { id: body.id, userId: user.id })),
});

const writing = {
  path: '/admin/affiliate/code',
  tag: 'Admin Affiliate',
  access: { permission: 'affiliate.pay' },
  gate: 'none',
  stepUp: true,
  createsValue: 'reattributes',
} as const;

export const giveCode = operation({
  ...writing,
  method: 'POST',
  summary: 'Create an affiliate code for a player',
  body: z.strictObject({ id: CodeId, userId: UserId }),
  response: AffiliateCode,
  errors: [
    userErrors.USER_NOT_FOUND,
    userErrors.BOT_ACCOUNT,
    commonErrors.OWN_ACCOUNT,
    accessErrors.ACCOUNT_CONNECTED,
    affiliateErrors.AFFILIATES_DISABLED,
    affiliateErrors.AFFILIATE_CODES_FULL,
    affiliateErrors.AFFILIATE_CODE_TAKEN,
  ],
  handler: (deps: AffiliateDeps, { by, body }) =>
    transaction(deps.db, async (tx) => {
      const { userId } = body;
      await lockPlayers(tx, [by.user.id, userId]);
      const user = await getUser(tx, userId);
      await assertMayDecide(tx, await freshActor(tx, by), user);
      assertNoBot(user);
      const code = await insertCode(tx, deps, body);
      await recordAudit(tx, by, { after: { code: code.id, userId } });
      return code;
    }),
});

export const deleteCode = operation({
  ...writing,
  method: 'DELETE',
  summary: 'Delete an affiliate code permanently',
  description: 'Players who signed up with the code remain referrals.',
  body: z.strictObject({ id: CodeId.meta({ example: 'last-summer' }) }),
  errors: [
    affiliateErrors.AFFILIATE_CODE_NOT_FOUND,
    commonErrors.OWN_ACCOUNT,
    accessErrors.ACCOUNT_CONNECTED,
  ],
  handler: ({ db }: AffiliateDeps, { by, body: { id } }) =>
    transaction(db, async (tx) => {
      const row = await lockCode(tx, id);
      const actor = await freshActor(tx, by);
      if (!row) throw affiliateErrors.AFFILIATE_CODE_NOT_FOUND({ id });
      await assertMayDecide(tx, actor, await getUser(tx, row.user_id));
      await tx
        .updateTable('affiliate_codes')
        .set({ deleted_at: new Date() })
        .where('key', '=', row.key)
        .execute();
      await notify(tx, row.user_id, affiliateMessages['affiliate.code-deleted'], { code: row.code });
      const { code, user_id: userId, users_count: usersCount } = row;
      await recordAudit(tx, by, { before: { code, userId, usersCount } });
    }),
});
