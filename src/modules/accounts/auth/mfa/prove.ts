import type { Config } from '../../../../platform/config.ts';
import { type DbOrTx, type Tx, transaction } from '../../../../platform/db.ts';
import { commonErrors } from '../../../../platform/errors.ts';
import { announceUserChange } from '../../../base/users/service.ts';
import type { AuthDeps } from '../deps.ts';
import { type Factor, tryOf } from './factor.ts';
import { findFactor, findProof, hasFreshProof, isOn, setProof } from './queries.ts';

/** Who proves the second factor: the session, and the code that came with the request. */
type Prover = { userId: number; sessionId: string; code?: string | undefined };
type Caller = { id: number; sessionId: string };
type Deps = AuthDeps & { factor: Factor };

/**
 * The second factor before something that a stolen session must not do. Passes when the user has none, when `code` is right, or
 * without a code when this session has proved it within MFA_PROOF_SECONDS. Throws 403 MFA_REQUIRED, 400 MFA_INVALID, 429
 * RATE_LIMITED. A code counts as used only if `tx` commits; a wrong one is counted in any case.
 */
export async function prove({ config, factor }: Deps, tx: Tx, prover: Prover): Promise<void> {
  const { userId, sessionId, code } = prover;
  if (!isOn(await findFactor(tx, userId))) return;
  if (code !== undefined) await proveByCode(factor, tx, { ...prover, code });
  else if (!(await hasFreshProof(tx, sessionId, { withinSeconds: config.MFA_PROOF_SECONDS })))
    throw commonErrors.MFA_REQUIRED();
}

/**
 * The second factor of staff before something dangerous, wherever staff needs one at all: proven in this session within
 * STEP_UP_SECONDS, or now with the code of the header x-mfa-code. A code that is sent is always verified. Throws 403 MFA_REQUIRED,
 * 400 MFA_INVALID, 429 RATE_LIMITED.
 */
export const createStepUp = ({ db, config, factor }: Deps) => ({
  /** Before a call is read: a right code proves the session, even if the call fails afterwards. */
  async before(caller: Caller, code: string | undefined): Promise<void> {
    if (!config.STAFF_MFA_REQUIRED) return;
    if (code === undefined) return assertFresh(config, db, caller);
    const { id: userId, sessionId } = caller;
    await transaction(db, (tx) => proveByCode(factor, tx, { userId, sessionId, code }));
  },

  /** Inside the transaction that it protects, where only that shows whether it is needed: a right code counts if `tx` commits. */
  async within(
    tx: Tx,
    { user, mfaCode: code }: { user: Caller; mfaCode?: string | undefined },
  ): Promise<void> {
    if (!config.STAFF_MFA_REQUIRED) return;
    if (code === undefined) return assertFresh(config, tx, user);
    await proveByCode(factor, tx, { userId: user.id, sessionId: user.sessionId, code });
  },
});

async function assertFresh(config: Config, db: DbOrTx, { sessionId }: Caller): Promise<void> {
  if (await hasFreshProof(db, sessionId, { withinSeconds: config.STEP_UP_SECONDS })) return;
  throw commonErrors.MFA_REQUIRED({ header: 'x-mfa-code' });
}

/** Proves the second factor of a session with a code of the app or of a passkey. Throws 400 MFA_INVALID, 429 RATE_LIMITED. */
async function proveByCode(
  factor: Factor,
  tx: Tx,
  { userId, sessionId, code }: Prover & { code: string },
): Promise<void> {
  const guess = { userId, at: { sessionId }, code };
  await factor.countTry(tryOf(guess));
  await noteProof(tx, { id: userId, sessionId }, await factor.redeem(tx, guess, ['TOTP', 'PASSKEY']));
}

/** Records that this session has just proved the second factor. */
export async function noteProof(
  tx: Tx,
  { id, sessionId }: Caller,
  method: 'TOTP' | 'PASSKEY',
): Promise<void> {
  const { ageSeconds } = await findProof(tx, sessionId);
  await setProof(tx, sessionId, method);
  // The first proof of a session changes what every process has cached of it.
  if (ageSeconds === null) await announceUserChange(tx, id);
}
