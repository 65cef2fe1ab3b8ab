import { z } from 'zod';
import { type Route, route } from '../../../http/route.ts';
import { commonErrors, listErrors } from '../../../platform/errors.ts';
import { userErrors } from '../../base/users/errors.ts';
import { sightOf } from '../../base/users/service.ts';
import { affiliateErrors } from './errors.ts';
import {
  AdminReferralPage,
  AffiliateCode,
  AffiliateExtended,
  AffiliateLevel,
  AffiliateList,
  AffiliateOverview,
  AffiliatePage,
  AffiliateSummary,
  CodeToDelete,
  NewCodeOf,
  OneAffiliate,
  ReferralList,
  ReferralListOfAny,
  Streamer,
  StreamerList,
  StreamerPage,
  StreamerPath,
  StreamerReferralPage,
} from './schemas.ts';
import type { Affiliates } from './service.ts';

const tag = 'Admin Affiliate';
const reading = { tag, access: { permission: 'affiliate.read' } } as const;
const asking = { ...reading, method: 'POST', gate: 'none' } as const;
const writing = { tag, access: { permission: 'affiliate.write' }, gate: 'none' } as const;
const DEPTH =
  'The first 10,000 rows can be read in any order. `total` is exact up to 1,000, and for all referrals of one affiliate; else it is an estimate.';
const listed = {
  description: DEPTH,
  status: 200,
  errors: [listErrors.PAGE_TOO_DEEP, listErrors.FILTER_TOO_WIDE],
};
const one = {
  body: OneAffiliate,
  description: 'Named by exactly one field; by a deleted code too.',
  errors: [userErrors.USER_NOT_FOUND, affiliateErrors.AFFILIATE_CODE_NOT_FOUND],
};

const summary = (affiliates: Affiliates) =>
  route({
    ...asking,
    ...one,
    path: '/admin/affiliate/find-one',
    summary: 'Level and referrals of one affiliate',
    response: AffiliateSummary,
    handler: ({ body }) => affiliates.summaries.findOne(body.where),
  });

const stats = (affiliates: Affiliates) =>
  route({
    ...asking,
    ...one,
    path: '/admin/affiliate/find-one-stats',
    summary: 'What one affiliate has claimed and can claim',
    response: AffiliateOverview,
    handler: ({ body }) => affiliates.summaries.findStats(body.where),
  });

const levels = (affiliates: Affiliates) =>
  route({
    ...reading,
    method: 'GET',
    path: '/admin/affiliate/levels',
    summary: 'Levels of affiliates',
    response: z.array(AffiliateLevel),
    handler: () => affiliates.summaries.levels(),
  });

const users = (affiliates: Affiliates) =>
  route({
    ...asking,
    ...listed,
    path: '/admin/affiliate/users',
    summary: 'Referrals, by filter and in order',
    body: ReferralList,
    response: AdminReferralPage,
    handler: ({ by, body }) => affiliates.lists.referrals(body, sightOf(by.user)),
  });

export const affiliateStaffRoutes = (affiliates: Affiliates): Route[] => [
  route({
    ...asking,
    ...listed,
    path: '/admin/affiliate',
    summary: 'Affiliates, by filter and in order',
    body: AffiliateList,
    response: AffiliatePage,
    errors: [...listed.errors, commonErrors.AMOUNT_OUT_OF_RANGE],
    handler: ({ by, body }) => affiliates.lists.affiliates(body, sightOf(by.user)),
  }),
  summary(affiliates),
  route({
    ...asking,
    ...one,
    path: '/admin/affiliate/find-one-extended',
    summary: 'One affiliate with the account and all that was earned',
    response: AffiliateExtended,
    handler: ({ by, body }) => affiliates.summaries.findExtended(body.where, sightOf(by.user)),
  }),
  stats(affiliates),
  levels(affiliates),
  users(affiliates),
  route({
    ...writing,
    method: 'POST',
    path: '/admin/affiliate/code',
    summary: 'Give a player a code',
    body: NewCodeOf,
    response: AffiliateCode,
    errors: [
      userErrors.USER_NOT_FOUND,
      userErrors.BOT_ACCOUNT,
      commonErrors.OWN_ACCOUNT,
      affiliateErrors.AFFILIATES_DISABLED,
      affiliateErrors.AFFILIATE_CODES_FULL,
      affiliateErrors.AFFILIATE_CODE_TAKEN,
    ],
    handler: ({ by, body }) => affiliates.codes.give(by, body),
  }),
  route({
    ...writing,
    method: 'DELETE',
    path: '/admin/affiliate/code',
    summary: 'Delete a code for good; whoever came with it stays a referral',
    body: CodeToDelete,
    errors: [affiliateErrors.AFFILIATE_CODE_NOT_FOUND, commonErrors.OWN_ACCOUNT],
    handler: ({ by, body }) => affiliates.codes.delete(by, body),
  }),
];

const streaming = { ...asking, tag: 'Admin Affiliate Streamer', status: 200 } as const;

export const streamerStaffRoutes = (affiliates: Affiliates): Route[] => [
  route({
    ...streaming,
    path: '/admin/affiliate/streamer',
    summary: 'Streamers, and what their referrals bring',
    body: StreamerList,
    response: StreamerPage,
    errors: [listErrors.SORT_TOO_LONG],
    handler: ({ by, body }) => affiliates.lists.streamers(body, sightOf(by.user)),
  }),
  route({
    ...streaming,
    ...listed,
    path: '/admin/affiliate/streamer/referrals',
    summary: 'Referrals of streamers, by filter and in order',
    body: ReferralListOfAny,
    response: StreamerReferralPage,
    handler: ({ by, body }) => affiliates.lists.streamerReferrals(body, sightOf(by.user)),
  }),
  route({
    ...reading,
    method: 'GET',
    tag: 'Admin Affiliate Streamer',
    path: '/admin/affiliate/streamer/{id}',
    summary: 'Level and codes of a streamer',
    params: StreamerPath,
    response: Streamer,
    errors: [userErrors.USER_NOT_FOUND],
    handler: ({ params }) => affiliates.summaries.streamer(params.id),
  }),
];

/** In the backoffice the list of referrals needs no filter, and answers 201 as its other questions do. */
export const affiliateBackofficeRoutes = (affiliates: Affiliates): Route[] =>
  [
    summary(affiliates),
    stats(affiliates),
    levels(affiliates),
    { ...users(affiliates), body: ReferralListOfAny, status: 201 },
  ].map((r) => ({ ...r, path: r.path.replace('/admin', ''), tag: 'Affiliate' }));
