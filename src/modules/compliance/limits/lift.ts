import { z } from 'zod';
import { operation } from '../../../http/operation.ts';
import { transaction } from '../../../platform/database/db.ts';
import { commonErrors } from '../../../platform/errors.ts';
import { lockForDecision } from '../../base/access/connected.ts';
import { accessErrors } from '../../base/access/errors.ts';
import { recordAudit } from '../../base/audit/service.ts';
import { userErrors } from '../../base/users/errors.ts';
import { transactionTime } from '../gate/service.ts';
import type { LimitDeps } from './deps.ts';
import { limitErrors } from './errors.ts';
import { lift, toAudit, toSelfExclusion } from './exclusions.ts';
import { openExclusions } from './queries.ts';
import { SelfExclusion, UserId } from './schemas.ts';

export const liftExclusion = operation({
  method: 'DELETE',
  path: '/admin/user-limits/user-exclusion',
  tag: 'Admin User Limits',
  access: { permission: 'limit.write' },
  gate: 'none',
  stepUp: true,
  summary: "Lift a user's exclusion",
  description:
    'Also ends the waiting period after an exclusion. If the user set the exclusion, a `reason` is required; the audit log stores it.',
  body: z.strictObject({ userId: UserId, reason: z.string().trim().min(1).max(500).optional() }),
  response: SelfExclusion,
  errors: [
    userErrors.USER_NOT_FOUND,
    commonErrors.OWN_ACCOUNT,
    accessErrors.ACCOUNT_CONNECTED,
    limitErrors.EXCLUSION_NOT_FOUND,
    limitErrors.REASON_REQUIRED,
  ],
  handler: ({ db }: LimitDeps, { by, body: { userId, reason } }) =>
    transaction(db, async (tx) => {
      await lockForDecision(tx, by, userId);
      const open = await openExclusions(tx, userId);
      const [longest] = open;
      if (!longest) throw limitErrors.EXCLUSION_NOT_FOUND();
      if (reason === undefined && open.some(({ source }) => source === 'PLAYER'))
        throw limitErrors.REASON_REQUIRED();
      await lift(tx, userId, open, { by: by.user.id, reason: reason ?? null });
      const updatedAt = await transactionTime(tx);
      await recordAudit(tx, by, { before: toAudit(longest), after: { expiresAt: null }, reason });
      return toSelfExclusion({ ...longest, updatedAt });
    }),
});
