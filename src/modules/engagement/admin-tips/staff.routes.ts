import { type Route, route } from '../../../http/route.ts';
import { SuccessResponse } from '../../../http/schemas.ts';
import { commonErrors, listErrors } from '../../../platform/errors.ts';
import { accessErrors } from '../../base/access/errors.ts';
import { userErrors } from '../../base/users/errors.ts';
import { gateErrors } from '../../compliance/gate/errors.ts';
import { currencyErrors } from '../../money/currencies/errors.ts';
import { adminTipErrors } from './errors.ts';
import { AdminTipPage, AdminTipQuery, NewAdminTip } from './schemas.ts';
import type { AdminTips } from './service.ts';

const tag = 'Admin Tips';
const pay = {
  method: 'POST',
  tag,
  access: { permission: 'tip.pay' },
  stepUp: true,
  idempotent: true,
  body: NewAdminTip,
  status: 200,
  response: SuccessResponse,
} as const;
const refusals = [
  userErrors.USER_NOT_FOUND,
  commonErrors.OWN_ACCOUNT,
  accessErrors.ACCOUNT_CONNECTED,
  commonErrors.CURRENCY_NOT_FOUND,
  commonErrors.AMOUNT_OUT_OF_RANGE,
  currencyErrors.RATE_STALE,
  adminTipErrors.ADMIN_TIP_LIMIT,
] as const;
const LIMITS =
  'COMMON.adminTips says how much a member of staff may move at once and in a UTC day, given and taken together; superadmins may move more.';

export const adminTipStaffRoutes = (tips: AdminTips): Route[] => [
  route({
    method: 'GET',
    path: '/admin/admin-tips',
    tag,
    access: { permission: 'tip.read' },
    summary: 'What staff has given players and taken from them',
    description:
      'The first 10,000 rows can be read in any order. `total` is exact up to 1,000, else an estimate.',
    query: AdminTipQuery,
    response: AdminTipPage,
    errors: [listErrors.PAGE_TOO_DEEP, listErrors.FILTER_TOO_WIDE],
    handler: ({ by, query }) => tips.list(by, query),
  }),
  route({
    ...pay,
    path: '/admin/admin-tips',
    gate: 'bonus',
    summary: 'Give a player money',
    description: `Paid into cash; it has to be wagered before anything is paid out. ${LIMITS}`,
    errors: [
      ...refusals,
      userErrors.BOT_ACCOUNT,
      gateErrors.USER_BANNED,
      gateErrors.SELF_EXCLUDED,
      gateErrors.AUTH_GEO_BLOCKED,
    ],
    handler: ({ by, body, idempotencyKey }) =>
      tips.give(by, { kind: 'TIP', input: body, key: idempotencyKey }),
  }),
  route({
    ...pay,
    path: '/admin/admin-tips/deduct-balance',
    gate: 'staff',
    summary: "Take from a player's cash",
    description: `Never more than there is. ${LIMITS}`,
    errors: [...refusals, commonErrors.INSUFFICIENT_BALANCE],
    handler: ({ by, body, idempotencyKey }) =>
      tips.give(by, { kind: 'DEDUCTION', input: body, key: idempotencyKey }),
  }),
];

/** The same operations in the backoffice, where a payment answers 201. */
export const adminTipBackofficeRoutes = (tips: AdminTips): Route[] =>
  adminTipStaffRoutes(tips).map((r) => ({
    ...r,
    path: r.path.replace('/admin/', '/'),
    ...(r.method === 'POST' && { status: 201 }),
  }));
