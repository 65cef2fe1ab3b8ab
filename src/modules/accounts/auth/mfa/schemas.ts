import { z } from 'zod';
import { object, strictObject } from '../../../../http/schemas.ts';

/** Spaces and dashes are for the eye: `123 456`, `ABCD-EFGH-JKMN-PQRS`. */
const Code = z.string().min(1).max(64);

export const VerifyMfa = z.strictObject({
  token: z.string().min(1).max(128),
  mfaCode: Code,
  provider: z.string().max(64).optional(),
  state: z.string().max(512).optional(),
});

export const MfaSetup = object('MfaAuthGenerateResponse', {
  secret: z.string(),
  otpauthUrl: z.string(),
  qrDataUrl: z.string(),
});

export const EnableMfa = strictObject('MfaAuthVerifyRequestDto', { mfaCode: Code });

export const MfaEnabled = object('EnableUserMfaResponseDto', {
  success: z.boolean(),
  recoveryCodes: z.array(z.string()),
});

export const DisableMfa = z.strictObject({ mfaCode: Code.optional() });

export const ResetMfa = z.strictObject({ recoveryCode: Code.optional() });
