import type { Config } from '../../../platform/config.ts';
import type { DbOrTx, Tx } from '../../../platform/db.ts';
import { commonErrors } from '../../../platform/errors.ts';
import { announceUserChange } from '../../users/service.ts';
import type { Factor } from './factor.ts';
import { findFactor, findProof, setProof } from './queries.ts';

/** Who proves: the session, and the code that came with the request. */
type Prover = { userId: number; sessionId: string; code?: string | undefined };

/**
 * The second factor before something that a stolen session must not do. Passes when the user has none, when `code` is right, or
 * without a code when this session has proved it within MFA_PROOF_SECONDS. Throws 403 MFA_REQUIRED, 400 MFA_INVALID, 429
 * RATE_LIMITED. A code counts as used only if `tx` commits; a wrong one is counted in any case.
 */
export function createProve({ factor, config }: { factor: Factor; config: Config }) {
  return async (tx: Tx, { userId, sessionId, code }: Prover): Promise<void> => {
    const known = await findFactor(tx, userId);
    if (!known?.active) return;
    if (code === undefined) {
      if (!(await hasFreshProof(tx, sessionId, config))) throw commonErrors.MFA_REQUIRED();
      return;
    }
    await factor.countTry(userId);
    await factor.redeem(tx, userId, code, ['TOTP']);
    const { ageSeconds } = await findProof(tx, sessionId);
    await setProof(tx, sessionId, 'TOTP');
    // Every process remembers of staff whether this session has proved it at all.
    if (ageSeconds === null) await announceUserChange(tx, userId);
  };
}

/** Whether a session has just proved the second factor; with `method`, in this way. */
export async function hasFreshProof(
  db: DbOrTx,
  sessionId: string,
  config: Config,
  method?: 'RECOVERY',
): Promise<boolean> {
  const proof = await findProof(db, sessionId);
  const isFresh = proof.ageSeconds !== null && proof.ageSeconds <= config.MFA_PROOF_SECONDS;
  return isFresh && (method === undefined || proof.method === method);
}
