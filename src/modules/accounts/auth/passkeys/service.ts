import type { z } from 'zod';
import type { AuthDeps } from '../deps.ts';
import type { KnownDevices } from '../known-devices.ts';
import type { Caller } from '../mfa/change.ts';
import type { Factor } from '../mfa/factor.ts';
import type { Device } from '../sessions.ts';
import type { SignIns } from '../sign-in.ts';
import * as manage from './manage.ts';
import { proofOptions, proveSession } from './prove.ts';
import type {
  AssertionResponse,
  NewPasskey,
  PasskeySignIn,
  SecondFactor,
  SecondFactorOptions,
} from './schemas.ts';
import { completeWithPasskey, secondFactorOptions, signIn, signInOptions } from './sign-in.ts';

export type Passkeys = ReturnType<typeof createPasskeys>;
type Deps = AuthDeps & { factor: Factor; signIns: SignIns; devices: KnownDevices };

/** Passkeys (WebAuthn): second factors, and sign-ins by themselves. */
export const createPasskeys = (deps: Deps) => ({
  list: (caller: Caller) => manage.list(deps, caller),
  registrationOptions: (caller: Caller) => manage.registrationOptions(deps, caller),
  register: (caller: Caller, input: z.output<typeof NewPasskey>) => manage.register(deps, caller, input),
  rename: (caller: Caller, id: string, name: string) => manage.rename(deps, caller, id, name),
  remove: (caller: Caller, which: { id: string; code: string | undefined }) =>
    manage.remove(deps, caller, which),

  proofOptions: ({ id, sessionId }: Caller) => proofOptions(deps, { userId: id, holder: { sessionId } }),
  prove: (caller: Caller, response: AssertionResponse) => proveSession(deps, caller, response),

  signInOptions: () => signInOptions(deps),
  signIn: (input: z.output<typeof PasskeySignIn>, device: Device) => signIn(deps, input, device),
  secondFactorOptions: (input: z.output<typeof SecondFactorOptions>) => secondFactorOptions(deps, input),
  completeSignIn: (input: z.output<typeof SecondFactor>, device: Device) =>
    completeWithPasskey(deps, input, device),
});
