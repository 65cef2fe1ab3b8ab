import { route } from '../../../http/route.ts';
import { SuccessResponse } from '../../../http/schemas.ts';
import { commonErrors, listErrors } from '../../../platform/errors.ts';
import { accessErrors } from '../../base/access/errors.ts';
import { bonusErrors } from '../../money/bonus/errors.ts';
import { currencyErrors } from '../../money/currencies/errors.ts';
import { promoErrors } from './errors.ts';
import {
  AdminGrant,
  AdminGranted,
  GrantCancellation,
  GrantPath,
  GrantQuery,
  NewPromoCodes,
  PromoAdmin,
  PromoAdminPage,
  PromoCodePage,
  PromoCodeQuery,
  PromoCodes,
  PromoCreateRequest,
  PromoGames,
  PromoGrantAdmin,
  PromoGrantAdminPage,
  PromoPath,
  PromoQuery,
  PromoStatusChange,
  PromoUpdateRequest,
} from './schemas.ts';
import type { Promo } from './service.ts';

const tag = 'Promo Admin';
const read = { method: 'GET', tag, access: { permission: 'promo.read' } } as const;
const change = { tag, access: { permission: 'promo.write' }, gate: 'none' } as const;
const one = { path: '/admin/promo/{id}', params: PromoPath } as const;
const { PROMO_INVALID, PROMO_NOT_FOUND } = promoErrors;

export const promoStaffRoutes = (promo: Promo) => [
  route({
    ...read,
    path: '/admin/promo',
    summary: 'Promotions, by filter and in order',
    description: 'The search finds parts of names, and whole ids and codes.',
    query: PromoQuery,
    response: PromoAdminPage,
    handler: ({ by, query }) => promo.staff.lists.list(by, query),
  }),
  route({
    ...change,
    method: 'POST',
    path: '/admin/promo',
    summary: 'Set up a promotion: it begins as DRAFT',
    description: 'PROMO_INVALID says in `details.problems` what is wrong.',
    body: PromoCreateRequest,
    response: PromoAdmin,
    errors: [PROMO_INVALID],
    handler: ({ by, body }) => promo.staff.create(by, body),
  }),
  route({
    ...read,
    path: '/admin/promo/grants',
    summary: 'What players were granted, by filter and in order',
    description: 'More than 10,000 grants are sorted by time only.',
    query: GrantQuery,
    response: PromoGrantAdminPage,
    errors: [listErrors.SORT_TOO_LONG],
    handler: ({ by, query }) => promo.staff.lists.grants(by, query),
  }),
  route({
    method: 'POST',
    path: '/admin/promo/grants/{grantId}/cancel',
    tag,
    access: { permission: 'promo.write' },
    gate: 'staff',
    idempotent: true,
    summary: 'Cancel a grant: its bonus money goes back, cash stays',
    description: 'The player reads the reason.',
    params: GrantPath,
    body: GrantCancellation,
    response: PromoGrantAdmin,
    errors: [
      commonErrors.OWN_ACCOUNT,
      accessErrors.ACCOUNT_CONNECTED,
      bonusErrors.PROMO_GRANT_NOT_FOUND,
      bonusErrors.PROMO_GRANT_CLOSED,
    ],
    handler: ({ by, params, body, idempotencyKey: key }) =>
      promo.staff.cancel(by, { ...params, ...body, key }),
  }),
  route({
    ...read,
    ...one,
    summary: 'A promotion, and what became of it',
    response: PromoAdmin,
    errors: [PROMO_NOT_FOUND],
    handler: ({ by, params }) => promo.staff.lists.get(by, params.id),
  }),
  route({
    ...change,
    ...one,
    method: 'PATCH',
    summary: 'Change a promotion; what was granted keeps its terms',
    description: '`reward`, `conditions` and `budget` are replaced whole. Null takes a term away.',
    body: PromoUpdateRequest,
    response: PromoAdmin,
    errors: [PROMO_INVALID, PROMO_NOT_FOUND],
    handler: ({ by, params, body }) => promo.staff.change(by, params.id, body),
  }),
  route({
    ...change,
    ...one,
    method: 'DELETE',
    summary: 'Delete a promotion of which nothing was granted, and its codes',
    response: SuccessResponse,
    errors: [PROMO_NOT_FOUND, promoErrors.PROMO_HAS_GRANTS],
    handler: ({ by, params }) => promo.staff.remove(by, params.id),
  }),
  ...promoPartRoutes(promo),
];

/** Status, codes, games and grants of one promotion. */
const promoPartRoutes = (promo: Promo) => [
  route({
    ...change,
    method: 'POST',
    path: '/admin/promo/{id}/status',
    params: PromoPath,
    summary: 'Start, pause or archive a promotion; what was granted goes on',
    description: 'DRAFT → ACTIVE ⇄ PAUSED → ARCHIVED, which is final.',
    body: PromoStatusChange,
    response: PromoAdmin,
    errors: [PROMO_INVALID, PROMO_NOT_FOUND, promoErrors.PROMO_STATUS_CONFLICT],
    handler: ({ by, params, body }) => promo.staff.setStatus(by, params.id, body),
  }),
  route({
    ...change,
    method: 'POST',
    path: '/admin/promo/{id}/codes',
    params: PromoPath,
    summary: 'Make codes: one for everybody, or many of one use each',
    description:
      'UNIVERSAL: `code` (absent: a random one) with `maxUses` (absent: no limit). ONE_TIME: `count` random codes (absent: one).',
    body: NewPromoCodes,
    response: PromoCodes,
    errors: [PROMO_INVALID, PROMO_NOT_FOUND, promoErrors.PROMO_CODE_TAKEN],
    handler: ({ by, params, body }) => promo.staff.createCodes(by, params.id, body),
  }),
  route({
    ...read,
    path: '/admin/promo/{id}/codes',
    params: PromoPath,
    summary: 'Codes of a promotion, by filter and in order',
    description: 'The search finds codes by how they begin.',
    query: PromoCodeQuery,
    response: PromoCodePage,
    errors: [PROMO_NOT_FOUND],
    handler: ({ params, query }) => promo.staff.lists.codes(params.id, query),
  }),
  route({
    ...change,
    method: 'PUT',
    path: '/admin/promo/{id}/games',
    params: PromoPath,
    summary: 'Replace the games of a promotion; what was granted keeps its own',
    description:
      'All lists empty: every game. What a stake counts is looked up by game, then by category, else it is 100 %.',
    body: PromoGames,
    response: PromoAdmin,
    errors: [PROMO_INVALID, PROMO_NOT_FOUND],
    handler: ({ by, params, body }) => promo.staff.setGames(by, params.id, body),
  }),
  route({
    ...change,
    method: 'POST',
    path: '/admin/promo/{id}/grant',
    gate: 'staff',
    idempotent: true,
    params: PromoPath,
    summary: 'Grant a promotion to players',
    description:
      'Without `amount` what the promotion gives; `currencyId` goes with it. Whoever may not have it is skipped, with the condition that is ' +
      'not met or the code of the refusal.',
    body: AdminGrant,
    response: AdminGranted,
    errors: [
      commonErrors.AMOUNT_OUT_OF_RANGE,
      commonErrors.CURRENCY_NOT_FOUND,
      PROMO_NOT_FOUND,
      promoErrors.PROMO_NOT_ACTIVE,
      promoErrors.PROMO_EXHAUSTED,
      currencyErrors.RATE_STALE,
    ],
    handler: ({ by, params, body, idempotencyKey: key }) =>
      promo.staff.give(by, { id: params.id, wanted: body, key }),
  }),
];
