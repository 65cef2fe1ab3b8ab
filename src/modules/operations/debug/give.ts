import { z } from 'zod';
import type { SessionUser, StaffCall } from '../../../http/access.ts';
import { operation } from '../../../http/operation.ts';
import { transaction } from '../../../platform/database/db.ts';
import { commonErrors } from '../../../platform/errors.ts';
import { parseUnits, roundDown, usdToCurrencyDown } from '../../../platform/money.ts';
import { SUPERADMIN } from '../../base/access/roles/rules.ts';
import { recordAudit } from '../../base/audit/service.ts';
import { UserDto } from '../../base/users/schemas.ts';
import { getUser, setRights } from '../../base/users/service.ts';
import { assertToken, creditPlayMoney, type DebugDeps, debugErrors, toTestUser } from './debug.ts';

export const giveMoney = operation({
  method: 'GET',
  path: '/debug/me/give-money',
  tag: 'Debug',
  access: 'auth',
  hasSideEffect: true,
  summary: 'Receive test money in USDT worth a US dollar amount',
  query: z.strictObject({ amount: z.number().positive().max(1_000_000) }),
  errors: [commonErrors.AMOUNT_OUT_OF_RANGE],
  handler: async ({ db, currencies }: DebugDeps, { user, query }) => {
    const { decimals } = currencies.get('USDT');
    // The shortest decimal form of the parsed number equals the number that the caller entered.
    const usd = parseUnits(String(query.amount), 8);
    if (usd === undefined) throw commonErrors.AMOUNT_OUT_OF_RANGE({ currencyId: 'USDT' });
    const amount = usdToCurrencyDown(roundDown(usd, decimals), currencies.rateOf('USDT').rate, decimals);
    await transaction(db, (tx) => creditPlayMoney(tx, user.id, [{ currencyId: 'USDT', amount }]));
  },
});

export const giveAdmin = operation({
  method: 'GET',
  path: '/debug/me/give-admin',
  tag: 'Debug',
  access: 'auth',
  hasSideEffect: true,
  summary: 'Become a superadmin',
  description: "Makes the caller's account a test account. The audit log records it.",
  query: z.strictObject({ debug_token: z.string().max(200) }),
  response: UserDto,
  errors: [debugErrors.DEBUG_TOKEN_WRONG],
  handler: ({ db, config }: DebugDeps, { user: caller, query, ip, requestId }) => {
    assertToken(config, query.debug_token);
    return transaction(db, async (tx) => {
      const { roles, permissions } = await getUser(tx, caller.id);
      await tx
        .updateTable('users')
        .set({ is_test: true, email_verified: true, password_is_temporary: false })
        .where('id', '=', caller.id)
        .execute();
      const user = await setRights(tx, caller.id, { roles: [SUPERADMIN], permissions: [] });
      const after = { roles: user.roles, permissions: user.permissions, isTest: true };
      await recordAudit(tx, callOf({ user: caller, ip, requestId }), {
        before: { roles, permissions },
        after,
      });
      return toTestUser(tx, user);
    });
  },
});

/**
 * Converts the call to a staff call, so that it can be audited. The HTTP layer audits only staff operations, but this operation is
 * available to all users.
 */
const callOf = (caller: { user: SessionUser; ip: string; requestId: string }): StaffCall => ({
  ...caller,
  service: 'api',
  method: 'GET',
  path: '/debug/me/give-admin',
  permission: 'debug',
  body: undefined,
  status: 200,
  isRecorded: false,
});
