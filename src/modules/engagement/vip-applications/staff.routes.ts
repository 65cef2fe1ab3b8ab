import { route } from '../../../http/route.ts';
import { Webp } from '../../../http/schemas.ts';
import { commonErrors } from '../../../platform/errors.ts';
import { accessErrors } from '../../base/access/errors.ts';
import { gateErrors } from '../../compliance/gate/errors.ts';
import { currencyErrors } from '../../money/currencies/errors.ts';
import { promoErrors } from '../promo/errors.ts';
import { vipApplicationErrors } from './errors.ts';
import {
  ApplicationChange,
  ApplicationDecision,
  ApplicationPath,
  ApplicationQuery,
  ImagePath,
  VipApplicationAdmin,
  VipApplicationAdminPage,
} from './schemas.ts';
import type { VipApplications } from './service.ts';

const tag = 'VipApplicationAdmin';
const path = '/admin/vip-application';
const read = { method: 'GET', tag, access: { permission: 'vip.read' } } as const;
const write = {
  tag,
  access: { permission: 'vip.approve' },
  params: ApplicationPath,
  response: VipApplicationAdmin,
} as const;
const refusals = [
  commonErrors.OWN_ACCOUNT,
  accessErrors.ACCOUNT_CONNECTED,
  vipApplicationErrors.VIP_APPLICATION_NOT_FOUND,
  vipApplicationErrors.VIP_APPLICATION_DECIDED,
] as const;

export const vipApplicationStaffRoutes = (applications: VipApplications) => [
  route({
    ...read,
    path,
    summary: 'VIP applications',
    description:
      'The total counts up to 10,000 and pages end there. The search finds parts of usernames, of names at the other platform and (permission ' +
      '`user.pii`, else whole ones) of e-mail addresses, and ids of users; one without three letters or digits in a row the applications of ' +
      'the first 1,000 users whose name begins with it.',
    query: ApplicationQuery,
    response: VipApplicationAdminPage,
    handler: ({ by, query }) => applications.list(by, query),
  }),
  route({
    ...read,
    path: `${path}/{id}`,
    summary: 'One VIP application, with statistics and risk notes of the applicant',
    params: ApplicationPath,
    response: VipApplicationAdmin,
    errors: [vipApplicationErrors.VIP_APPLICATION_NOT_FOUND],
    handler: ({ by, params }) => applications.detail(by, params.id),
  }),
  route({
    ...read,
    path: `${path}/image/{imageId}`,
    summary: 'An image of a VIP application',
    params: ImagePath,
    response: Webp,
    errors: [vipApplicationErrors.VIP_APPLICATION_NOT_FOUND],
    handler: ({ params }) => applications.image(params.imageId),
  }),
  route({
    ...write,
    method: 'PATCH',
    path: `${path}/{id}`,
    gate: 'none',
    summary: 'Take a VIP application into review, tag, note or assign it',
    body: ApplicationChange,
    errors: refusals,
    handler: ({ by, params, body }) => applications.change(by, params.id, body),
  }),
  route({
    ...write,
    method: 'POST',
    path: `${path}/{id}/decision`,
    gate: 'staff',
    idempotent: true,
    summary: 'Decide about a VIP application',
    description:
      'An approval raises the level of the player, which never falls again; levels that are granted are not rewarded. `promoId` grants a promotion with it.',
    body: ApplicationDecision,
    errors: [
      ...refusals,
      vipApplicationErrors.VIP_LEVEL_REQUIRED,
      promoErrors.PROMO_NOT_FOUND,
      promoErrors.PROMO_NOT_ACTIVE,
      promoErrors.PROMO_NOT_ELIGIBLE,
      promoErrors.PROMO_EXHAUSTED,
      promoErrors.PROMO_ALREADY_USED,
      gateErrors.USER_BANNED,
      gateErrors.SELF_EXCLUDED,
      gateErrors.AUTH_GEO_BLOCKED,
      currencyErrors.RATE_STALE,
    ],
    handler: ({ by, params, body, idempotencyKey }) =>
      applications.decide(by, params.id, { ...body, key: idempotencyKey }),
  }),
];
