import { sql } from 'kysely';
import { z } from 'zod';
import { operation } from '../../../http/operation.ts';
import { type Tx, transaction } from '../../../platform/database/db.ts';
import { commonErrors } from '../../../platform/errors.ts';
import { lockManaged } from '../../base/access/service.ts';
import { recordAudit } from '../../base/audit/service.ts';
import { lockPlayers, setBanned } from '../../base/players/service.ts';
import { UserId, userErrors } from '../../base/users/schemas.ts';
import { announceUserChange } from '../../base/users/service.ts';
import { balancesOf } from '../../money/ledger/balances.ts';
import { botActivityErrors, notifyProcesses } from './queries.ts';
import type { BotActivityDeps } from './service.ts';

export const toggleBot = operation({
  method: 'PATCH',
  path: '/admin/bot-activity/bot-toggle',
  tag: 'BotActivity',
  access: { permission: 'bot.write' },
  gate: 'none',
  summary: 'Turn an account into a bot or back into a player',
  description:
    'Only accounts that have never been used can become bots. If BOT_ACCOUNT_IN_USE is returned, `details.use` says how the ' +
    'account has been used: RIGHTS, SIGN_IN, API_KEY, DEPOSIT, BET, PROMO, AFFILIATE or MONEY. No one can sign in with a bot ' +
    'account, and it receives no money, permissions or API keys. POST /admin/user/admin-user without permissions creates an ' +
    'unused account.',
  body: z.strictObject({ isBot: z.boolean(), userId: UserId }),
  errors: [userErrors.USER_NOT_FOUND, commonErrors.OWN_ACCOUNT, botActivityErrors.BOT_ACCOUNT_IN_USE],
  handler: async ({ db, botActivity }: BotActivityDeps, { by, body: { userId, isBot } }) => {
    await transaction(db, async (tx) => {
      await lockPlayers(tx, [userId]);
      const { user } = await lockManaged(tx, by, { id: userId });
      if (user.is_bot === isBot) return;
      const use = isBot ? await findUse(tx, userId) : undefined;
      if (use !== undefined) throw botActivityErrors.BOT_ACCOUNT_IN_USE({ use });
      const now = sql<Date>`now()`;
      await tx
        .updateTable('users')
        .set({ is_bot: isBot, updated_at: now })
        .where('id', '=', userId)
        .execute();
      // The checks before payments and bets treat a bot like a banned account.
      await setBanned(tx, userId, isBot || user.banned_at !== null);
      if (!isBot)
        await tx
          .updateTable('bot_activities')
          .set({ is_active: false, updated_at: now })
          .where('user_id', '=', userId)
          .execute();
      await announceUserChange(tx, userId);
      await notifyProcesses(tx);
      await recordAudit(tx, by, { before: { userId, isBot: user.is_bot }, after: { userId, isBot } });
    });
    if (botActivity.isOn) await botActivity.reload();
  },
});

/** Returns how an account is being used or was used, or undefined if it was never used. The player and the user must be locked. */
async function findUse(tx: Tx, userId: number): Promise<string | undefined> {
  const uses = (table: string) => sql`exists (select from ${sql.table(table)} where user_id = ${userId})`;
  const { rows } = await sql<{ use: string }>`
    select use from (values
      (1, 'RIGHTS', exists (select from users where id = ${userId} and roles || permissions <> '{}')),
      (2, 'SIGN_IN', exists (select from users where id = ${userId} and last_login_at is not null) or ${uses('sessions')}
        or ${uses('identities')}),
      (3, 'API_KEY', exists (select from api_keys where user_id = ${userId} and revoked_at is null)),
      (4, 'DEPOSIT', ${uses('deposits')} or ${uses('deposit_addresses')} or ${uses('skin_deposits')}),
      (5, 'BET', ${uses('bets')} or ${uses('user_stats')}),
      (6, 'PROMO', ${uses('promo_grants')}),
      (7, 'AFFILIATE', ${uses('affiliates')} or ${uses('referrals')})
    ) uses(n, use, is_so) where is_so order by n limit 1`.execute(tx);
  return rows[0]?.use ?? ((await balancesOf(tx, userId)).length > 0 ? 'MONEY' : undefined);
}
