import { z } from 'zod';
import { Password } from '../../../base/users/schemas.ts';
import { PasswordGuess } from '../schemas.ts';

export const ResultResponse = z.object({ result: z.boolean() }).meta({ id: 'ResultResponse' });

/** Of a link in a mail. */
const LinkToken = z.string().min(1).max(128);

export const VerifyEmailQuery = z.strictObject({ token: LinkToken });

export const ChangePassword = z
  .strictObject({
    currentPassword: PasswordGuess.meta({ description: 'Empty for a user who has none yet' }),
    newPassword: Password,
    mfaCode: z.string().min(1).max(64).optional(),
  })
  .meta({ id: 'ChangePasswordRequest' });

export const ForgotPassword = z
  .strictObject({ email: z.string().min(1).max(254) })
  .meta({ id: 'ForgotPasswordRequestDto' });

export const ResetPassword = z
  .strictObject({ token: LinkToken, newPassword: Password })
  .meta({ id: 'ResetPasswordRequestDto' });
