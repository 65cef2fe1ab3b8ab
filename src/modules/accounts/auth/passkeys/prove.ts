import { z } from 'zod';
import { operation } from '../../../../http/operation.ts';
import { object, strictObject, Timestamp } from '../../../../http/schemas.ts';
import { iso } from '../../../../platform/clock.ts';
import { transaction } from '../../../../platform/database/db.ts';
import { commonErrors } from '../../../../platform/errors.ts';
import type { AuthDeps } from '../deps.ts';
import { issueToken } from '../one-time-tokens.ts';
import { passkeyErrors } from '../schemas.ts';
import type { PasskeyCode } from '../second-factor/factor.ts';
import { recordProof } from '../second-factor/prove.ts';
import { AssertionOptions, proofOptions } from './options.ts';
import { recordUse, verifyPasskey } from './verify.ts';
import { AssertionResponse } from './webauthn.ts';

const own = { method: 'POST', tag: 'Passkeys', access: 'auth', gate: 'none' } as const;

export const getProofOptions = operation({
  ...own,
  path: '/user/passkeys/proof/options',
  summary: 'Start a second-factor check with a passkey',
  description:
    'Pass the response to `navigator.credentials.get`. Its challenge can be used once, in this session, within five minutes.',
  response: AssertionOptions,
  errors: [passkeyErrors.NO_PASSKEY],
  handler: (deps: AuthDeps, { user: { id: userId, sessionId } }) =>
    proofOptions(deps, { userId, holder: { sessionId } }),
});

const PasskeyProven = object('PasskeyProven', {
  mfaCode: z.string().meta({
    description:
      'A code that can be used once, in this session, instead of a code from the authenticator app.',
  }),
  expiresAt: Timestamp,
});

export const provePasskey = operation({
  ...own,
  path: '/user/passkeys/proof',
  summary: 'Complete a second-factor check with a passkey',
  description:
    'Has the same effect as a code from the authenticator app: the second factor of this session is verified, so staff operations ' +
    'with step-up do not need the header `x-mfa-code`. Operations that require a code for every request, such as a withdrawal or ' +
    'a tip, accept the returned `mfaCode` instead. It can be used once, in this session, within five minutes.',
  body: strictObject('PasskeyProof', { response: AssertionResponse }),
  response: PasskeyProven,
  errors: [passkeyErrors.PASSKEY_CHALLENGE_INVALID, passkeyErrors.PASSKEY_INVALID, commonErrors.RATE_LIMITED],
  handler: async (deps: AuthDeps, { user, body: { response } }) => {
    const { db, config, factor } = deps;
    const { id: userId, sessionId } = user;
    const attempt = { userId, at: { sessionId }, kind: 'PASSKEY' } as const;
    await factor.countTry(attempt);
    const verified = await verifyPasskey(deps, {
      ceremony: 'PASSKEY_PROVE',
      holder: { sessionId },
      response,
    });
    const lifeSeconds = config.MFA_PROOF_SECONDS;
    const mfaCode =
      verified &&
      (await transaction(db, async (tx) => {
        if (!(await recordUse(deps, tx, verified))) return undefined;
        await recordProof(tx, deps.sessions.ends, { id: userId, sessionId, method: 'PASSKEY' });
        const payload: PasskeyCode = { sessionId };
        return issueToken(tx, { purpose: 'PASSKEY_CODE', userId, lifeSeconds, payload });
      }));
    if (!mfaCode) throw passkeyErrors.PASSKEY_INVALID();
    await factor.returnTry(attempt);
    return { mfaCode, expiresAt: iso(new Date(deps.databaseClock.now() + lifeSeconds * 1000)) };
  },
});
