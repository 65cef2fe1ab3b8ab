import { z } from 'zod';
import { route } from '../../../http/route.ts';
import { commonErrors } from '../../../platform/errors.ts';
import { gateErrors } from '../../compliance/gate/errors.ts';
import { currencyErrors } from '../../money/currencies/errors.ts';
import { affiliateErrors } from './errors.ts';
import {
  AffiliateClaim,
  AffiliateCode,
  AffiliateLevel,
  AffiliateOverview,
  AffiliateSummary,
  ApiKeyHeaders,
  ClaimPage,
  ClaimQuery,
  ExternalReferralRow,
  NewCode,
  ReferralPage,
  ReferralQuery,
  ReportQuery,
} from './schemas.ts';
import type { Affiliates } from './service.ts';

const tag = 'Affiliate';
const read = { method: 'GET', tag, access: 'auth' } as const;

export const affiliateRoutes = (affiliates: Affiliates) => [
  route({
    ...read,
    path: '/affiliate/me',
    summary: 'Own level, the next one, and whether commission can be claimed',
    response: AffiliateSummary,
    handler: ({ user }) => affiliates.summaries.summary(user.id),
  }),
  route({
    ...read,
    path: '/affiliate/overview',
    summary: 'What own referrals have wagered, and what of it can be claimed',
    response: AffiliateOverview,
    handler: ({ user }) => affiliates.summaries.overview(user.id),
  }),
  route({
    ...read,
    path: '/affiliate/levels',
    summary: 'Levels of affiliates',
    response: z.array(AffiliateLevel),
    handler: () => affiliates.summaries.levels(),
  }),
  route({
    ...read,
    path: '/affiliate/code',
    summary: 'Own codes, oldest first',
    response: z.array(AffiliateCode),
    handler: ({ user }) => affiliates.codes.of(user.id),
  }),
  route({
    method: 'POST',
    path: '/affiliate/code',
    tag,
    access: 'auth',
    gate: 'none',
    summary: 'Choose a code of one’s own',
    description:
      'Letters, digits, `-` and `_`; how many, and how many codes, GET /config/AFFILIATES says. Codes are not case-sensitive. A deleted one is never given again.',
    body: NewCode,
    response: AffiliateCode,
    errors: [
      affiliateErrors.AFFILIATES_DISABLED,
      affiliateErrors.AFFILIATE_CODES_FULL,
      affiliateErrors.AFFILIATE_CODE_TAKEN,
    ],
    handler: ({ user, body }) => affiliates.codes.create(user.id, body),
  }),
  route({
    method: 'POST',
    path: '/affiliate/claim',
    tag,
    access: 'auth',
    gate: 'claim',
    idempotent: true,
    summary: 'Claim all commission that can be claimed, in USDT',
    response: AffiliateClaim,
    errors: [
      gateErrors.USER_BANNED,
      gateErrors.SELF_EXCLUDED,
      affiliateErrors.AFFILIATE_NOTHING_TO_CLAIM,
      affiliateErrors.AFFILIATE_CLAIM_LOCKED,
      currencyErrors.RATE_STALE,
      commonErrors.CURRENCY_NOT_FOUND,
    ],
    handler: ({ user, idempotencyKey }) => affiliates.claim(user.id, idempotencyKey),
  }),
  route({
    ...read,
    path: '/affiliate/claims',
    summary: 'Own claims',
    query: ClaimQuery,
    response: ClaimPage,
    handler: ({ user, query }) => affiliates.lists.claims(user.id, query),
  }),
  route({
    ...read,
    path: '/affiliate/users',
    summary: 'Who came through own codes',
    description: 'The first 10,000 rows can be read in any order.',
    query: ReferralQuery,
    response: ReferralPage,
    handler: ({ user, query }) => affiliates.lists.mine(user.id, query),
  }),
  route({
    method: 'GET',
    path: '/external/affiliates',
    tag: 'Affiliates External',
    access: 'apikey',
    summary: 'What the referrals of a partner have wagered and paid in',
    description:
      'Those who came with the named codes of the key’s owner and did anything on the days asked for; of codes of others nothing is answered. Whole UTC days, 366 ' +
      'at most; absent: up to today, and as many as there may be. Players who hide are answered without id, as Incognito.',
    headers: ApiKeyHeaders,
    query: ReportQuery,
    response: z.array(ExternalReferralRow),
    errors: [commonErrors.API_KEY_INVALID, affiliateErrors.REPORT_TOO_LONG],
    handler: ({ client, query }) => affiliates.report(client!.userId, query),
  }),
];
