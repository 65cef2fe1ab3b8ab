import { z } from 'zod';
import { operation } from '../../../http/operation.ts';
import { iso } from '../../../platform/clock.ts';
import { transaction } from '../../../platform/database/db.ts';
import { commonErrors } from '../../../platform/errors.ts';
import { lockForDecision } from '../../base/access/connected.ts';
import { accessErrors } from '../../base/access/errors.ts';
import { recordAudit } from '../../base/audit/service.ts';
import { userErrors } from '../../base/users/schemas.ts';
import { changeTiers, lockStanding, tierIn } from './level.ts';
import { ACTIONS, afterDecision, isApproved, levelOf, type TierState } from './rules.ts';
import { KycAdminDetail, KycPath, KycTierName, RejectType } from './schemas.ts';
import { type KycDeps, kycErrors } from './service.ts';
import { readDetail } from './view.ts';

const KycDecision = z
  .strictObject({
    tier: KycTierName,
    action: z.enum(ACTIONS),
    reason: z.string().max(500),
    rejectType: RejectType.optional(),
  })
  .superRefine(({ action, rejectType }, context) => {
    if ((action === 'REJECT') === (rejectType !== undefined)) return;
    const message = action === 'REJECT' ? 'is required for REJECT' : 'is only allowed for REJECT';
    context.addIssue({ code: 'custom', path: ['rejectType'], message });
  });

export const decideKyc = operation({
  method: 'PATCH',
  path: '/admin/kyc/{userId}',
  tag: 'KYC Admin',
  access: { permission: 'kyc.approve' },
  gate: 'none',
  stepUp: {
    when: ({ action }: z.output<typeof KycDecision>) => action === 'APPROVE' || action === 'RESET',
  },
  summary: 'Approve, reject or reset a KYC tier of a user',
  description:
    'REJECT requires `rejectType`; the other actions do not accept it. After a rejection with RETRY, the user can try again. ' +
    'After FINAL, only staff can reopen the tier. A decision that would not change the status has no effect.',
  params: KycPath,
  body: KycDecision,
  response: KycAdminDetail,
  errors: [
    kycErrors.REASON_REQUIRED,
    commonErrors.OWN_ACCOUNT,
    accessErrors.ACCOUNT_CONNECTED,
    userErrors.USER_NOT_FOUND,
  ],
  handler: ({ db, kyc: { persons, onApproved } }: KycDeps, { by, params: { userId }, body }) => {
    const { tier, action, rejectType } = body;
    const reason = body.reason.trim();
    if (reason === '') throw kycErrors.REASON_REQUIRED();
    return transaction(db, async (tx) => {
      await lockForDecision(tx, by, userId);
      const standing = await lockStanding(tx, userId);
      const before = tierIn(standing, tier);
      const after = afterDecision(before, { action, rejectType, by: by.user.id }, standing.now);
      if (!after) return readDetail(tx, persons, by, userId);
      const changed = await changeTiers(tx, standing, [after], { actorId: by.user.id, reason });
      if (isApproved(after)) await onApproved(tx, userId, tier);
      const detail = await readDetail(tx, persons, by, userId);
      await recordAudit(tx, by, {
        before: { ...toAudit(before), level: levelOf(standing.tiers, standing.now) },
        after: { ...toAudit(after), level: levelOf(changed.tiers, changed.now) },
        reason,
      });
      return detail;
    });
  },
});

const toAudit = ({ tier, status, rejectType, expiresAt }: TierState) => ({
  tier,
  status,
  rejectType,
  expiresAt: expiresAt && iso(expiresAt),
});
