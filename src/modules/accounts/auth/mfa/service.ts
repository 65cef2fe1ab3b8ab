import type { z } from 'zod';
import type { Tx } from '../../../../platform/db.ts';
import type { AuthDeps } from '../deps.ts';
import type { KnownDevices } from '../known-devices.ts';
import type { Device } from '../sessions.ts';
import type { SignIns } from '../sign-in.ts';
import { type Caller, disable, enable, generate, reset } from './change.ts';
import type { Factor } from './factor.ts';
import { createStepUp, prove } from './prove.ts';
import type { VerifyMfa } from './schemas.ts';
import { verify } from './verify.ts';

export type Mfa = ReturnType<typeof createMfa>;
type Deps = AuthDeps & { factor: Factor; signIns: SignIns; devices: KnownDevices };

/** Proving second factors, and the one by TOTP (RFC 6238). */
export function createMfa(deps: Deps) {
  return {
    stepUp: createStepUp(deps),
    prove: (tx: Tx, prover: Parameters<typeof prove>[2]) => prove(deps, tx, prover),
    verify: (input: z.output<typeof VerifyMfa>, device: Device) => verify(deps, input, device),
    generate: (caller: Caller) => generate(deps, caller),
    enable: (caller: Caller, code: string) => enable(deps, caller, code),
    disable: (caller: Caller, code: string | undefined) => disable(deps, caller, code),
    reset: (caller: Caller, recoveryCode: string | undefined) => reset(deps, caller, recoveryCode),
  };
}
