import { z } from 'zod';
import { operation } from '../../../http/operation.ts';
import { Time } from '../../../http/schemas.ts';
import { transaction } from '../../../platform/database/db.ts';
import { commonErrors } from '../../../platform/errors.ts';
import { lockForDecision } from '../../base/access/connected.ts';
import { accessErrors } from '../../base/access/errors.ts';
import { recordAudit } from '../../base/audit/service.ts';
import { lockPlayers } from '../../base/players/service.ts';
import { SelfExclude, userErrors } from '../../base/users/schemas.ts';
import { transactionTime } from '../gate/service.ts';
import { endOf, exclude, lift, toAudit, toSelfExclude, toSelfExclusion } from './exclusions.ts';
import type { LimitDeps } from './limits.ts';
import { openExclusions } from './queries.ts';
import { DAY_MS } from './rules.ts';
import { limitErrors, SelfExclusion, UserId } from './schemas.ts';

const SetSelfExclude = z
  .strictObject({
    excludeUntil: Time.optional(),
    durationDays: z.number().int().min(1).optional(),
    reason: z.string().max(500).optional(),
  })
  .refine(
    ({ excludeUntil, durationDays }) => (excludeUntil === undefined) !== (durationDays === undefined),
    'must contain exactly one of excludeUntil and durationDays',
  )
  .meta({ id: 'SetSelfExcludeDto', example: { durationDays: 30 } });

export const excludeSelf = operation({
  method: 'POST',
  path: '/user-limits/self-exclusion',
  tag: 'User Limits',
  access: 'auth',
  gate: 'none',
  summary: 'Self-exclude from play and deposits',
  description:
    'Takes effect immediately. Requires either `excludeUntil` or `durationDays`, at most five years. An exclusion can be extended ' +
    'but not shortened. After an exclusion of 180 days or more, the player must wait another 24 hours before playing. Such an ' +
    'exclusion also waives turnover from deposits, but not turnover from promotional cash and tips. Withdrawals remain possible.',
  body: SetSelfExclude,
  response: SelfExclude,
  errors: [limitErrors.EXCLUSION_CANNOT_BE_SHORTENED],
  handler: ({ db, endGrants }: LimitDeps, { user: { id: userId }, body }) =>
    transaction(db, async (tx) => {
      await lockPlayers(tx, [userId]);
      const at = await transactionTime(tx);
      const { durationDays } = body;
      const expiresAt =
        durationDays === undefined
          ? endOf('excludeUntil', at, Date.parse(body.excludeUntil!))
          : endOf('durationDays', at, at.getTime() + durationDays * DAY_MS);
      const reason = body.reason?.trim() || null;
      const row = await exclude(tx, { userId, at, expiresAt, source: 'PLAYER', reason, by: userId });
      await endGrants(tx, userId);
      return toSelfExclude(row);
    }),
});

export const excludeUser = operation({
  method: 'POST',
  path: '/admin/user-limits/user-exclusion',
  tag: 'Admin User Limits',
  access: { permission: 'limit.write' },
  gate: 'none',
  summary: "Exclude a user, or extend a user's exclusion",
  description: 'Takes effect immediately. The user can no longer play or deposit.',
  body: z.strictObject({ excludeUntil: Time, userId: UserId }),
  response: SelfExclusion,
  errors: [
    userErrors.USER_NOT_FOUND,
    commonErrors.OWN_ACCOUNT,
    accessErrors.ACCOUNT_CONNECTED,
    limitErrors.EXCLUSION_CANNOT_BE_SHORTENED,
  ],
  handler: ({ db, endGrants }: LimitDeps, { by, body: { userId, excludeUntil } }) =>
    transaction(db, async (tx) => {
      await lockForDecision(tx, by, userId);
      const at = await transactionTime(tx);
      const expiresAt = endOf('excludeUntil', at, Date.parse(excludeUntil));
      const [before] = await openExclusions(tx, userId);
      const source = 'STAFF' as const;
      const row = await exclude(tx, { userId, at, expiresAt, source, reason: null, by: by.user.id });
      await endGrants(tx, userId);
      await recordAudit(tx, by, { before: toAudit(before), after: toAudit(row) });
      return toSelfExclusion(row);
    }),
});

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
