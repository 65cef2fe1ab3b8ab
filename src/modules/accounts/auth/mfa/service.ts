import type { SessionUser } from '../../../../http/access.ts';
import type { Config } from '../../../../platform/config.ts';
import { type Db, type DbOrTx, type Tx, transaction } from '../../../../platform/db.ts';
import { commonErrors } from '../../../../platform/errors.ts';
import type { Mail } from '../../../base/mail/service.ts';
import { announceUserChange, getUser, type UserRow } from '../../../base/users/service.ts';
import type { SignInCompletion } from '../complete-sign-in.ts';
import { authErrors } from '../errors.ts';
import type { KnownDevices } from '../known-devices.ts';
import { endTokens } from '../one-time.ts';
import { findOpening } from '../queries.ts';
import { revokeSessions } from '../sessions.ts';
import { mfaErrors } from './errors.ts';
import { createFactor } from './factor.ts';
import { createTell } from './notice.ts';
import { createProve, createProveByCode } from './prove.ts';
import {
  activate,
  deactivate,
  ensureFactor,
  type FactorRow,
  findFactor,
  findPending,
  hasFreshProof,
  lockFactor,
  setMfaEnabled,
  setPending,
  setProof,
  setResetNow,
} from './queries.ts';
import { readCode } from './rules.ts';
import { createStepUp } from './step-up.ts';
import { newKey, setupOf, stepOf } from './totp.ts';
import { createVerify } from './verify.ts';

export type Mfa = ReturnType<typeof createMfa>;
type Caller = Pick<SessionUser, 'id' | 'sessionId'>;
type Deps = {
  db: Db;
  counters: Db;
  config: Config;
  signInCompletion: SignInCompletion;
  devices: KnownDevices;
  mail: Pick<Mail, 'send'>;
};

const ENDINGS = { enabled: 'MFA_ENABLED', disabled: 'MFA_DISABLED', reset: 'MFA_RESET' } as const;

/** Second factors by TOTP (RFC 6238): a key is pending until a code of it has come back. */
export function createMfa({ db, counters, config, signInCompletion, devices, mail }: Deps) {
  const factor = createFactor({ counters, config });
  const RECOVERED = { withinSeconds: config.MFA_PROOF_SECONDS, method: 'RECOVERY' } as const;
  const tell = createTell(mail);
  const proveByCode = createProveByCode(factor);
  const prove = createProve({ proveByCode, config });

  const setup = ({ email, username, id }: UserRow, key: string) =>
    setupOf(key, { brand: config.BRAND_NAME, account: email ?? username ?? String(id) });

  /** What every change brings with it: whoever else is signed in, or halfway, has to begin anew. */
  const changed = async (tx: Tx, { id, sessionId }: Caller, change: 'enabled' | 'disabled' | 'reset') => {
    const isEnabled = change === 'enabled';
    await setMfaEnabled(tx, id, isEnabled);
    await setProof(tx, sessionId, isEnabled ? 'TOTP' : null);
    await endTokens(tx, id, ['MFA']);
    await revokeSessions(tx, id, ENDINGS[change], sessionId);
    await announceUserChange(tx, id);
    await tell(tx, await getUser(tx, id), change);
  };

  /** Throws 409 MFA_NOT_PENDING. */
  const getPending = async (at: DbOrTx, { sessionId }: Caller): Promise<Buffer> => {
    const key = await findPending(at, sessionId, config.MFA_PENDING_SECONDS);
    if (!key) throw mfaErrors.MFA_NOT_PENDING();
    return key;
  };
  const assertFresh = async ({ id, sessionId }: Caller): Promise<void> => {
    if ((await findFactor(db, id))?.active) throw mfaErrors.MFA_ALREADY_ENABLED();
    const opening = await findOpening(db, sessionId);
    if (!opening || opening.ageSeconds > config.MFA_PROOF_SECONDS) throw authErrors.SIGN_IN_AGAIN();
  };

  return {
    prove,
    tell,
    stepUp: createStepUp({ db, config, proveByCode }),
    verify: createVerify({ db, factor, signInCompletion, devices, tell }),

    /**
     * A key that waits for this session to confirm it: no other one sees or confirms it, and asking again makes another. Throws 409
     * MFA_ALREADY_ENABLED, 403 SIGN_IN_AGAIN for a session that was not just opened: whoever has stolen it must not read what its owner
     * is about to confirm, or shut them out.
     */
    async generate(caller: Caller) {
      await assertFresh(caller);
      const key = await newKey();
      const user = await transaction(db, async (tx) => {
        await ensureFactor(tx, caller.id);
        assertNotEnabled(await lockFactor(tx, caller.id));
        await setPending(tx, caller.sessionId, factor.seal(key));
        return getUser(tx, caller.id);
      });
      return setup(user, key);
    },

    /**
     * Turns the factor on with a code of the session's pending key. Answers ten recovery codes, which nobody sees again. Throws 409
     * MFA_NOT_PENDING, 409 MFA_ALREADY_ENABLED, 400 MFA_INVALID, 429 RATE_LIMITED.
     */
    async enable(caller: Caller, code: string) {
      assertNotEnabled(await findFactor(db, caller.id));
      await getPending(db, caller);
      const guess = { userId: caller.id, at: { sessionId: caller.sessionId }, code };
      await factor.countTry(guess);
      const recoveryCodes = await transaction(db, async (tx) => {
        const { now } = assertNotEnabled(await lockFactor(tx, caller.id));
        const key = await getPending(tx, caller);
        const typed = readCode(code);
        const step =
          typed?.kind === 'TOTP' && (await stepOf(factor.open(key), typed.code, { now, lastStep: 0n }));
        if (!step) throw commonErrors.MFA_INVALID();
        await activate(tx, caller.id, { key, step });
        await changed(tx, caller, 'enabled');
        return factor.renewRecoveryCodes(tx, caller.id);
      });
      await factor.returnTry(guess);
      return { success: true, recoveryCodes };
    },

    /**
     * Turns the factor off, for a session that has just proved it or does so with `code`. Throws 409 MFA_NOT_ENABLED, 403
     * MFA_REQUIRED, 400 MFA_INVALID, 429 RATE_LIMITED.
     */
    async disable(caller: Caller, code: string | undefined) {
      assertEnabled(await findFactor(db, caller.id));
      await transaction(db, async (tx) => {
        await prove(tx, { userId: caller.id, sessionId: caller.sessionId, code });
        assertEnabled(await lockFactor(tx, caller.id));
        await deactivate(tx, caller.id);
        await changed(tx, caller, 'disabled');
      });
      return { success: true };
    },

    /**
     * Replaces a lost factor by a pending one, for a recovery code or a session that was just opened with one. Until it is
     * confirmed there is none. Errors as `disable`.
     */
    async reset(caller: Caller, recoveryCode: string | undefined) {
      assertEnabled(await findFactor(db, caller.id));
      const guess = recoveryCode && {
        userId: caller.id,
        at: { sessionId: caller.sessionId },
        code: recoveryCode,
      };
      if (guess) await factor.countTry(guess);
      const key = await newKey();
      const user = await transaction(db, async (tx) => {
        assertEnabled(await lockFactor(tx, caller.id));
        if (guess) await factor.redeem(tx, guess, ['RECOVERY']);
        else if (!(await hasFreshProof(tx, caller.sessionId, RECOVERED))) throw commonErrors.MFA_REQUIRED();
        await deactivate(tx, caller.id);
        await setPending(tx, caller.sessionId, factor.seal(key));
        await setResetNow(tx, caller.id);
        await changed(tx, caller, 'reset');
        return getUser(tx, caller.id);
      });
      return setup(user, key);
    },
  };
}

function assertNotEnabled(row: FactorRow | undefined): Pick<FactorRow, 'now'> {
  if (row?.active) throw mfaErrors.MFA_ALREADY_ENABLED();
  if (!row) throw mfaErrors.MFA_NOT_PENDING();
  return row;
}

function assertEnabled(row: FactorRow | undefined): void {
  if (!row?.active) throw mfaErrors.MFA_NOT_ENABLED();
}
