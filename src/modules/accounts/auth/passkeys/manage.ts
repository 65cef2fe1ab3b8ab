import { z } from 'zod';
import { operation } from '../../../../http/operation.ts';
import { object, SuccessResponse, strictObject } from '../../../../http/schemas.ts';
import { type DbOrTx, transaction } from '../../../../platform/database/db.ts';
import { commonErrors } from '../../../../platform/errors.ts';
import { getUser } from '../../../base/users/service.ts';
import type { AuthDeps } from '../deps.ts';
import { MfaCode, passkeyErrors } from '../schemas.ts';
import { factorChanged, holdIfRecovered } from '../second-factor/changes.ts';
import { prove } from '../second-factor/prove.ts';
import { countRecoveryCodes, findFactor, lockFactor } from '../second-factor/queries.ts';
import { listPasskeys, Passkey, PasskeyName, type PasskeyRow, toPasskey } from './options.ts';

const own = { tag: 'Passkeys', access: 'auth', gate: 'none' } as const;

const SecondFactors = object('SecondFactors', {
  passkeys: z.array(Passkey),
  isAppEnabled: z.boolean(),
  recoveryCodesLeft: z.number().int(),
});

const PasskeyPath = z.strictObject({ id: z.uuid() });

export const listSecondFactors = operation({
  method: 'GET',
  path: '/user/passkeys',
  tag: 'Passkeys',
  access: 'auth',
  summary: 'List your second factors',
  description:
    'Returns the passkeys, whether the authenticator app is on, and the number of unused recovery codes.',
  response: SecondFactors,
  handler: async ({ db }: AuthDeps, { user: { id } }) => {
    const [passkeys, factor, recoveryCodesLeft] = await Promise.all([
      listPasskeys(db, id),
      findFactor(db, id),
      countRecoveryCodes(db, id),
    ]);
    return { passkeys: passkeys.map(toPasskey), isAppEnabled: factor?.active != null, recoveryCodesLeft };
  },
});

export const renamePasskey = operation({
  ...own,
  method: 'PATCH',
  path: '/user/passkeys/{id}',
  summary: 'Rename a passkey',
  params: PasskeyPath,
  body: strictObject('PasskeyName', { name: PasskeyName }),
  response: Passkey,
  errors: [passkeyErrors.PASSKEY_NOT_FOUND],
  handler: async ({ db }: AuthDeps, { user, params, body }) => {
    const passkey = await db
      .updateTable('passkeys')
      .set({ name: body.name })
      .where('id', '=', params.id)
      .where('user_id', '=', user.id)
      .returningAll()
      .executeTakeFirst();
    if (!passkey) throw passkeyErrors.PASSKEY_NOT_FOUND();
    return toPasskey(passkey);
  },
});

export const removePasskey = operation({
  ...own,
  method: 'DELETE',
  path: '/user/passkeys/{id}',
  summary: 'Remove a passkey',
  description:
    'Needs no body if the session has just verified a second factor. Otherwise send `mfaCode`. Every other session ends. Removing ' +
    'the last second factor also removes the recovery codes. Staff who are required to have a second factor cannot remove their ' +
    'last one.',
  params: PasskeyPath,
  body: z.strictObject({ mfaCode: MfaCode.optional() }),
  response: SuccessResponse,
  errors: [
    passkeyErrors.PASSKEY_NOT_FOUND,
    commonErrors.MFA_INVALID,
    commonErrors.MFA_REQUIRED,
    passkeyErrors.LAST_FACTOR,
    commonErrors.RATE_LIMITED,
  ],
  handler: async (deps: AuthDeps, { user, params: { id }, body: { mfaCode: code } }) => {
    const { db, config } = deps;
    const own = { id, userId: user.id };
    if (!(await findOwn(db, own))) throw passkeyErrors.PASSKEY_NOT_FOUND();
    await transaction(db, async (tx) => {
      await prove(deps, tx, { userId: user.id, sessionId: user.sessionId, code });
      const before = await lockFactor(tx, user.id);
      const passkey = await findOwn(tx, own);
      if (!passkey || !before) throw passkeyErrors.PASSKEY_NOT_FOUND();
      const isLast = before.active === null && before.passkeys === 1;
      if (isLast && config.STAFF_MFA_REQUIRED && (await getUser(tx, user.id)).is_staff)
        throw passkeyErrors.LAST_FACTOR();
      await holdIfRecovered(tx, user);
      await tx.deleteFrom('passkeys').where('id', '=', id).execute();
      const what = isLast
        ? ({ change: 'disabled', ending: 'MFA_DISABLED' } as const)
        : ({ change: 'passkey-removed', ending: 'PASSKEY_REMOVED' } as const);
      await factorChanged(deps, tx, user, { ...what, passkey: passkey.name });
    });
    return { success: true };
  },
});

const findOwn = (
  db: DbOrTx,
  { id, userId }: { id: string; userId: number },
): Promise<PasskeyRow | undefined> =>
  db.selectFrom('passkeys').selectAll().where('id', '=', id).where('user_id', '=', userId).executeTakeFirst();
