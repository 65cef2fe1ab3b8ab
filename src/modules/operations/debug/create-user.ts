import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import { operation } from '../../../http/operation.ts';
import { Amount, CurrencyId, strictObject } from '../../../http/schemas.ts';
import { transaction } from '../../../platform/database/db.ts';
import { commonErrors } from '../../../platform/errors.ts';
import { Email, Password, UserDto, Username, userErrors } from '../../base/users/schemas.ts';
import { setRights } from '../../base/users/service.ts';
import { setKycLevel } from '../../compliance/kyc/level.ts';
import { TIERS } from '../../compliance/kyc/rules.ts';
import type { DebugDeps } from './debug.ts';
import {
  assertToken,
  creditPlayMoney,
  debugErrors,
  readPlayMoney,
  TokenHeaders,
  testEmailOf,
  toTestUser,
} from './debug.ts';

const Names = z.array(z.string().min(1).max(64)).max(100);

const CreateTestUser = strictObject('CreateTestUserRequestDto', {
  username: Username.optional(),
  email: Email.optional(),
  password: Password.optional(),
  country: z
    .string()
    .regex(/^[A-Z]{2}$/)
    .optional(),
  vipLevel: z.number().int().min(0).max(1000).optional(),
  kycLevel: z.number().int().min(0).max(TIERS.length).optional(),
  emailVerified: z.boolean().optional(),
  roles: Names.optional(),
  permissions: Names.optional(),
  balances: z
    .array(z.strictObject({ currencyId: CurrencyId, amount: Amount }))
    .max(50)
    .optional(),
});

export const createTestUser = operation({
  method: 'POST',
  path: '/debug/user/create',
  tag: 'Debug',
  access: 'anonymous',
  gate: 'none',
  summary: 'Create a test user',
  description:
    'Omitted fields are generated. To set roles or permissions, send the DEBUG_TOKEN of the environment in the header x-debug-token.',
  body: CreateTestUser,
  headers: TokenHeaders,
  response: UserDto,
  errors: [
    debugErrors.DEBUG_TOKEN_WRONG,
    userErrors.AUTH_USER_EXISTS,
    userErrors.USERNAME_RESERVED,
    commonErrors.CURRENCY_NOT_FOUND,
    commonErrors.AMOUNT_OUT_OF_RANGE,
  ],
  handler: async (deps: DebugDeps, { body, headers }) => {
    const { db, config, signUps, passwords, currencies, affiliates } = deps;
    const {
      username = `test_${randomBytes(6).toString('hex')}`,
      roles = [],
      permissions = [],
      balances = [],
      ...rest
    } = body;
    const { email = testEmailOf(username), password = randomBytes(12).toString('base64url') } = body;
    const hasRights = roles.length + permissions.length > 0;
    if (hasRights) assertToken(config, headers['x-debug-token']);
    const money = readPlayMoney(currencies, balances);
    const passwordHash = await passwords.hash(password);
    return transaction(db, async (tx) => {
      const user = await signUps.register(
        tx,
        { ...rest, username, email, passwordHash, isTest: true, ...(hasRights && { emailVerified: true }) },
        { type: 'DEBUG' },
      );
      await creditPlayMoney(tx, user.id, money);
      if (body.kycLevel) await setKycLevel(tx, affiliates, { userId: user.id, level: body.kycLevel });
      return toTestUser(tx, hasRights ? await setRights(tx, user.id, { roles, permissions }) : user);
    });
  },
});
