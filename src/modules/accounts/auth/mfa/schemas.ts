import { z } from 'zod';

/** Spaces and dashes are for the eye: `123 456`, `ABCD-EFGH-JKMN-PQRS`. */
const Code = z.string().min(1).max(64);

export const VerifyMfa = z.strictObject({
  token: z.string().min(1).max(128),
  mfaCode: Code,
  provider: z.string().max(64).optional(),
  state: z.string().max(512).optional(),
});

export const MfaSetup = z
  .object({ secret: z.string(), otpauthUrl: z.string(), qrDataUrl: z.string() })
  .meta({ id: 'MfaAuthGenerateResponse' });

export const EnableMfa = z.strictObject({ mfaCode: Code }).meta({ id: 'MfaAuthVerifyRequestDto' });

export const MfaEnabled = z
  .object({ success: z.boolean(), recoveryCodes: z.array(z.string()) })
  .meta({ id: 'EnableUserMfaResponseDto' });

export const DisableMfa = z.strictObject({ mfaCode: Code.optional() });

export const ResetMfa = z.strictObject({ recoveryCode: Code.optional() });
