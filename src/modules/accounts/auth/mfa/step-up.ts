import type { SessionUser } from '../../../../http/access.ts';
import type { Config } from '../../../../platform/config.ts';
import { type Db, type DbOrTx, type Tx, transaction } from '../../../../platform/db.ts';
import { commonErrors } from '../../../../platform/errors.ts';
import type { ProveByCode } from './prove.ts';
import { hasFreshProof } from './queries.ts';

type Caller = Pick<SessionUser, 'id' | 'sessionId'>;
type Deps = {
  db: Db;
  config: Pick<Config, 'STAFF_MFA_REQUIRED' | 'STEP_UP_SECONDS'>;
  proveByCode: ProveByCode;
};

/**
 * The second factor of staff before something dangerous, wherever staff needs one at all: proven in this session within
 * STEP_UP_SECONDS, or now with the code of the header x-mfa-code. A code that is sent is always looked at. Throws 403 MFA_REQUIRED,
 * 400 MFA_INVALID, 429 RATE_LIMITED.
 */
export function createStepUp({ db, config, proveByCode }: Deps) {
  const assertFresh = async (at: DbOrTx, { sessionId }: Caller): Promise<void> => {
    if (await hasFreshProof(at, sessionId, { withinSeconds: config.STEP_UP_SECONDS })) return;
    throw commonErrors.MFA_REQUIRED({ header: 'x-mfa-code' });
  };
  const prove = (tx: Tx, { id: userId, sessionId }: Caller, code: string) =>
    proveByCode(tx, { userId, sessionId, code });

  return {
    /** Before a call is read: a right code counts, and proves the session, whatever becomes of the call. */
    async before(caller: Caller, code: string | undefined): Promise<void> {
      if (!config.STAFF_MFA_REQUIRED) return;
      if (code === undefined) await assertFresh(db, caller);
      else await transaction(db, (tx) => prove(tx, caller, code));
    },

    /** Within what it protects, where that shows only then: a right code counts if `tx` commits. */
    async within(tx: Tx, { user, mfaCode }: { user: Caller; mfaCode?: string | undefined }): Promise<void> {
      if (!config.STAFF_MFA_REQUIRED) return;
      if (mfaCode === undefined) await assertFresh(tx, user);
      else await prove(tx, user, mfaCode);
    },
  };
}
