import { route } from '../../../http/route.ts';
import { SuccessResponse } from '../../../http/schemas.ts';
import { commonErrors } from '../../../platform/errors.ts';
import { userErrors } from '../../base/users/errors.ts';
import { gateErrors } from '../../compliance/gate/errors.ts';
import { promoErrors } from '../../engagement/promo/errors.ts';
import { currencyErrors } from '../../money/currencies/errors.ts';
import { crmErrors } from './errors.ts';
import {
  BonusCredit,
  CreditedBonus,
  CreditedFunds,
  CrmBlocks,
  CrmBonusList,
  CrmConsents,
  CrmUserDetails,
  CrmUserPath,
  FundsCredit,
  KeyHeaders,
  NewConsents,
  SessionOwner,
  SessionQuestion,
  TriggerHeaders,
} from './schemas.ts';
import type { Crm } from './service.ts';

const { API_KEY_INVALID } = commonErrors;
const { USER_NOT_FOUND } = userErrors;

export const crmRoutes = (crm: Crm) => [
  route({
    ...keyed(crm),
    tag: 'external-auth for a marketing integration',
    method: 'POST',
    path: '/external-auth/authenticate',
    gate: 'none',
    summary: 'Whose session this is',
    body: SessionQuestion,
    status: 200,
    response: SessionOwner,
    errors: [API_KEY_INVALID, crmErrors.SESSION_INVALID],
    handler: ({ body }) => crm.authenticate(body),
  }),
  ...readRoutes(crm),
  ...creditRoutes(crm),
];

const keyed = (crm: Crm) =>
  ({
    tag: 'marketing integration',
    access: 'apikey',
    keyCheck: (key: string | undefined) => crm.checkKey(key),
    headers: KeyHeaders,
  }) as const;

function readRoutes(crm: Crm) {
  const ofUser = {
    ...keyed(crm),
    method: 'GET',
    params: CrmUserPath,
    errors: [API_KEY_INVALID, USER_NOT_FOUND],
  } as const;
  return [
    route({
      ...ofUser,
      path: '/marketing/userdetails/{userId}',
      summary: 'What is known of a user',
      response: CrmUserDetails,
      handler: ({ params }) => crm.details(params.userId),
    }),
    route({
      ...ofUser,
      path: '/marketing/userblocks/{userId}',
      summary: 'Whether a user is banned or excluded from play',
      response: CrmBlocks,
      handler: ({ params }) => crm.blocks(params.userId),
    }),
    route({
      ...ofUser,
      path: '/marketing/userconsents/{userId}',
      summary: 'By which ways a user may be told of offers',
      response: CrmConsents,
      handler: ({ params }) => crm.consents(params.userId),
    }),
    route({
      ...ofUser,
      method: 'POST',
      path: '/marketing/userconsents/{userId}',
      gate: 'none',
      summary: 'Store by which ways a user may be told of offers',
      description: 'Types that are not named stay. `email` is the `isEmailNotificationsEnabled` of the user.',
      body: NewConsents,
      status: 200,
      response: SuccessResponse,
      handler: ({ params, body }) => crm.storeConsents(params.userId, body),
    }),
    route({
      ...keyed(crm),
      method: 'GET',
      path: '/marketing/bonus/list',
      summary: 'Promotions that can be credited now',
      response: CrmBonusList,
      errors: [API_KEY_INVALID],
      handler: () => crm.bonusList(),
    }),
  ];
}

function creditRoutes(crm: Crm) {
  const credit = {
    ...keyed(crm),
    method: 'POST',
    headers: TriggerHeaders,
    gate: 'bonus',
    idempotent: true,
    isRaw: true,
    status: 200,
  } as const;
  const errors = [
    API_KEY_INVALID,
    gateErrors.USER_BANNED,
    gateErrors.SELF_EXCLUDED,
    gateErrors.AUTH_GEO_BLOCKED,
    USER_NOT_FOUND,
    commonErrors.CURRENCY_NOT_FOUND,
    commonErrors.AMOUNT_OUT_OF_RANGE,
    currencyErrors.RATE_STALE,
    crmErrors.CRM_TRIGGER_REUSED,
    crmErrors.NOT_SUPPORTED,
  ];
  const description =
    'Once for an activity, an action, a user and a trigger hash: again it answers the same id, with another content 409.';
  return [
    route({
      ...credit,
      path: '/marketing/bonus/credit',
      summary: 'Grant a user a promotion',
      description,
      body: BonusCredit,
      response: CreditedBonus,
      errors: [
        ...errors,
        promoErrors.PROMO_NOT_FOUND,
        promoErrors.PROMO_NOT_ACTIVE,
        promoErrors.PROMO_ALREADY_USED,
        promoErrors.PROMO_NOT_ELIGIBLE,
        promoErrors.PROMO_EXHAUSTED,
      ],
      handler: ({ notice, headers, idempotencyKey: key }) =>
        crm.creditBonus({ notice: notice!, headers, key }),
    }),
    route({
      ...credit,
      path: '/marketing/bonus/credit/funds',
      summary: 'Credit cash to a user',
      description,
      body: FundsCredit,
      response: CreditedFunds,
      errors: [...errors, crmErrors.CRM_LIMIT_REACHED],
      handler: ({ notice, headers, idempotencyKey: key }) =>
        crm.creditFunds({ notice: notice!, headers, key }),
    }),
  ];
}
