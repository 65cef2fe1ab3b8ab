import { z } from 'zod';
import { Amount, CurrencyId, strictObject } from '../../../http/schemas.ts';
import { Email, Password, UserDto, Username } from '../../base/users/schemas.ts';
import { TIERS } from '../../compliance/kyc/rules.ts';

const Country = z.string().regex(/^[A-Z]{2}$/);
const Names = z.array(z.string().min(1).max(64)).max(100);

/** All optional: what is missing is generated. */
export const CreateTestUser = strictObject('CreateTestUserRequestDto', {
  username: Username.optional(),
  email: Email.optional(),
  password: Password.optional(),
  country: Country.optional(),
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

export const GiveAdminQuery = z.strictObject({ debug_token: z.string().max(200) });
export const GiveMoneyQuery = z.strictObject({ amount: z.number().positive().max(1_000_000) });
export const DepositUserPath = z.object({ userId: z.number().int().min(1).max(2_147_483_647) });
export const LoginPath = z.object({ username: Username });

/** What each action takes in `params`; the others take none. */
const PARAMS = {
  SET_BALANCE: ['currencyId', 'amount'],
  SET_VIP_LEVEL: ['level'],
  SET_KYC_LEVEL: ['level'],
  SET_COUNTRY: ['country'],
} as const;
const HIGHEST: Readonly<Record<string, number>> = { SET_VIP_LEVEL: 1000, SET_KYC_LEVEL: TIERS.length };

export const ExecuteTestUserAction = z
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
        country: Country.optional(),
      })
      .optional(),
  })
  .superRefine(({ action, params = {} }, context) => {
    const wanted: readonly string[] = Object.hasOwn(PARAMS, action)
      ? PARAMS[action as keyof typeof PARAMS]
      : [];
    const problem = (name: string, message: string) =>
      context.addIssue({ code: 'custom', path: ['params', name], message });
    for (const name of wanted) if (!Object.hasOwn(params, name)) problem(name, `is needed for ${action}`);
    for (const name of Object.keys(params)) if (!wanted.includes(name)) problem(name, `is not for ${action}`);
    const highest = HIGHEST[action] ?? 0;
    if (wanted.includes('level') && (params.level ?? 0) > highest) problem('level', `is ${highest} at most`);
  })
  .meta({ id: 'ExecuteTestUserActionRequestDto' });
export type TestUserAction = z.output<typeof ExecuteTestUserAction>;

export const TestUserActionResult = z.object({ success: z.boolean(), user: UserDto });

/** Needed to sign in as staff and to make staff: the DEBUG_TOKEN of the environment. */
export const TokenHeaders = z.object({ 'x-debug-token': z.string().max(200).optional() });

/** An event of any name to a room, to the sockets of a user, or without either to everybody. */
export const EventMessage = strictObject('EventMessage', {
  event: z
    .string()
    .max(100)
    .regex(/^[A-Za-z0-9_.:-]+$/),
  data: z.record(z.string(), z.unknown()).optional(),
  room: z
    .string()
    .regex(/^(public|admin|game:speed-roulette|user:[1-9]\d{0,9})$/)
    .optional(),
  userId: z.number().int().min(1).max(2_147_483_647).optional(),
});

export const GatewayReceipt = z.object({
  /** Sockets that were sent the event. */
  delivered: z.number().int(),
  acknowledged: z.number().int(),
});
