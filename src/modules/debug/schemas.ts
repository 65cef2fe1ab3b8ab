import { z } from 'zod';
import { Amount, CurrencyId } from '../../http/schemas.ts';
import { Email, Password, Username } from '../users/schemas.ts';

const Names = z.array(z.string().min(1).max(64)).max(100);

/** All optional: what is missing is generated. */
export const CreateTestUser = z
  .strictObject({
    username: Username.optional(),
    email: Email.optional(),
    password: Password.optional(),
    country: z
      .string()
      .regex(/^[A-Z]{2}$/)
      .optional(),
    vipLevel: z.number().int().min(0).max(1000).optional(),
    kycLevel: z.number().int().min(0).max(10).optional(),
    emailVerified: z.boolean().optional(),
    roles: Names.optional(),
    permissions: Names.optional(),
    balances: z
      .array(z.strictObject({ currencyId: CurrencyId, amount: Amount }))
      .max(50)
      .optional(),
  })
  .meta({ id: 'CreateTestUserRequestDto' });

export const GiveAdminQuery = z.strictObject({ debug_token: z.string().max(200) });
export const GiveMoneyQuery = z.strictObject({ amount: z.number().positive().max(1_000_000) });
export const LoginPath = z.object({ username: Username });
