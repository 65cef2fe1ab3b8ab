import { z } from 'zod';
import { object, strictObject } from '../../../../http/schemas.ts';
import { Password } from '../../../base/users/schemas.ts';
import { PasswordGuess } from '../schemas.ts';

export const ResultResponse = object('ResultResponse', { result: z.boolean() });

/** Of a link in a mail. */
const LinkToken = z.string().min(1).max(128);

export const VerifyEmailQuery = z.strictObject({ token: LinkToken });

export const ChangePassword = strictObject('ChangePasswordRequest', {
  currentPassword: PasswordGuess.meta({ description: 'Empty for a user who has none yet' }),
  newPassword: Password,
  mfaCode: z.string().min(1).max(64).optional(),
});

export const ForgotPassword = strictObject('ForgotPasswordRequestDto', { email: z.string().min(1).max(254) });

export const ResetPassword = strictObject('ResetPasswordRequestDto', {
  token: LinkToken,
  newPassword: Password,
});
