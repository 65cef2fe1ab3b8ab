import type { SessionUser } from '../../../http/access.ts';
import type { Config } from '../../../platform/config.ts';
import { type Db, type Tx, transaction } from '../../../platform/db.ts';
import { commonErrors } from '../../../platform/errors.ts';
import type { Mail } from '../../mail/service.ts';
import { announceUserChange, getUser, type UserRow } from '../../users/service.ts';
import { authErrors } from '../errors.ts';
import type { Finish } from '../finish.ts';
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
type Needs = { db: Db; counters: Db; config: Config; finish: Finish; mail: Pick<Mail, 'send'> };

const ENDINGS = { enabled: 'MFA_ENABLED', disabled: 'MFA_DISABLED', reset: 'MFA_RESET' } as const;

/** Asking again within this time shows the same key: a page that is loaded twice spoils nothing. */
const SAME_KEY_SECONDS = 600;
/** Time to bring a key into an app and its code back. */
const PENDING_SECONDS = 1800;

/** Second factors by TOTP (RFC 6238): a key is pending until a code of it has come back. */
export function createMfa({ db, counters, config, finish, mail }: Needs) {
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

  return {
    prove,
    tell,
    stepUp: createStepUp({ db, config, proveByCode }),
    verify: createVerify({ db, factor, finish, tell }),

    /** A key that waits to be confirmed. Throws 409 MFA_ALREADY_ENABLED. */
    async generate({ id }: Pick<Caller, 'id'>) {
      const { user, key } = await transaction(db, async (tx) => {
        const user = await getUser(tx, id);
        await ensureFactor(tx, id);
        const { active, pending, pendingAge } = (await lockFactor(tx, id))!;
        if (active) throw mfaErrors.MFA_ALREADY_ENABLED();
        if (pending && pendingAge! < SAME_KEY_SECONDS) return { user, key: factor.open(pending) };
        const key = newKey();
        await setPending(tx, id, factor.seal(key));
        return { user, key };
      });
      return setup(user, key);
    },

    /**
     * Turns the factor on with a code of the pending key. Answers ten recovery codes, which nobody sees again. Throws 409
     * MFA_NOT_PENDING, 409 MFA_ALREADY_ENABLED, 403 SIGN_IN_AGAIN for a session that was not just opened (a stolen one would shut
     * its owner out), 400 MFA_INVALID, 429 RATE_LIMITED.
     */
    async enable(caller: Caller, code: string) {
      pendingOf(await findFactor(db, caller.id));
      const opening = await findOpening(db, caller.sessionId);
      if (!opening || opening.ageSeconds > config.MFA_PROOF_SECONDS) throw authErrors.SIGN_IN_AGAIN();
      await factor.countTry(caller.id);
      const recoveryCodes = await transaction(db, async (tx) => {
        const { pending, now } = pendingOf(await lockFactor(tx, caller.id));
        const typed = readCode(code);
        const step =
          typed?.kind === 'TOTP' && (await stepOf(factor.open(pending), typed.code, { now, lastStep: 0n }));
        if (!step) throw commonErrors.MFA_INVALID();
        await activate(tx, caller.id, step);
        await changed(tx, caller, 'enabled');
        return factor.renewRecoveryCodes(tx, caller.id);
      });
      await factor.returnTry(caller.id);
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
      if (recoveryCode !== undefined) await factor.countTry(caller.id);
      const key = newKey();
      const user = await transaction(db, async (tx) => {
        assertEnabled(await lockFactor(tx, caller.id));
        if (recoveryCode !== undefined) await factor.redeem(tx, caller.id, recoveryCode, ['RECOVERY']);
        else if (!(await hasFreshProof(tx, caller.sessionId, RECOVERED))) throw commonErrors.MFA_REQUIRED();
        await deactivate(tx, caller.id);
        await setPending(tx, caller.id, factor.seal(key));
        await setResetNow(tx, caller.id);
        await changed(tx, caller, 'reset');
        return getUser(tx, caller.id);
      });
      return setup(user, key);
    },
  };
}

function pendingOf(row: FactorRow | undefined): { pending: Buffer; now: number } {
  if (row?.active) throw mfaErrors.MFA_ALREADY_ENABLED();
  if (!row?.pending || row.pendingAge! > PENDING_SECONDS) throw mfaErrors.MFA_NOT_PENDING();
  return { pending: row.pending, now: row.now };
}

function assertEnabled(row: FactorRow | undefined): void {
  if (!row?.active) throw mfaErrors.MFA_NOT_ENABLED();
}
