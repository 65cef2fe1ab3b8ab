import { z } from 'zod';
import { object, strictObject, Timestamp } from '../../../../http/schemas.ts';
import { Email } from '../../../base/users/schemas.ts';
import { PasswordGuess } from '../schemas.ts';

export const ChangeEmail = strictObject('ChangeEmailRequest', {
  email: Email,
  currentPassword: PasswordGuess.meta({ description: 'Empty for a user who has none.' }),
  mfaCode: z.string().min(1).max(64).optional(),
});

export const EmailChange = object('EmailChange', {
  email: z.string().meta({ description: 'The new address, masked.' }),
  waitsFor: z
    .array(z.enum(['OLD', 'NEW']))
    .meta({ description: 'Whose confirmation is missing: of the present address, of the new one.' }),
  createdAt: Timestamp,
  expiresAt: Timestamp,
});

export const EmailChangeState = object('EmailChangeState', { change: EmailChange.nullable() });

export const ConfirmEmail = strictObject('ConfirmEmailRequest', { token: z.string().min(1).max(128) });

export const EmailConfirmed = object('EmailConfirmed', {
  result: z.boolean().meta({ description: 'False: the link is unknown, expired, cancelled or replaced.' }),
  isChanged: z.boolean().meta({ description: 'Whether the account has the new address now.' }),
});
