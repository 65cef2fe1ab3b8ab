import { sql } from 'kysely';
import { z } from 'zod';
import { operation } from '../../../../http/operation.ts';
import { object, SuccessResponse, strictObject } from '../../../../http/schemas.ts';
import { type DbOrTx, type Tx, transaction } from '../../../../platform/database/db.ts';
import { commonErrors } from '../../../../platform/errors.ts';
import { getUser, type UserRow } from '../../../base/users/service.ts';
import type { AuthDeps } from '../deps.ts';
import { authErrors, MfaCode, mfaErrors } from '../schemas.ts';
import { assertMayAdd, factorChanged, holdIfRecovered } from './changes.ts';
import { newKey, readCode, setupOf, stepOf, tryOf } from './factor.ts';
import { prove } from './prove.ts';
import {
  type Caller,
  deactivate,
  dropPending,
  ensureFactor,
  type FactorRow,
  findFactor,
  hasFreshProof,
  lockFactor,
  recordReset,
  setProof,
} from './queries.ts';

const { MFA_INVALID, MFA_REQUIRED } = commonErrors;
const { MFA_ALREADY_ENABLED, MFA_NOT_ENABLED, MFA_NOT_PENDING } = mfaErrors;

const change = { method: 'POST', tag: 'User', access: 'auth', gate: 'none', status: 201 } as const;

const MfaSetup = object('MfaAuthGenerateResponse', {
  secret: z.string(),
  otpauthUrl: z.string(),
  qrDataUrl: z.string(),
});

export const generateAppKey = operation({
  method: 'GET',
  path: '/user/generate-2fa',
  tag: 'User',
  access: 'auth',
  hasSideEffect: true,
  summary: 'Start setting up the authenticator app',
  description:
    'Requires a session started within the last few minutes or, if you have a passkey, a recent passkey check. The key is shown ' +
    'only once. It is valid in this session only, for ten minutes. A new request replaces the key. Nothing else changes until ' +
    '`POST /user/enable-2fa` confirms it.',
  response: MfaSetup,
  errors: [MFA_ALREADY_ENABLED, MFA_REQUIRED, authErrors.SIGN_IN_AGAIN],
  handler: async (deps: AuthDeps, { user: caller }) => {
    const factor = await findFactor(deps.db, caller.id);
    assertNoApp(factor);
    await assertMayAdd(deps, caller, factor);
    const key = await newKey();
    const user = await transaction(deps.db, async (tx) => {
      await ensureFactor(tx, caller.id);
      assertNoApp(await lockFactor(tx, caller.id));
      await setPending(tx, caller.sessionId, deps.factor.seal(key));
      return getUser(tx, caller.id);
    });
    return setup(deps, user, key);
  },
});

export const enableApp = operation({
  ...change,
  path: '/user/enable-2fa',
  summary: 'Turn on the authenticator app with its first code',
  description:
    'Verifies a code for the key requested in this session. Returns ten new recovery codes, shown only once. Older recovery codes ' +
    'stop working. Every other session ends.',
  body: strictObject('MfaAuthVerifyRequestDto', { mfaCode: MfaCode }),
  response: object('EnableUserMfaResponseDto', {
    success: z.boolean(),
    recoveryCodes: z.array(z.string()),
  }),
  errors: [MFA_INVALID, MFA_NOT_PENDING, MFA_ALREADY_ENABLED],
  handler: async (deps: AuthDeps, { user: caller, body: { mfaCode: code } }) => {
    const { db, factor } = deps;
    assertNoApp(await findFactor(db, caller.id));
    await getPending(deps, db, caller);
    const guess = { userId: caller.id, at: { sessionId: caller.sessionId }, code };
    await factor.countTry(tryOf(guess));
    const recoveryCodes = await transaction(db, async (tx) => {
      const row = await lockFactor(tx, caller.id);
      assertNoApp(row);
      const key = await getPending(deps, tx, caller);
      const read = readCode(code);
      const step =
        read?.kind === 'TOTP' && (await stepOf(factor.open(key), read.code, { now: row!.now, lastStep: 0n }));
      if (!step) throw MFA_INVALID();
      await holdIfRecovered(tx, caller);
      await activate(tx, caller.id, { key, step });
      await setProof(tx, deps.sessions.ends, { sessionId: caller.sessionId, method: 'TOTP' });
      await factorChanged(deps, tx, caller, { change: 'enabled', ending: 'MFA_ENABLED' });
      return factor.renewRecoveryCodes(tx, caller.id);
    });
    await factor.returnTry(tryOf(guess));
    return { success: true, recoveryCodes };
  },
});

export const disableApp = operation({
  ...change,
  path: '/user/disable-2fa',
  summary: 'Turn off the authenticator app',
  description:
    'Needs no body if the session has just verified the second factor. Otherwise send `mfaCode`. Passkeys remain; remove them ' +
    'with `DELETE /user/passkeys/{id}`. Every other session ends.',
  body: z.strictObject({ mfaCode: MfaCode.optional() }),
  response: SuccessResponse,
  errors: [MFA_INVALID, MFA_REQUIRED, MFA_NOT_ENABLED],
  handler: async (deps: AuthDeps, { user: caller, body: { mfaCode: code } }) => {
    assertApp(await findFactor(deps.db, caller.id));
    await transaction(deps.db, async (tx) => {
      await prove(deps, tx, { userId: caller.id, sessionId: caller.sessionId, code });
      assertApp(await lockFactor(tx, caller.id));
      await holdIfRecovered(tx, caller);
      await deactivate(tx, caller.id);
      await factorChanged(deps, tx, caller, { change: 'disabled', ending: 'MFA_DISABLED' });
    });
    return { success: true };
  },
});

export const resetApp = operation({
  ...change,
  path: '/user/reset-2fa',
  summary: 'Replace a lost authenticator app',
  description:
    'Requires an unused recovery code, unless the session was just started with one. The app is off until `POST /user/enable-2fa` ' +
    'confirms the new key. Passkeys remain. Every other session ends.',
  body: z.strictObject({ recoveryCode: MfaCode.optional() }),
  response: MfaSetup,
  errors: [MFA_INVALID, MFA_REQUIRED, MFA_NOT_ENABLED],
  handler: async (deps: AuthDeps, { user: caller, body: { recoveryCode } }) => {
    const { db, config, factor } = deps;
    assertApp(await findFactor(db, caller.id));
    const at = { sessionId: caller.sessionId };
    const guess = recoveryCode && { userId: caller.id, at, code: recoveryCode };
    if (guess) await factor.countTry(tryOf(guess));
    const key = await newKey();
    const recovered = { withinSeconds: config.MFA_PROOF_SECONDS, method: 'RECOVERY' } as const;
    const user = await transaction(db, async (tx) => {
      assertApp(await lockFactor(tx, caller.id));
      if (guess) await factor.redeem(tx, guess, ['RECOVERY']);
      else if (!(await hasFreshProof(tx, caller.sessionId, recovered))) throw MFA_REQUIRED();
      await deactivate(tx, caller.id);
      await recordReset(tx, caller.id);
      await setPending(tx, caller.sessionId, factor.seal(key));
      await factorChanged(deps, tx, caller, { change: 'reset', ending: 'MFA_RESET' });
      return getUser(tx, caller.id);
    });
    return setup(deps, user, key);
  },
});

const setup = ({ config }: AuthDeps, { email, username, id }: UserRow, key: string) =>
  setupOf(key, { brand: config.BRAND_NAME, account: email ?? username ?? String(id) });

function assertNoApp(row: FactorRow | undefined): void {
  if (row?.active) throw MFA_ALREADY_ENABLED();
}

function assertApp(row: FactorRow | undefined): void {
  if (!row?.active) throw MFA_NOT_ENABLED();
}

/** Returns the unexpired key of this session that has not been confirmed yet. Throws 409 MFA_NOT_PENDING. */
async function getPending({ config }: AuthDeps, db: DbOrTx, { sessionId }: Caller): Promise<Buffer> {
  const { MFA_PENDING_SECONDS } = config;
  const row = await db
    .selectFrom('pending_factors')
    .select('key')
    .where('session_id', '=', sessionId)
    .where(sql<boolean>`created_at > now() - make_interval(secs => ${MFA_PENDING_SECONDS})`)
    .executeTakeFirst();
  if (!row?.key) throw MFA_NOT_PENDING();
  return row.key;
}

/** Stores the key that this session must confirm. It replaces an earlier pending key. */
async function setPending(tx: Tx, sessionId: string, key: Buffer): Promise<void> {
  await tx
    .insertInto('pending_factors')
    .values({ session_id: sessionId, key })
    .onConflict((c) => c.column('session_id').doUpdateSet({ key, created_at: sql<Date>`now()` }))
    .execute();
}

/** Activates the key and deletes all pending keys. `step` is the time step of the code that confirmed the key. */
async function activate(tx: Tx, userId: number, { key, step }: { key: Buffer; step: bigint }): Promise<void> {
  await tx
    .updateTable('mfa_secrets')
    .set({ active: key, last_step: step, enabled_at: sql<Date>`now()` })
    .where('user_id', '=', userId)
    .execute();
  await dropPending(tx, userId);
}
