import { z } from 'zod';
import { operation } from '../../../http/operation.ts';
import { Amount } from '../../../http/schemas.ts';
import { transaction } from '../../../platform/database/db.ts';
import { commonErrors } from '../../../platform/errors.ts';
import { newId } from '../../../platform/ids.ts';
import { formatUnits } from '../../../platform/money.ts';
import { lockForDecision } from '../../base/access/connected.ts';
import { accessErrors } from '../../base/access/errors.ts';
import { recordAudit } from '../../base/audit/service.ts';
import { userErrors } from '../../base/users/schemas.ts';
import { enforceLimits, findLimit, type LimitDeps, notifyActive, parseLimit, toBetLimit } from './limits.ts';
import { insertChange, writeLimit } from './queries.ts';
import { directionOf } from './rules.ts';
import { GamblingLimits, limitErrors, UserId } from './schemas.ts';

export const setBetLimit = operation({
  method: 'POST',
  path: '/admin/user-limits/gambling-limits',
  tag: 'Admin User Limits',
  access: { permission: 'limit.write' },
  gate: 'none',
  summary: "Set or lower a user's daily stake limit",
  description: 'The limit is in US dollars per UTC day. Staff cannot raise it.',
  body: z.strictObject({ betLimit: Amount, userId: UserId }),
  response: GamblingLimits,
  errors: [
    userErrors.USER_NOT_FOUND,
    commonErrors.OWN_ACCOUNT,
    accessErrors.ACCOUNT_CONNECTED,
    commonErrors.AMOUNT_OUT_OF_RANGE,
    limitErrors.STAFF_LIMIT_ONLY_TIGHTENS,
  ],
  handler: (deps: LimitDeps, { by, body: { userId, betLimit } }) =>
    transaction(deps.db, async (tx) => {
      await lockForDecision(tx, by, userId);
      const limit = { userId, type: 'WAGER', period: 'DAY', source: 'STAFF' } as const;
      const amount = parseLimit(limit.type, limit.period, betLimit);
      const current = await findLimit(tx, userId, limit);
      const before = current?.amount == null ? null : formatUnits(current.amount);
      const direction = directionOf(current?.amount ?? null, amount);
      if (direction === 'looser') throw limitErrors.STAFF_LIMIT_ONLY_TIGHTENS({ betLimit: before });
      if (direction === 'tighter') {
        const id = await writeLimit(tx, { ...limit, amount });
        await insertChange(tx, { id: newId(), limitId: id, amount, by: by.user.id }, undefined);
        await enforceLimits(tx, deps, userId);
        await notifyActive(tx, userId, { ...limit, amount });
      }
      const row = await findLimit(tx, userId, limit);
      await recordAudit(tx, by, { before: { betLimit: before }, after: { betLimit: formatUnits(amount) } });
      return toBetLimit(row!);
    }),
});
