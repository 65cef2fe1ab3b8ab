import type { Config } from '../../../../platform/config.ts';
import type { Db } from '../../../../platform/db.ts';
import type { Mail } from '../../../base/mail/service.ts';
import type { SignInCompletion } from '../complete-sign-in.ts';
import type { KnownDevices } from '../known-devices.ts';
import { type Caller, disable, enable, generate, reset } from './change.ts';
import { createFactor } from './factor.ts';
import { createNotifyOwner } from './notice.ts';
import { createProve, createProveByCode } from './prove.ts';
import { createStepUp } from './step-up.ts';
import { createVerify } from './verify.ts';

export type Mfa = ReturnType<typeof createMfa>;
type Deps = {
  db: Db;
  counters: Db;
  config: Config;
  signInCompletion: SignInCompletion;
  devices: KnownDevices;
  mail: Pick<Mail, 'send'>;
};

/** Second factors by TOTP (RFC 6238). */
export function createMfa({ db, counters, config, signInCompletion, devices, mail }: Deps) {
  const factor = createFactor({ counters, config });
  const notifyOwner = createNotifyOwner(mail);
  const proveByCode = createProveByCode(factor);
  const prove = createProve({ proveByCode, config });
  const deps = { db, config, factor, notifyOwner, prove };
  return {
    prove,
    notifyOwner,
    stepUp: createStepUp({ db, config, proveByCode }),
    verify: createVerify({ db, factor, signInCompletion, devices, notifyOwner }),
    generate: (caller: Caller) => generate(deps, caller),
    enable: (caller: Caller, code: string) => enable(deps, caller, code),
    disable: (caller: Caller, code: string | undefined) => disable(deps, caller, code),
    reset: (caller: Caller, recoveryCode: string | undefined) => reset(deps, caller, recoveryCode),
  };
}
