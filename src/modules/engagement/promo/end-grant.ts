import { z } from 'zod';
import { operation } from '../../../http/operation.ts';
import { commonErrors } from '../../../platform/errors.ts';
import { lockForDecision } from '../../base/access/connected.ts';
import { accessErrors } from '../../base/access/errors.ts';
import { recordAudit } from '../../base/audit/service.ts';
import { runIdempotently } from '../../base/idempotency/service.ts';
import { sightOf } from '../../base/users/service.ts';
import { bonusErrors } from '../../money/bonus/errors.ts';
import { idOf } from './grant.ts';
import { findGrant, type GrantRow, type PromoDeps } from './queries.ts';
import { GrantPath, PromoGrant, PromoGrantAdmin, Reason } from './schemas.ts';
import { toGrant, toGrantsAdmin } from './view.ts';

export const forfeitGrant = operation({
  method: 'POST',
  path: '/promo/{grantId}/forfeit',
  tag: 'Promo',
  access: 'auth',
  gate: 'finish',
  idempotent: true,
  summary: 'Forfeit a bonus',
  description:
    'The player loses the bonus money, keeps the cash, and can withdraw again. With `dryRun` nothing changes, and ' +
    '`forfeitedAmount` shows the amount that would be lost.',
  params: GrantPath,
  body: z.strictObject({ dryRun: z.boolean().default(false) }),
  response: PromoGrant,
  errors: [bonusErrors.PROMO_GRANT_NOT_FOUND, bonusErrors.PROMO_GRANT_CLOSED],
  handler: async (
    deps: PromoDeps,
    { user: { id: userId }, params: { grantId }, body: { dryRun }, idempotencyKey: key },
  ) => {
    const id = idOf(grantId);
    if (id === undefined) throw bonusErrors.PROMO_GRANT_NOT_FOUND();
    if (dryRun) return previewForfeit(deps, userId, id);
    const request = { userId, key, operation: 'promo.forfeit', input: { grantId } };
    return runIdempotently(deps.db, request, async (tx) => {
      await deps.grants.end(tx, id, { status: 'FORFEITED', reason: 'PLAYER', userId });
      return toGrant((await findGrant(tx, id))!, deps.promo.slugsOf);
    });
  },
});

async function previewForfeit({ db, promo }: PromoDeps, userId: number, id: bigint) {
  const grant = await findGrant(db, id);
  if (grant?.user_id !== userId) throw bonusErrors.PROMO_GRANT_NOT_FOUND();
  if (grant.status !== 'PENDING' && grant.status !== 'ACTIVE')
    throw bonusErrors.PROMO_GRANT_CLOSED({ status: grant.status });
  return toGrant(grant, promo.slugsOf, grant.bonus_balance);
}

export const cancelGrant = operation({
  method: 'POST',
  path: '/admin/promo/grants/{grantId}/cancel',
  tag: 'Promo Admin',
  access: { permission: 'promo.write' },
  gate: 'staff',
  createsValue: 'returns',
  idempotent: true,
  summary: "Cancel a player's grant",
  description: 'Returns the bonus money to the platform. The player keeps the cash and sees the reason.',
  params: GrantPath,
  body: z.strictObject({ reason: Reason }),
  response: PromoGrantAdmin,
  errors: [
    commonErrors.OWN_ACCOUNT,
    accessErrors.ACCOUNT_CONNECTED,
    bonusErrors.PROMO_GRANT_NOT_FOUND,
    bonusErrors.PROMO_GRANT_CLOSED,
  ],
  handler: async (deps: PromoDeps, { by, params: { grantId }, body: { reason }, idempotencyKey: key }) => {
    const id = idOf(grantId);
    const found = id === undefined ? undefined : await findGrant(deps.db, id);
    if (!found) throw bonusErrors.PROMO_GRANT_NOT_FOUND();
    const request = {
      userId: by.user.id,
      key,
      operation: 'promo.cancel',
      input: { grantId, reason },
      alsoLocks: [found.user_id],
    };
    return runIdempotently(deps.db, request, async (tx) => {
      await lockForDecision(tx, by, found.user_id);
      const before = (await findGrant(tx, found.id))!;
      await deps.grants.end(tx, found.id, { status: 'CANCELLED', reason });
      const after = (await findGrant(tx, found.id))!;
      const [view] = await toGrantsAdmin(deps, tx, [after], sightOf(by.user));
      await recordAudit(tx, by, { before: toAudit(before), after: toAudit(after), reason });
      return view!;
    });
  },
});

function toAudit(grant: GrantRow) {
  const { id, promoId, status, currencyId, bonusBalance, forfeitedAmount } = toGrant(grant, () => []);
  return { id, userId: grant.user_id, promoId, status, currencyId, bonusBalance, forfeitedAmount };
}
