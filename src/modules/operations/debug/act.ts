import { z } from 'zod';
import { operation } from '../../../http/operation.ts';
import { Amount, CurrencyId } from '../../../http/schemas.ts';
import { type Tx, transaction } from '../../../platform/database/db.ts';
import { commonErrors } from '../../../platform/errors.ts';
import { revokeSessions } from '../../accounts/auth/sessions/end.ts';
import { setCash, targetOf } from '../../backoffice/user-admin/balance.ts';
import { baseEvents } from '../../base/events/schemas.ts';
import { emitEvent } from '../../base/events/service.ts';
import { lockPlayers } from '../../base/players/service.ts';
import { UserDto, userErrors } from '../../base/users/schemas.ts';
import { announceUserChange, assertNoBot, getUser, type UserRow } from '../../base/users/service.ts';
import { setKycLevel } from '../../compliance/kyc/level.ts';
import { TIERS } from '../../compliance/kyc/rules.ts';
import { clearExclusions } from '../../compliance/limits/exclusions.ts';
import { clearLimits } from '../../compliance/limits/limits.ts';
import { completeWagering } from '../../money/payments/rollover/service.ts';
import type { DebugDeps } from './debug.ts';
import { toTestUser } from './debug.ts';

/** The required `params` of each action. Actions that are not listed have no params. */
const PARAMS = {
  SET_BALANCE: ['currencyId', 'amount'],
  SET_VIP_LEVEL: ['level'],
  SET_KYC_LEVEL: ['level'],
  SET_COUNTRY: ['country'],
} as const;
const MAX_LEVELS: Readonly<Record<string, number>> = { SET_VIP_LEVEL: 1000, SET_KYC_LEVEL: TIERS.length };

const ExecuteTestUserAction = z
  .strictObject({
    userId: z.number().int().min(1).max(2_147_483_647),
    action: z.enum([
      'VERIFY_EMAIL',
      'SET_BALANCE',
      'SET_VIP_LEVEL',
      'SET_KYC_LEVEL',
      'SET_COUNTRY',
      'COMPLETE_WAGERING',
      'CLEAR_EXCLUSION',
      'CLEAR_LIMITS',
      'CLOSE_SESSIONS',
    ]),
    params: z
      .strictObject({
        currencyId: CurrencyId.optional(),
        amount: Amount.optional(),
        level: z.number().int().min(0).max(1000).optional(),
        country: z
          .string()
          .regex(/^[A-Z]{2}$/)
          .optional(),
      })
      .optional(),
  })
  .superRefine(({ action, params = {} }, context) => {
    const required: readonly string[] = Object.hasOwn(PARAMS, action)
      ? PARAMS[action as keyof typeof PARAMS]
      : [];
    const problem = (name: string, message: string) =>
      context.addIssue({ code: 'custom', path: ['params', name], message });
    for (const name of required) if (!Object.hasOwn(params, name)) problem(name, `is required for ${action}`);
    for (const name of Object.keys(params))
      if (!required.includes(name)) problem(name, `is not allowed for ${action}`);
    const max = MAX_LEVELS[action] ?? 0;
    if (required.includes('level') && (params.level ?? 0) > max) problem('level', `must be at most ${max}`);
  })
  .meta({ id: 'ExecuteTestUserActionRequestDto' });
type TestUserAction = z.output<typeof ExecuteTestUserAction>;

export const executeTestUserAction = operation({
  method: 'POST',
  path: '/debug/user/action',
  tag: 'Debug',
  access: 'anonymous',
  gate: 'none',
  summary: 'Change the state of a test user',
  description:
    '`params` depends on the action: SET_BALANCE { currencyId, amount }, SET_VIP_LEVEL { level }, SET_KYC_LEVEL { level }, ' +
    'SET_COUNTRY { country }. Other actions have no parameters.',
  body: ExecuteTestUserAction,
  response: z.object({ success: z.boolean(), user: UserDto }),
  errors: [
    userErrors.USER_NOT_FOUND,
    userErrors.BOT_ACCOUNT,
    commonErrors.CURRENCY_NOT_FOUND,
    commonErrors.AMOUNT_OUT_OF_RANGE,
  ],
  handler: (deps: DebugDeps, { body: { userId, action, params = {} } }) =>
    transaction(deps.db, async (tx) => {
      await lockPlayers(tx, [userId]);
      assertNoBot(await getUser(tx, userId));
      await ACTIONS[action](tx, deps, { userId, ...params });
      await announceUserChange(tx, userId);
      return { success: true, user: await toTestUser(tx, await getUser(tx, userId)) };
    }),
});

type Target = { userId: number } & NonNullable<TestUserAction['params']>;
type Action = (tx: Tx, deps: DebugDeps, target: Target) => Promise<unknown>;

const ACTIONS: Record<TestUserAction['action'], Action> = {
  VERIFY_EMAIL: (tx, _, { userId }) => update(tx, userId, { email_verified: true }),
  SET_BALANCE: (tx, { currencies }, { userId, currencyId, amount }) => {
    const cash = targetOf(currencies, { currencyId: currencyId!, balance: amount! });
    return setCash(tx, { userId, currencyId: currencyId!, cash });
  },
  SET_VIP_LEVEL: (tx, _, { userId, level }) => setVipLevel(tx, userId, level!),
  SET_KYC_LEVEL: (tx, { affiliates }, { userId, level }) =>
    setKycLevel(tx, affiliates, { userId, level: level! }),
  SET_COUNTRY: (tx, _, { userId, country }) => update(tx, userId, { country_code: country! }),
  COMPLETE_WAGERING: (tx, _, { userId }) => completeWagering(tx, userId),
  CLEAR_EXCLUSION: (tx, _, { userId }) => clearExclusions(tx, userId),
  CLEAR_LIMITS: (tx, _, { userId }) => clearLimits(tx, userId),
  CLOSE_SESSIONS: (tx, _, { userId }) => revokeSessions(tx, userId, 'CLOSED_FOR_TEST'),
};

const update = (tx: Tx, userId: number, values: Partial<UserRow>) =>
  tx.updateTable('users').set(values).where('id', '=', userId).execute();

async function setVipLevel(tx: Tx, userId: number, level: number): Promise<void> {
  const { vip_level: previousLevel } = await getUser(tx, userId);
  if (level === previousLevel) return;
  await update(tx, userId, { vip_level: level });
  await emitEvent(tx, { event: baseEvents['vip.level'], userId, data: { level, previousLevel } });
}
