import { randomBytes, randomUUID } from 'node:crypto';
import type { z } from 'zod';
import type { SessionUser, StaffCall } from '../../../http/access.ts';
import type { Broker } from '../../../platform/broker/broker.ts';
import type { Config } from '../../../platform/config.ts';
import { type Db, type Tx, transaction } from '../../../platform/db.ts';
import { isSameSecret } from '../../../platform/encryption.ts';
import { AppError, commonErrors } from '../../../platform/errors.ts';
import { parseUnits, roundDown, type Units, usdToCurrencyDown } from '../../../platform/money.ts';
import type { Passwords } from '../../accounts/auth/passwords.ts';
import type { Device, Sessions, SessionTokens } from '../../accounts/auth/sessions.ts';
import type { SignUps } from '../../accounts/auth/sign-up.ts';
import { SUPERADMIN } from '../../base/access/rules.ts';
import { recordAudit } from '../../base/audit/service.ts';
import type { Notifications } from '../../base/notifications/service.ts';
import { findUserByUsername, getUser, setRights } from '../../base/users/service.ts';
import { setKycLevel } from '../../compliance/kyc/level.ts';
import type { Currencies } from '../../money/currencies/service.ts';
import { post } from '../../money/ledger/post.ts';
import type { Deposits } from '../../money/payments/deposits/service.ts';
import { createAction, showTestUser } from './action.ts';
import { createDebugDeposits } from './deposits.ts';
import { debugErrors } from './errors.ts';
import { createDebugGateway } from './gateway.ts';
import type { CreateTestUser } from './schemas.ts';

export type Debug = ReturnType<typeof createDebug>;

type Deps = {
  db: Db;
  config: Config;
  signUps: SignUps;
  sessions: Sessions;
  passwords: Passwords;
  currencies: Currencies;
  deposits: Deposits;
  notifications: Notifications;
  broker: Broker;
};
type Caller = { user: SessionUser; ip: string; requestId: string };
type TestUser = z.output<typeof CreateTestUser>;

/** Short cuts for development and tests. Never built into a service outside `local` and `test`. */
export function createDebug(needs: Deps) {
  const { db, config, signUps, sessions, passwords, currencies, deposits, notifications, broker } = needs;
  const credits = (balances: NonNullable<TestUser['balances']>) =>
    balances.map(({ currencyId, amount }) => {
      const parsed = parseUnits(amount, currencies.get(currencyId).decimals);
      if (parsed === undefined) throw commonErrors.AMOUNT_OUT_OF_RANGE({ currencyId });
      return { currencyId, amount: parsed };
    });
  const assertToken = (token = '') => {
    if (!config.DEBUG_TOKEN || !isSameSecret(token, config.DEBUG_TOKEN))
      throw debugErrors.DEBUG_TOKEN_WRONG();
  };
  return {
    act: createAction({ db, currencies }),
    ...createDebugDeposits({ db, deposits }),
    sendNotification: notifications.send,
    gateway: createDebugGateway({ broker }),

    /** Whoever becomes SuperAdmin like this is a test account from then on. The audit keeps it. */
    giveAdmin(caller: Caller, token: string) {
      assertToken(token);
      const { id } = caller.user;
      return transaction(db, async (tx) => {
        const { roles, permissions } = await getUser(tx, id);
        await tx
          .updateTable('users')
          .set({ is_test: true, email_verified: true, password_is_temporary: false })
          .where('id', '=', id)
          .execute();
        const user = await setRights(tx, id, { roles: [SUPERADMIN], permissions: [] });
        const after = { roles: user.roles, permissions: user.permissions, isTest: true };
        await recordAudit(tx, callOf(caller), { before: { roles, permissions }, after });
        return showTestUser(user);
      });
    },

    /** Play money: dollars, credited in USDT. */
    async giveMoney(userId: number, dollars: number): Promise<void> {
      const { decimals } = currencies.get('USDT');
      // The query is a number by contract; its shortest decimal form is what was typed.
      const usd = parseUnits(String(dollars), 8);
      if (usd === undefined) throw commonErrors.AMOUNT_OUT_OF_RANGE({ currencyId: 'USDT' });
      const amount = usdToCurrencyDown(roundDown(usd, decimals), currencies.rateOf('USDT').rate, decimals);
      await transaction(db, (tx) => credit(tx, userId, [{ currencyId: 'USDT', amount }]));
    },

    /** With roles or permissions only for who knows DEBUG_TOKEN. */
    async createUser(input: TestUser, token?: string) {
      const {
        username = `test_${randomBytes(6).toString('hex')}`,
        roles = [],
        permissions = [],
        balances = [],
        ...rest
      } = input;
      const {
        email = `${username.toLowerCase()}@test.example`,
        password = randomBytes(12).toString('base64url'),
      } = input;
      const hasRights = roles.length + permissions.length > 0;
      if (hasRights) assertToken(token);
      const money = credits(balances);
      const passwordHash = await passwords.hash(password);
      return transaction(db, async (tx) => {
        const user = await signUps.register(
          tx,
          { ...rest, username, email, passwordHash, isTest: true, ...(hasRights && { emailVerified: true }) },
          { type: 'DEBUG' },
        );
        await credit(tx, user.id, money);
        if (input.kycLevel) await setKycLevel(tx, user.id, input.kycLevel);
        return showTestUser(hasRights ? await setRights(tx, user.id, { roles, permissions }) : user);
      });
    },

    /** Signs a user in by name alone, staff with DEBUG_TOKEN; a name nobody has becomes a test user without a password. */
    login(username: string, device: Device, token?: string): Promise<SessionTokens> {
      const email = `${username.toLowerCase()}@test.example`;
      const open = async (tx: Tx) => {
        const user =
          (await findUserByUsername(tx, username)) ??
          (await signUps.register(
            tx,
            { username, email, passwordHash: null, isTest: true },
            { type: 'DEBUG', device },
          ));
        if (user.banned_at) throw commonErrors.UNAUTHORIZED();
        if (user.is_staff) assertToken(token);
        return sessions.open(tx, user.id, device, { provider: 'debug' });
      };
      // Whoever is second to register a name at the same moment finds it registered.
      return transaction(db, open).catch((error: unknown) => {
        if (error instanceof AppError && error.code === 'AUTH_USER_EXISTS') return transaction(db, open);
        throw error;
      });
    },
  };
}

/** What the audit records of users who make themselves SuperAdmin: this is no staff route, so the HTTP kit records nothing. */
const callOf = ({ user, ip, requestId }: Caller): StaffCall => ({
  user,
  ip,
  requestId,
  service: 'api',
  method: 'GET',
  path: '/debug/me/give-admin',
  permission: 'debug',
  body: undefined,
  status: 200,
  isRecorded: false,
});

async function credit(
  tx: Tx,
  userId: number,
  money: readonly { currencyId: string; amount: Units }[],
): Promise<void> {
  const postings = money
    .filter((m) => m.amount > 0n)
    .map((m) => ({ userId, kind: 'debug.credit', debit: 'promo', credit: 'cash', ...m }) as const);
  if (postings.length > 0) await post(tx, [{ key: `debug:${randomUUID()}`, kind: 'debug.credit', postings }]);
}
