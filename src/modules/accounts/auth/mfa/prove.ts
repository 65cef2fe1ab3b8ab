import type { Config } from '../../../../platform/config.ts';
import type { Tx } from '../../../../platform/db.ts';
import { commonErrors } from '../../../../platform/errors.ts';
import { announceUserChange } from '../../../base/users/service.ts';
import type { Factor } from './factor.ts';
import { findFactor, findProof, hasFreshProof, setProof } from './queries.ts';

/** Who proves: the session, and the code that came with the request. */
type Prover = { userId: number; sessionId: string; code?: string | undefined };
export type Prove = ReturnType<typeof createProve>;
export type ProveByCode = (tx: Tx, prover: Prover & { code: string }) => Promise<void>;

/**
 * The second factor before something that a stolen session must not do. Passes when the user has none, when `code` is right, or
 * without a code when this session has proved it within MFA_PROOF_SECONDS. Throws 403 MFA_REQUIRED, 400 MFA_INVALID, 429
 * RATE_LIMITED. A code counts as used only if `tx` commits; a wrong one is counted in any case.
 */
export function createProve({ proveByCode, config }: { proveByCode: ProveByCode; config: Config }) {
  return async (tx: Tx, { userId, sessionId, code }: Prover): Promise<void> => {
    const known = await findFactor(tx, userId);
    if (!known?.active) return;
    if (code !== undefined) await proveByCode(tx, { userId, sessionId, code });
    else if (!(await hasFreshProof(tx, sessionId, { withinSeconds: config.MFA_PROOF_SECONDS })))
      throw commonErrors.MFA_REQUIRED();
  };
}

/** Proves the second factor of a session with a code of the app. Throws 400 MFA_INVALID, 429 RATE_LIMITED. */
export function createProveByCode(factor: Factor): ProveByCode {
  return async (tx, { userId, sessionId, code }) => {
    const guess = { userId, at: { sessionId }, code };
    await factor.countTry(guess);
    await factor.redeem(tx, guess, ['TOTP']);
    const { ageSeconds } = await findProof(tx, sessionId);
    await setProof(tx, sessionId, 'TOTP');
    // Every process remembers of staff whether this session has proved it at all.
    if (ageSeconds === null) await announceUserChange(tx, userId);
  };
}
