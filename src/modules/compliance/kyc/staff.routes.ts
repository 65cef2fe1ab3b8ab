import { route } from '../../../http/route.ts';
import { commonErrors } from '../../../platform/errors.ts';
import { accessErrors } from '../../base/access/errors.ts';
import { userErrors } from '../../base/users/errors.ts';
import { kycErrors } from './errors.ts';
import { KycAdminDetail, KycAdminPage, KycDecision, KycPath, KycQuery } from './schemas.ts';
import type { Kyc } from './service.ts';

const tag = 'KYC Admin';
const read = { method: 'GET', tag, access: { permission: 'kyc.read' } } as const;

export const kycStaffRoutes = (kyc: Kyc) => [
  route({
    ...read,
    path: '/admin/kyc',
    summary: 'Verification of users: one row for each user and tier in which something has happened',
    description:
      'The total counts up to 10,000 and pages end there. The search finds parts of usernames and (permission `user.pii`, else whole ' +
      'ones) of e-mail addresses, and ids; one without three letters or digits in a row the first 1,000 users whose name ' +
      'begins with it. What has no time yet sorts before everything.',
    query: KycQuery,
    response: KycAdminPage,
    handler: ({ by, query }) => kyc.list(by, query),
  }),
  route({
    ...read,
    path: '/admin/kyc/{userId}',
    summary: "A user's verification: tiers, history, checks, what speaks for a closer look",
    params: KycPath,
    response: KycAdminDetail,
    errors: [userErrors.USER_NOT_FOUND],
    handler: ({ by, params }) => kyc.detail(by, params.userId),
  }),
  route({
    method: 'PATCH',
    path: '/admin/kyc/{userId}',
    tag,
    access: { permission: 'kyc.approve' },
    gate: 'none',
    summary: 'Decide about one tier of a user',
    description:
      '`rejectType` goes with REJECT and with nothing else: after RETRY the user may try again, after FINAL only staff opens the tier.',
    params: KycPath,
    body: KycDecision,
    response: KycAdminDetail,
    errors: [
      kycErrors.REASON_REQUIRED,
      commonErrors.OWN_ACCOUNT,
      accessErrors.ACCOUNT_CONNECTED,
      userErrors.USER_NOT_FOUND,
    ],
    handler: ({ by, params, body }) => kyc.decide(by, params.userId, body),
  }),
];
