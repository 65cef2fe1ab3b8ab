import type { Config } from '../../../../platform/config/config.ts';
import { type Db, type DbOrTx, type Tx, transaction } from '../../../../platform/database/db.ts';
import { commonErrors } from '../../../../platform/errors.ts';
import { announceUserChange } from '../../../base/users/service.ts';
import type { SessionEnds } from '../sessions/end.ts';
import { type Factor, tryOf } from './factor.ts';
import { type Caller, findFactor, findProof, hasFreshProof, isOn, setProof } from './queries.ts';

/** The user and session that prove the second factor, and the code sent with the request. */
type Prover = { userId: number; sessionId: string; code?: string | undefined };
type Deps = { db: Db; config: Config; factor: Factor; sessions: { ends: SessionEnds } };
type Parts = Pick<Deps, 'factor' | 'sessions'>;

export type Mfa = ReturnType<typeof createMfa>;

/** The second-factor functions that other modules use. */
export const createMfa = (deps: Deps) => ({
  stepUp: createStepUp(deps),
  prove: (tx: Tx, prover: Prover) => prove(deps, tx, prover),
});

/**
 * Requires the second factor before an action that must be denied to the thief of a session. Passes if the user has no second factor, if
 * `code` is correct, or without a code if this session has proven the factor within MFA_PROOF_SECONDS. Throws 403 MFA_REQUIRED, 400
 * MFA_INVALID and 429 RATE_LIMITED. A correct code is consumed only if `tx` commits; a wrong one always counts as an attempt.
 */
export async function prove(
  { config, ...parts }: Parts & Pick<Deps, 'config'>,
  tx: Tx,
  prover: Prover,
): Promise<void> {
  const { userId, sessionId, code } = prover;
  if (!isOn(await findFactor(tx, userId))) return;
  if (code !== undefined) await proveByCode(parts, tx, { ...prover, code });
  else if (!(await hasFreshProof(tx, sessionId, { withinSeconds: config.MFA_PROOF_SECONDS })))
    throw commonErrors.MFA_REQUIRED();
}

/**
 * Requires the second factor of staff before dangerous operations, if STAFF_MFA_REQUIRED is set. The factor must have been proven in this
 * session within STEP_UP_SECONDS, or must be proven by the header x-mfa-code. A code that is sent is always verified. Throws 403
 * MFA_REQUIRED, 400 MFA_INVALID and 429 RATE_LIMITED.
 */
const createStepUp = ({ db, config, ...parts }: Deps) => ({
  /** Called before the body is read. A correct code proves the factor for the session even if the request fails afterwards. */
  async before(caller: Caller, code: string | undefined): Promise<void> {
    if (!config.STAFF_MFA_REQUIRED) return;
    if (code === undefined) return assertFresh(config, db, caller);
    const { id: userId, sessionId } = caller;
    await transaction(db, (tx) => proveByCode(parts, tx, { userId, sessionId, code }));
  },

  /**
   * Used by operations that find out only inside their transaction whether a step-up is needed. A correct code proves the factor only if
   * `tx` commits.
   */
  async within(
    tx: Tx,
    { user, mfaCode: code }: { user: Caller; mfaCode?: string | undefined },
  ): Promise<void> {
    if (!config.STAFF_MFA_REQUIRED) return;
    if (code === undefined) return assertFresh(config, tx, user);
    await proveByCode(parts, tx, { userId: user.id, sessionId: user.sessionId, code });
  },
});

async function assertFresh(config: Config, db: DbOrTx, { sessionId }: Caller): Promise<void> {
  if (await hasFreshProof(db, sessionId, { withinSeconds: config.STEP_UP_SECONDS })) return;
  throw commonErrors.MFA_REQUIRED({ header: 'x-mfa-code' });
}

/**
 * Proves the second factor of a session with an app code or a passkey's code. Throws 400 MFA_INVALID, 401 UNAUTHORIZED if the session has
 * ended in the meantime, and 429 RATE_LIMITED.
 */
async function proveByCode(
  { factor, sessions }: Parts,
  tx: Tx,
  { userId, sessionId, code }: Prover & { code: string },
): Promise<void> {
  const guess = { userId, at: { sessionId }, code };
  await factor.countTry(tryOf(guess));
  const method = await factor.redeem(tx, guess, ['TOTP', 'PASSKEY']);
  await recordProof(tx, sessions.ends, { id: userId, sessionId, method });
}

/** Records that this session has just proven the second factor. Throws 401 UNAUTHORIZED if the session has ended in the meantime. */
export async function recordProof(
  tx: Tx,
  ends: SessionEnds,
  { id, sessionId, method }: Caller & { method: 'TOTP' | 'PASSKEY' },
): Promise<void> {
  const { ageSeconds } = await findProof(tx, sessionId);
  await setProof(tx, ends, { sessionId, method });
  // The first proof changes the permissions of the session, which are cached by every process.
  if (ageSeconds === null) await announceUserChange(tx, id);
}
