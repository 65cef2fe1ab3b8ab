import { route } from '../../../http/route.ts';
import { commonErrors, listErrors } from '../../../platform/errors.ts';
import { userErrors } from '../../base/users/errors.ts';
import { gateErrors } from '../../compliance/gate/errors.ts';
import { currencyErrors } from '../../money/currencies/errors.ts';
import { userTipErrors } from './errors.ts';
import { NewTip, TipSent, UserTipLimits, UserTipPage, UserTipQuery } from './schemas.ts';
import type { UserTips } from './service.ts';

const of = { tag: 'User tips', access: 'auth' } as const;

export const userTipRoutes = (tips: UserTips) => [
  route({
    ...of,
    method: 'POST',
    path: '/user-tips',
    gate: 'transfer',
    idempotent: true,
    summary: 'Give another player money',
    description:
      'From cash, in one currency. What a day may bring hangs on the VIP level of both. The recipient has to wager a part of it before ' +
      'anything is paid out.',
    body: NewTip,
    status: 201,
    response: TipSent,
    errors: [
      userErrors.USER_NOT_FOUND,
      userTipErrors.TIP_TO_SELF,
      commonErrors.CURRENCY_NOT_FOUND,
      currencyErrors.RATE_STALE,
      commonErrors.AMOUNT_OUT_OF_RANGE,
      gateErrors.USER_BANNED,
      gateErrors.SELF_EXCLUDED,
      gateErrors.AUTH_GEO_BLOCKED,
      userTipErrors.TIPS_DISABLED,
      userTipErrors.EMAIL_NOT_VERIFIED,
      commonErrors.MFA_REQUIRED,
      commonErrors.MFA_INVALID,
      gateErrors.ROLLOVER_OPEN,
      userTipErrors.TIP_RECIPIENT_NOT_ELIGIBLE,
      userTipErrors.TIP_LIMIT_REACHED,
      commonErrors.INSUFFICIENT_BALANCE,
    ],
    handler: ({ user, ip, body, idempotencyKey }) =>
      tips.send({ userId: user.id, sessionId: user.sessionId, ip, key: idempotencyKey }, body),
  }),
  route({
    ...of,
    method: 'GET',
    path: '/user-tips',
    summary: 'Own tips, sent and received',
    description: 'The first 10,000 can be read in any order. `total` is exact up to 1,000.',
    query: UserTipQuery,
    response: UserTipPage,
    errors: [listErrors.PAGE_TOO_DEEP],
    handler: ({ user, query }) => tips.list(user.id, query),
  }),
  route({
    ...of,
    method: 'GET',
    path: '/user-tips/limits',
    summary: 'What may be sent and received today, and why nothing could be sent now',
    response: UserTipLimits,
    handler: ({ user, ip }) => tips.limits({ userId: user.id, ip }),
  }),
];
