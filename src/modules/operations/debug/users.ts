import { randomBytes } from 'node:crypto';
import type { z } from 'zod';
import type { SessionUser, StaffCall } from '../../../http/access.ts';
import type { Config } from '../../../platform/config.ts';
import { type Db, type Tx, transaction } from '../../../platform/db.ts';
import { isSameSecret } from '../../../platform/encryption.ts';
import { AppError, commonErrors } from '../../../platform/errors.ts';
import type { Passwords } from '../../accounts/auth/passwords.ts';
import type { Device, Sessions, SessionTokens } from '../../accounts/auth/sessions.ts';
import type { SignUps } from '../../accounts/auth/sign-up.ts';
import { SUPERADMIN } from '../../base/access/rules.ts';
import { recordAudit } from '../../base/audit/service.ts';
import { findUserByUsername, getUser, isShut, setRights } from '../../base/users/service.ts';
import { setKycLevel } from '../../compliance/kyc/level.ts';
import type { Affiliates } from '../../engagement/affiliates/service.ts';
import type { Currencies } from '../../money/currencies/service.ts';
import { showTestUser } from './action.ts';
import { debugErrors } from './errors.ts';
import { creditPlayMoney, readPlayMoney } from './money.ts';
import type { CreateTestUser } from './schemas.ts';

export type TestUserDeps = {
  db: Db;
  config: Config;
  signUps: SignUps;
  sessions: Sessions;
  passwords: Passwords;
  currencies: Currencies;
  affiliates: Pick<Affiliates, 'onApproved'>;
};
type Caller = { user: SessionUser; ip: string; requestId: string };

/** Users for tests, with any rights for callers who know DEBUG_TOKEN. Throws 403 DEBUG_TOKEN_WRONG. */
export const createTestUsers = (deps: TestUserDeps) => ({
  giveAdmin: (caller: Caller, token: string) => giveAdmin(deps, caller, token),
  createUser: (input: z.output<typeof CreateTestUser>, token?: string) => createUser(deps, input, token),
  login: (username: string, device: Device, token?: string) => login(deps, username, device, token),
});

function assertToken({ DEBUG_TOKEN }: Config, token = ''): void {
  if (!DEBUG_TOKEN || !isSameSecret(token, DEBUG_TOKEN)) throw debugErrors.DEBUG_TOKEN_WRONG();
}

/** The account of a user who becomes SuperAdmin this way is a test account from then on. The audit records it. */
function giveAdmin({ db, config }: TestUserDeps, caller: Caller, token: string) {
  assertToken(config, token);
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

const emailOf = (username: string) => `${username.toLowerCase()}@test.example`;

async function createUser(
  { db, config, signUps, passwords, currencies, affiliates }: TestUserDeps,
  input: z.output<typeof CreateTestUser>,
  token?: string,
) {
  const {
    username = `test_${randomBytes(6).toString('hex')}`,
    roles = [],
    permissions = [],
    balances = [],
    ...rest
  } = input;
  const { email = emailOf(username), password = randomBytes(12).toString('base64url') } = input;
  const hasRights = roles.length + permissions.length > 0;
  if (hasRights) assertToken(config, token);
  const money = readPlayMoney(currencies, balances);
  const passwordHash = await passwords.hash(password);
  return transaction(db, async (tx) => {
    const user = await signUps.register(
      tx,
      { ...rest, username, email, passwordHash, isTest: true, ...(hasRights && { emailVerified: true }) },
      { type: 'DEBUG' },
    );
    await creditPlayMoney(tx, user.id, money);
    if (input.kycLevel) await setKycLevel(tx, affiliates, { userId: user.id, level: input.kycLevel });
    return showTestUser(hasRights ? await setRights(tx, user.id, { roles, permissions }) : user);
  });
}

/** Signs a user in by name alone, staff with DEBUG_TOKEN; an unknown name becomes a test user without a password. */
function login(
  { db, config, signUps, sessions }: TestUserDeps,
  username: string,
  device: Device,
  token?: string,
): Promise<SessionTokens> {
  const open = async (tx: Tx) => {
    const user =
      (await findUserByUsername(tx, username)) ??
      (await signUps.register(
        tx,
        { username, email: emailOf(username), passwordHash: null, isTest: true },
        { type: 'DEBUG', device },
      ));
    if (isShut(user)) throw commonErrors.UNAUTHORIZED();
    if (user.is_staff) assertToken(config, token);
    return sessions.open(tx, user.id, device, { provider: 'debug' });
  };
  // Another call may register the same name at this moment: the second try finds it.
  return transaction(db, open).catch((error: unknown) => {
    if (error instanceof AppError && error.code === 'AUTH_USER_EXISTS') return transaction(db, open);
    throw error;
  });
}
